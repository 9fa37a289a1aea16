"""Special functions, exact deep into the tails, for NumPy and JAX."""
