"""Which cure of imbalance helps, if any: all of them under the same folds, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import has_fit_parameter

from linework.data.blocks import Array
from linework.engine import map_each
from linework.evaluate.drawing import require_matplotlib, style
from linework.evaluate.measures import check_confidence
from linework.evaluate.ranking import RankedScores
from linework.evaluate.reliability import decompose_score
from linework.evaluate.rules import DecisionRule
from linework.imbalance.easy_ensemble import EasyEnsembleClassifier
from linework.imbalance.resampled import ResampledClassifier
from linework.imbalance.rows import RandomUnderSampler
from linework.imbalance.smote import SMOTE
from linework.labels import class_weights, encode
from linework.likelihood.logistic import LogisticRegression
from linework.priors import shifted


class ImbalanceReport:
    """A classifier of two classes as it is, and with each cure of imbalance, side by side.

    ===================  =========================================================================
    plain                as it is, the class of higher posterior
    moved threshold      as it is, decisions of least expected cost
    class weights        fitted to weighted rows, by which the classes weigh the same
    undersampling        fitted by `ResampledClassifier` with `RandomUnderSampler`
    SMOTE                fitted by `ResampledClassifier` with `SMOTE`
    EasyEnsemble         `EasyEnsembleClassifier` of it
    ===================  =========================================================================

    Posteriors are by models that were fitted without the row, in the same folds for all, and are
    for the shares of the classes in y; all but the first decide by them at least expected cost. So
    what a cure does to the ranking and to the posteriors is seen apart from where a threshold is.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, or None
        None is `LogisticRegression`. One whose ``fit`` takes no weights has no line for them.
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,)
        Of two classes; the one of fewer rows is the positive one.
    costs : pair of float, optional
        What a false alarm costs and what a miss costs. By default 1 and as much as there are
        negative rows for each positive one.
    p_fa : float, default=0.05
        Share of false alarms at which detections are compared.
    cv : int or splitter, default=5
    n_resamples : int, default=200
        Bootstrap samples of the rows, for the intervals.
    confidence : float, default=0.95
    random_state : int, default=0

    Attributes
    ----------
    measures : dict of str to array of shape (t,)
        ``P_D at P_FA``, the share of positive rows that are detected at the threshold where at
        most ``p_fa`` of the negative ones are; ``AUC``; ``P_D`` and ``P_FA`` of the decisions, and
        their mean ``cost``; ``log loss``; its part ``miscalibration``, zero of posteriors that
        mean what they say.
    resampled : dict of str to array of shape (n_resamples, t)
        The same of bootstrap samples, which are the same rows for every line.
    names : list of str of length t
    positive : object
        The positive class.

    Notes
    -----
    Intervals say what other rows to judge by would change, with the models as they are. They are
    quantiles of the bootstrap samples less the bias of these, their mean less the value: rows that
    come twice make posteriors look less calibrated than they are.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import ImbalanceReport, LinearDiscriminantAnalysis
    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(3000) < 0.05).astype(int)
    >>> X = rng.standard_normal((3000, 3)) + 0.8 * y[:, None]
    >>> report = ImbalanceReport(LinearDiscriminantAnalysis(), X, y, n_resamples=50)
    >>> report.to_frame()["P_D"]["value"].round(2)
    plain              0.11
    moved threshold    0.74
    class weights      0.74
    undersampling      0.75
    SMOTE              0.74
    EasyEnsemble       0.74
    Name: value, dtype: float64
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        costs: Any = None,
        p_fa: float = 0.05,
        cv: Any = 5,
        n_resamples: int = 200,
        confidence: float = 0.95,
        random_state: int = 0,
    ) -> None:
        check_confidence(confidence)
        if not 0.0 < p_fa < 1.0:
            raise ValueError(f"p_fa is {p_fa!r}, and a share between 0 and 1 is expected.")
        X = indexable(X)[0]
        classes, numbers = encode(y, None, len(np.asarray(y)))
        if len(classes) != 2:
            raise ValueError(
                f"y has {len(classes)} classes, and the report is of two: take one against the "
                "rest."
            )
        rare = int(np.bincount(numbers).argmin())
        self.positive = classes.tolist()[rare]
        self.confidence, self.p_fa = confidence, p_fa
        positive = numbers == rare
        prior = positive.mean()
        pair = np.array([1.0, (1.0 - prior) / prior] if costs is None else costs, np.float64)
        base = LogisticRegression() if estimator is None else estimator
        found = _out_of_fold(_cures(base, random_state), X, positive, cv)
        found = {"plain": found["plain"], "moved threshold": found["plain"], **found}
        self.names = list(found)
        rule = DecisionRule(costs=pair).learn(None, numbers, np.ones(len(positive)), np.arange(2))
        judged = []
        for name, p in found.items():
            both = np.column_stack([1.0 - p, p])
            said = p > 0.5 if name == "plain" else rule(both) == 1
            judged.append(_Judged(p, said, positive, pair, p_fa))

        def measure(count: Array) -> dict[str, Array]:
            each = [line.measures(count) for line in judged]
            return {name: np.array([line[name] for line in each]) for name in each[0]}

        seeds = np.random.SeedSequence(random_state).spawn(n_resamples)
        draws = map_each(seeds, lambda s: measure(_bootstrap(positive, s)), "Resamples", len(seeds))
        self.measures = measure(np.ones(len(positive)))
        self.resampled = {name: np.array([m[name] for m in draws]) for name in self.measures}

    def to_frame(self) -> Any:
        """Each measure with its interval, as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            A line for each cure; of each measure the columns ``value``, ``low`` and ``high``.
        """
        return self._frame(self.measures, self.resampled)

    def differences(self, than: str = "moved threshold") -> Any:
        """Each measure less that of one line, with the interval of the difference.

        The lines are judged by the same rows, so differences are surer than the measures.

        Parameters
        ----------
        than : str, default="moved threshold"

        Returns
        -------
        pandas.DataFrame
        """
        if than not in self.names:
            raise ValueError(f"There is no line {than!r}: take one of {', '.join(self.names)}.")
        at = self.names.index(than)
        return self._frame(
            {name: values - values[at] for name, values in self.measures.items()},
            {name: values - values[:, [at]] for name, values in self.resampled.items()},
        )

    def _interval(self, value: Array, resampled: Array) -> Array:
        tail = 0.5 * (1.0 - self.confidence)
        ends = np.quantile(resampled, [tail, 1.0 - tail], axis=0, method="nearest")
        with np.errstate(invalid="ignore"):  # of infinite losses
            bias = resampled.mean(axis=0) - value
        return np.asarray(ends - np.where(np.isfinite(bias), bias, 0.0))

    def _frame(self, values: dict[str, Array], resampled: dict[str, Array]) -> Any:
        import pandas as pd

        columns: dict[tuple[str, str], Array] = {}
        for name, value in values.items():
            low, high = self._interval(value, resampled[name])
            columns |= {(name, "value"): value, (name, "low"): low, (name, "high"): high}
        return pd.DataFrame(columns, index=self.names)

    def plot(self, measures: Any = ("P_D at P_FA", "cost", "miscalibration")) -> Any:
        """Draw a panel for each measure: each cure with its interval.

        The moved threshold's value is a grey line through all of them.

        Parameters
        ----------
        measures : sequence of str
            Of the names in `measures`.

        Returns
        -------
        matplotlib Figure
        """
        require_matplotlib(type(self).__name__)
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(
            1,
            len(measures),
            sharey=True,
            squeeze=False,
            layout="constrained",
            figsize=(3.2 * len(measures) + 1.2, 0.4 * len(self.names) + 1.2),
        )
        places = np.arange(len(self.names))
        for ax, name in zip(axes[0], measures, strict=True):
            value = self.measures[name]
            low, high = self._interval(value, self.resampled[name])
            ax.axvline(value[self.names.index("moved threshold")], c="0.8", lw=1.0, zorder=0)
            ax.hlines(places, low, high, color=style(0).color, lw=2.0)
            ax.plot(value, places, "o", c=style(0).color, mec="white", ms=8.0)
            title = f"P_D at P_FA = {self.p_fa:g}" if name == "P_D at P_FA" else name
            ax.set_xlabel(title)
            ax.margins(y=0.1)
            ax.locator_params(axis="x", nbins=5)
        axes[0, 0].set_yticks(places, self.names)
        axes[0, 0].invert_yaxis()
        return figure

    def __repr__(self) -> str:
        lines = [f"Imbalance report, positive class {self.positive!r}"]
        width = max(map(len, self.names))
        lines.append(" " * width + "".join(f"{name:>16}" for name in self.measures))
        for at, line in enumerate(self.names):
            numbers = "".join(f"{values[at]:16.4f}" for values in self.measures.values())
            lines.append(f"{line:{width}}{numbers}")
        return "\n".join(lines)


