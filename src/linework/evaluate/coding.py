"""The coding matrix of a classifier by dichotomies, and the errors that it corrects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.evaluate.drawing import class_numbers, legend_beside, require_matplotlib
from linework.multiclass.coding import CodingMatrix

SIDES = {
    -1: ("#3f90da", "negative side"),
    0: ("#eeeeee", "not used"),
    1: ("#ffa90e", "positive side"),
}
WRONG = "#bd1f01"

SIGNS = 30
"""Classes or columns up to which cells carry a sign, and their names are all written."""


@dataclass(kw_only=True, eq=False, repr=False)
class CodingMatrixDisplay:
    """A coding matrix: classes in rows, learners in columns, and which sets what against what.

    With rows of data, a ring in a cell says how often the learner errs on rows of the class; its
    area is that share of the cell. The disc in it are the errors that were not corrected: the row
    was told wrong. Beside it, the rows by the number of learners that err on them.

    Parameters
    ----------
    code : array of shape (K, M)
    classes : array of shape (K,)
    errors : array of shape (K, M) or None
        Share of the class's rows on which the learner errs.
    uncorrected : array of shape (K, M) or None
        Share on which it errs and the row is told wrong.
    counts : array of shape (2, M + 1) or None
        Rows told wrong and right by the number of learners that err.
    limit : int or None
        Errors that are corrected wherever they are, as Hamming decoding does.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    counts_ax_ : matplotlib Axes or None
    image_ : AxesImage
    rings_, discs_ : PathCollection or None
    bars_ : list of BarContainer

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from linework import CodingMatrixDisplay
    >>> from linework import OutputCodeClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = OutputCodeClassifier(code="search", decoder="hamming", random_state=0).fit(X, y)
    >>> display = CodingMatrixDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_title()
    'smallest distance 8: any 3 errors are corrected'
    """

    code: Array
    classes: Array
    errors: Array | None = None
    uncorrected: Array | None = None
    counts: Array | None = None
    limit: int | None = None
    ax_: Any = field(init=False)
    counts_ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    image_: Any = field(init=False)
    rings_: Any = field(init=False)
    discs_: Any = field(init=False)
    bars_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None
    ) -> Self:
        """Draw the code of a fitted classifier, and with rows what became of its learners' errors.

        Parameters
        ----------
        estimator : OneVsOneClassifier, OneVsRestClassifier or OutputCodeClassifier
            Fitted.
        X : array-like, sparse matrix or data frame of shape (n, d), optional
        y : array-like of shape (n,), optional
        ax : matplotlib Axes, default=None
            For the matrix alone; by default those of a new figure.

        Returns
        -------
        CodingMatrixDisplay
        """
        check_is_fitted(estimator)
        code = getattr(estimator, "code_book_", None)
        if code is None or getattr(estimator, "multilabel_", False):
            raise TypeError(
                f"{type(estimator).__name__} has no code with a row for each class: give a fitted "
                "OneVsOneClassifier, OutputCodeClassifier, or OneVsRestClassifier of classes."
            )
        classes: Array = estimator.classes_
        limit = None
        if getattr(estimator, "decoder", "") == "hamming":
            limit = CodingMatrix(code).n_corrected
        if X is None:
            return cls(code=code, classes=classes, limit=limit).plot(ax=ax)
        answers, told = estimator.answers(X), estimator.predict(X)
        number = class_numbers(y, len(answers), classes)
        erred = (answers != code[number]) & (code[number] != 0)
        wrong = told != classes[number]
        size = np.maximum(np.bincount(number, minlength=len(classes)), 1)[:, None]
        by_class = (number == np.arange(len(classes))[:, None]).astype(np.float64)
        each, M = erred.sum(axis=1), code.shape[1]
        counts = [np.bincount(each[part], minlength=M + 1) for part in (wrong, ~wrong)]
        return cls(
            code=code,
            classes=classes,
            errors=by_class @ erred / size,
            uncorrected=by_class @ (erred & wrong[:, None]) / size,
            counts=np.array(counts),
            limit=limit,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            For the matrix alone; by default those of a new figure, with the counts below.

        Returns
        -------
        self
        """
        require_matplotlib(type(self).__name__)
        import matplotlib.pyplot as plt

        self.counts_ax_, self.bars_ = None, []
        K, M = self.code.shape
        if ax is None:
            wide, high = min(max(5.0, 2.5 + 0.32 * M), 14.0), min(1.2 + 0.32 * K, 10.0)
            rows = 1 if self.counts is None else 2
            heights = [high, 2.4][:rows]
            _, axes = plt.subplots(
                rows, squeeze=False, layout="constrained", height_ratios=heights,
                figsize=(wide + 1.6, sum(heights)),
            )  # fmt: skip
            ax = axes[0, 0]
            self.counts_ax_ = axes[1, 0] if rows == 2 else None
        self.ax_, self.figure_ = ax, ax.figure
        self._plot_matrix()
        if self.counts_ax_ is not None:
            self._plot_counts()
        return self

    def _plot_matrix(self) -> None:
        from matplotlib.colors import ListedColormap

        (K, M), ax = self.code.shape, self.ax_
        colors = ListedColormap([SIDES[side][0] for side in (-1, 0, 1)])
        self.image_ = ax.imshow(self.code, cmap=colors, vmin=-1, vmax=1, aspect="auto", alpha=0.75)
        title = f"smallest distance {CodingMatrix(self.code).minimum_distance:g}"
        if self.limit:
            plural = "s are" if self.limit > 1 else " is"
            title += f": any {self.limit} error{plural} corrected"
        ax.set_title(title)
        ax.set_xlabel("learner")
        ax.set_ylabel("class")
        if K <= SIGNS:
            ax.set_yticks(range(K), [str(label) for label in self.classes])
        shown = range(M) if M <= SIGNS else range(9, M, 10)
        ax.set_xticks(shown, [str(m + 1) for m in shown])
        if K <= SIGNS and M <= SIGNS:
            for k, m in zip(*np.nonzero(self.code), strict=True):
                sign = "+" if self.code[k, m] > 0 else "−"
                ax.text(m - 0.36, k - 0.28, sign, ha="center", va="center", fontsize=9, c="0.2")
        for side in (1, -1, 0):
            if (self.code == side).any():
                ax.plot([], [], "s", ms=9, c=SIDES[side][0], alpha=0.75, label=SIDES[side][1])
        self.rings_ = self.discs_ = None
        if self.errors is not None and self.uncorrected is not None:
            self._plot_errors(self.errors, self.uncorrected)
        legend_beside(ax)

    def _plot_errors(self, errors: Array, uncorrected: Array) -> None:
        """Areas in proportion to the shares, of which the largest fills its cell."""
        ax, (K, M) = self.ax_, self.code.shape
        self.figure_.canvas.draw()  # what the layout makes of the cells
        box = ax.get_window_extent()
        cell = min(box.width / M, box.height / K) * 72.0 / self.figure_.dpi
        unit = (0.8 * cell) ** 2 / max(errors.max(), 1e-300)
        k, m = np.nonzero(errors)
        largest = f"{100.0 * errors.max():.0f} % of rows at most" if len(k) else "none"
        self.rings_ = ax.scatter(
            m, k, s=unit * errors[k, m], facecolors="white", edgecolors="0.2", linewidths=1.0,
            label=f"learner errs\n({largest})",
        )  # fmt: skip
        self.discs_ = ax.scatter(
            m, k, s=unit * uncorrected[k, m], c=WRONG, linewidths=0, label="and is not\ncorrected"
        )

    def _plot_counts(self) -> None:
        assert self.counts is not None
        wrong, right = self.counts
        shown = np.arange(int(np.flatnonzero(self.counts.sum(axis=0)).max(initial=0)) + 1)
        ax = self.counts_ax_
        for counts, below, color, label in (
            (right, 0, "#94a4a2", "told right"),
            (wrong, right[shown], WRONG, "told wrong"),
        ):
            self.bars_.append(
                ax.bar(shown, counts[shown], bottom=below, color=color, label=label, width=0.8)
            )
        if self.limit is not None:
            label = "always corrected\nleft of it"
            ax.axvline(self.limit + 0.5, ls="--", c="0.3", label=label)
        ax.set_xticks(shown)
        ax.set_xlabel("learners that err on a row")
        ax.set_ylabel("rows")
        corrected, erred = right[1:].sum(), self.counts[:, 1:].sum()
        ax.set_title(f"{corrected:,} of {erred:,} rows with errors are corrected")
        legend_beside(ax)
