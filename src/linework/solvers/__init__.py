"""Solvers: from a merged statistic to coefficients; none of them sees rows."""