def _cures(base: Any, random_state: int) -> dict[str, Any]:
    cures = {
        "plain": clone(base),
        "class weights": clone(base),
        "undersampling": ResampledClassifier(RandomUnderSampler(random_state=random_state), base),
        "SMOTE": ResampledClassifier(SMOTE(random_state=random_state), base),
        "EasyEnsemble": EasyEnsembleClassifier(estimator=base, random_state=random_state),
    }
    if not has_fit_parameter(base, "sample_weight"):
        del cures["class weights"]
    return cures


def _out_of_fold(cures: dict[str, Any], X: Any, positive: Array, cv: Any) -> dict[str, Array]:
    """Posteriors (n,) of the positive class by models that were fitted without the row."""
    splits = list(check_cv(cv, positive, classifier=True).split(X, positive))

    def fit(item: tuple[str, tuple[Array, Array]]) -> Array:
        name, (train, test) = item
        rows, labels, held = _safe_indexing(X, train), positive[train], _safe_indexing(X, test)
        model = clone(cures[name])
        if name != "class weights":
            return np.asarray(model.fit(rows, labels).predict_proba(held)[:, 1])
        both = np.array([False, True])
        factors = class_weights("balanced", both, np.bincount(labels, minlength=2).astype(float))
        model.fit(rows, labels, sample_weight=factors[labels.astype(int)])
        return shifted(np.asarray(model.predict_proba(held)), 1.0 / factors)[:, 1]

    items = [(name, split) for name in cures for split in splits]
    parts = iter(map_each(items, fit, "Fits", len(items)))
    found = {name: np.full(len(positive), np.nan) for name in cures}
    for name, (_, test) in items:
        found[name][test] = next(parts)
    if any(np.isnan(p).any() for p in found.values()):
        raise ValueError("cv leaves rows out of every test part: give folds that cover all.")
    return found


