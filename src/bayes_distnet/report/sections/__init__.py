"""Sections of a report: each is a function that takes a `Book` and yields a `Section`, or nothing."""
