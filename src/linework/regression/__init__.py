"""The least-squares family."""
