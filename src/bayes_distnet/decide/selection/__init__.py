"""Selectors, ours and those of the literature, replayed on recorded runs of several solvers."""
