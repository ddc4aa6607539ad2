"""Inference: standard errors, tests and intervals for fitted models, and their summary tables."""
