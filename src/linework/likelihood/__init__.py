"""Likelihood models: fitted by a few passes of a loss, its gradient and its curvature."""
