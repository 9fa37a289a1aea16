"""Readers of published collections: they return runs and features as a `Dataset`, with notes on all repairs."""
