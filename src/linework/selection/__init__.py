"""Choosing among models: searches, cross-validation, curves and comparisons."""
