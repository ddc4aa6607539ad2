"""Discriminants: classes told apart by their means and covariances, from one pass."""
