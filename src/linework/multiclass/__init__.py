"""Many classes from two: coding matrices, the learners of their columns, and decoders."""
