"""The forest of the hybrid and of the random forest: trees as plain arrays."""