def _bootstrap(positive: Array, seed: Any) -> Array:
    """How often each row is drawn, of each class as many as it has."""
    rng = np.random.default_rng(seed)
    count = np.empty(len(positive))
    for side in (positive, ~positive):
        rows = np.flatnonzero(side)
        count[rows] = np.bincount(rng.integers(0, len(rows), len(rows)), minlength=len(rows))
    return count


class _Judged:
    """Posteriors and decisions of rows, ranked once and measured with any number of each row."""

    def __init__(self, p: Array, said: Array, positive: Array, costs: Array, p_fa: float) -> None:
        self.order = np.argsort(p, kind="stable")
        ranked = p[self.order]
        self.starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        self.scores = ranked[self.starts]
        self.said, self.positive, self.costs, self.p_fa = said, positive, costs, p_fa

    def measures(self, count: Array) -> dict[str, float]:
        sides = [
            np.add.reduceat((count * side)[self.order], self.starts)
            for side in (self.positive, ~self.positive)
        ]
        kept = sides[0] + sides[1] > 0.0
        ranked = RankedScores(self.scores[kept], *(side[kept] for side in sides))
        fpr, tpr, _ = ranked.roc_curve()
        missed = count @ (self.positive & ~self.said)
        alarms = count @ (self.said & ~self.positive)
        loss = decompose_score(ranked, "log")
        return {
            "P_D at P_FA": float(tpr[fpr <= self.p_fa].max()),
            "AUC": ranked.auc,
            "P_D": float(1.0 - missed / sides[0].sum()),
            "P_FA": float(alarms / sides[1].sum()),
            "cost": float((self.costs @ [alarms, missed]) / count.sum()),
            "log loss": loss.score,
            "miscalibration": loss.miscalibration,
        }
