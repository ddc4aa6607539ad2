"""`save` and `load`: a fitted model as a file, and back."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.utils.validation import check_is_fitted

from linework.persist import archive
from linework.persist.arrays import from_npy, to_npy
from linework.persist.decoder import Decoder
from linework.persist.encoder import Encoder
from linework.persist.errors import ModelFileError
from linework.persist.golden import Golden

FORMAT = "linework model"
SCHEMA = 1
PACKAGES = ("linework", "numpy", "scipy", "scikit-learn")


def save(model: Any, path: str | os.PathLike[str], X: Any = None) -> None:
    """Write a fitted model to a file that holds no code.

    The file is read back and verified before it takes its name, and takes it at once: there is
    never half a file under ``path``.

    Parameters
    ----------
    model : estimator
        Any of linework's, fitted, or a pipeline of them with scikit-learn's scalers, imputers and
        encoders.
    path : str or path
        By custom it ends in ``.lw``. A file of this name is replaced.
    X : array-like, sparse matrix or data frame of shape (n, d), optional
        Rows like those the model was fitted to. Sixteen of them, spread from the first to the last,
        are the file's golden rows: they are stored, with what the model says of them, and `load`
        checks that it still says so. Without X the rows are drawn from a normal distribution, with
        the means and spreads that the model keeps of its columns, else standard.

    Raises
    ------
    TypeError
        Where the model holds what a file cannot, such as a function; the sentence says where.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import Ridge, load, save
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = Ridge().fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "model.lw")
    ...     again = load(Path(folder) / "model.lw")
    >>> (again.predict(X) == model.predict(X)).all()
    np.True_
    """
    if not isinstance(model, BaseEstimator):
        raise TypeError(f"{type(model).__name__} is no model: give a fitted estimator.")
    check_is_fitted(model)
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}: make it first.")
    description, arrays = _described(model, Golden.of(model, X))
    temporary = archive.temporary_beside(path)
    try:
        with temporary.open("xb") as file:
            archive.write(file, description, arrays)
            file.flush()
            os.fsync(file.fileno())
        load(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    archive.sync_folder(path.parent)


def load(path: str | os.PathLike[str], verify: bool = True) -> Any:
    """Read a model that `save` has written.

    Nothing of a file is executed and nothing but its own classes imported, whoever wrote it; one
    that is damaged ends in a `ModelFileError`.

    Parameters
    ----------
    path : str or path
    verify : bool, default=True
        Whether the model has to say of the file's golden rows what it said when it was written:
        the same labels, and numbers to half of their digits.

    Returns
    -------
    estimator

    Warns
    -----
    sklearn.exceptions.InconsistentVersionWarning
        Where estimators of scikit-learn are in the file, from another version than is installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from linework import load
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.lw"
    ...     _ = path.write_text("a,b,c")
    ...     load(path)
    Traceback (most recent call last):
        ...
    linework.persist.errors.ModelFileError: No model can be read from ... It does not begin as a ...
    """
    path = Path(path)
    with path.open("rb") as file:
        try:
            model, golden = _rebuilt(*archive.read(file))
            if verify:
                golden.check(model)
        except InconsistentVersionWarning:  # where warnings are errors
            raise
        except ModelFileError as error:
            raise ModelFileError(f"No model can be read from {path}. {error}") from None
        except Exception as error:  # what damaged parts lead to is not to be enumerated
            raise ModelFileError(
                f"No model can be read from {path}. It is damaged or cut off: "
                f"{type(error).__name__}, {str(error)[:200]}"
            ) from error
    return model


def _described(model: Any, golden: Golden) -> tuple[bytes, list[bytes]]:
    """The description as JSON, and the arrays it refers to by their numbers."""
    encoder = Encoder()
    description = {
        "format": FORMAT,
        "schema": SCHEMA,
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "model": encoder.encode(model, type(model).__name__),
        "golden": encoder.encode(golden, "X"),
    }
    text = json.dumps(description, indent=1, allow_nan=False)
    return text.encode("ascii"), [to_npy(array) for array in encoder.arrays]


def _rebuilt(text: bytes, arrays: list[bytes]) -> tuple[Any, Golden]:
    description = json.loads(text)
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise ModelFileError("The file's description is not that of a linework model.")
    schema = description["schema"]
    if type(schema) is not int or schema < 1:
        raise ModelFileError(f"The file's schema is {str(schema)[:100]!r}, and 1 is expected.")
    if schema > SCHEMA:
        raise ModelFileError(
            f"The file has schema {schema}, and this version of linework reads schemas up to "
            f"{SCHEMA}: update linework. The file was written by version "
            f"{str(description['versions']['linework'])[:100]}."
        )
    decoder = Decoder([from_npy(data) for data in arrays])
    model, golden = decoder.decode(description["model"]), decoder.decode(description["golden"])
    if not isinstance(model, BaseEstimator) or not isinstance(golden, Golden):
        raise ModelFileError("The file's description is not that of a linework model.")
    return model, golden
