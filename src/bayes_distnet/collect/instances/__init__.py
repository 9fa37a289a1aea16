"""Generators of instances: one file per kind, and the registry that lists them."""
