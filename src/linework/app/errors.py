"""What a user can put right, in a sentence."""


class UserError(ValueError):
    """A table, a name or a file that the command cannot go on with.

    Examples
    --------
    >>> from linework.app.errors import UserError
    >>> issubclass(UserError, ValueError)
    True
    """
