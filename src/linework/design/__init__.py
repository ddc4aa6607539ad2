"""Columns to numbers: what each column of a table becomes in a linear model."""
