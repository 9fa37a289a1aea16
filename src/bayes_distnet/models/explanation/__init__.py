"""Reasons for a prediction: contributions of features, and how far it can be trusted."""
