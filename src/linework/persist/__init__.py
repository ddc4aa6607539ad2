"""Model files: a fitted estimator as a description in JSON and arrays, with no pickle in it."""
