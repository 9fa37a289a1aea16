"""Pipelines that end in distributions, and the transformers that are saved with them without pickle."""
