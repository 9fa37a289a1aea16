"""Decisions carried out: plans on real instances, and answers to questions about one instance."""
