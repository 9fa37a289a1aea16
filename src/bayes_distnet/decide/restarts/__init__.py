"""Restarts of one solver: cutoffs, policies, and their replay on recorded runs."""
