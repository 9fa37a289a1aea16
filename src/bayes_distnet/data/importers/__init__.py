"""Readers of published collections: runs and features of an archive as a `Dataset`, with notes on all repairs."""
