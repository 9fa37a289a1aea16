"""Solvers: one small file each, and the registry that names them."""
