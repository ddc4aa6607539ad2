"""One against one: a learner for each pair of classes."""

from __future__ import annotations

from typing import Any

from linework.data.blocks import Array
from linework.multiclass.code_classifier import CodeClassifier
from linework.multiclass.codes import one_vs_one
from linework.multiclass.coding import CodingMatrix
from linework.multiclass.incremental import Incremental


class OneVsOneClassifier(Incremental, CodeClassifier):
    """A learner for each pair of classes, on their rows alone, K(K − 1)/2 in all, which vote.

    The code has a column for each pair a < b, with −1 for class a and +1 for b. A row is of the
    class with the most votes; ties are broken by the discriminant values f::

        score of k = votes for k + s_k / (3 (|s_k| + 1)),   s_k = Σ_m c_km f_m

    Parameters
    ----------
    estimator : estimator, default=None
        A classifier of two classes, or a regression on targets 0 and 1; by default
        `LinearDiscriminantAnalysis`. It may be linework's, scikit-learn's or any of that interface.
    coupling : {"least-squares", "bradley-terry"}, default="least-squares"
        How `predict_proba` joins the pairs' probabilities: by the second method of Wu, Lin and Weng
        (2004), or by that of Hastie and Tibshirani (1998).
    n_jobs : int, default=None
        Processes for learners that are fitted one by one.

    Attributes
    ----------
    classes_ : array of shape (K,)
    n_classes_ : int
    estimators_ : sequence of K(K − 1)/2 estimators
        In the order (0, 1), (0, 2), … (K − 2, K − 1).
    code_book_ : array of shape (K, K(K − 1)/2)
    minimum_distance_, n_corrected_
        Of the code: 1, which corrects no error wherever it is.
    pairwise_indices_ : list of arrays or None
        The training rows of each learner, for kernels that are given as matrices.

    Notes
    -----
    Least squares, ridge and the discriminants are solved for all pairs from the moments of the
    classes, after one pass: the scatter of a pair is S_a + S_b and a term for their means.
    ``estimators_`` are then made when they are looked at.

    Where scikit-learn votes with labels and a learner without `decision_function` speaks through
    `predict_proba` or as a regression, its values are taken about ½ here.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import OneVsOneClassifier, LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsOneClassifier(LogisticRegression()).fit(X, y)
    >>> model.decision_function(X[:1]).round(3)
    array([[ 2.3  ,  1.302, -0.316]])
    >>> model.predict_proba(X[:1]).round(3)
    array([[0.98 , 0.016, 0.004]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        coupling: str = "least-squares",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.coupling = coupling
        self.n_jobs = n_jobs

    @property
    def decoder(self) -> str:  # type: ignore[override]
        """Votes."""
        return "hamming"

    def _code(self, X: Any, number: Array, n_classes: int, params: dict[str, Any]) -> CodingMatrix:
        return CodingMatrix(self._columns_of(n_classes))

    def _columns_of(self, n_classes: int) -> Array:
        return one_vs_one(n_classes)

    def _begin(self, code: Array) -> None:
        super()._begin(code)
        self._set_code(CodingMatrix(code))
