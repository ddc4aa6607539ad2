"""What is wrong with a model file, in a sentence."""


class ModelFileError(ValueError):
    """A file that is no model file, is damaged, or holds what this version cannot read.

    Examples
    --------
    >>> from linework import ModelFileError
    >>> issubclass(ModelFileError, ValueError)
    True
    """
