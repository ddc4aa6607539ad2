"""Few rows against many: resampling, and ensembles of balanced subsets."""
