"""Solvers: one small file per solver, and the registry that lists them."""
