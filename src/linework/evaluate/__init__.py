"""Evaluation: pictures of fitted models, after scikit-learn's `Display` classes."""
