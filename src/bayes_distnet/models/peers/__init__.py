"""Models of other packages, behind the same face; each imports its package when it is fitted."""
