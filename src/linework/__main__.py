"""`python -m linework`, and what the command `linework` starts."""

import sys
from importlib.util import find_spec


def main() -> None:
    """Run the command, or say what it needs."""
    if find_spec("typer") is None:
        sys.exit('The command needs typer and rich: pip install "linework[app]".')
    from linework.cli import app

    app()


if __name__ == "__main__":
    main()
