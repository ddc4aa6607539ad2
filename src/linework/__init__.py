"""Linear models from mergeable statistics."""
