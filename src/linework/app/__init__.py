"""What the command `linework` does: read a table, say what is in it, choose a model, use it."""
