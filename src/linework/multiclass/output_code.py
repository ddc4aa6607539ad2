"""Error-correcting output codes."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from linework.data.blocks import Array
from linework.engine import map_reduce
from linework.multiclass import codes
from linework.multiclass.code_classifier import CodeClassifier
from linework.multiclass.coding import CodingMatrix
from linework.multiclass.search import easy, search
from linework.stats import PooledMoments

FIXED = {
    "one-vs-rest": codes.one_vs_rest,
    "one-vs-one": codes.one_vs_one,
    "exhaustive": codes.exhaustive,
}
DRAWN = {
    "random": codes.dense_random,
    "sparse-random": codes.sparse_random,
    "bch": codes.bch,
    "search": search,
}
NAMES = (*FIXED, *DRAWN, "easy")


class OutputCodeClassifier(CodeClassifier):
    """Error-correcting output codes: classes as words, a learner for each letter.

    A coding matrix gives each of K classes a word of M letters, +1, −1 or 0. Learner m tells the
    classes with +1 in column m from those with −1. A row is of the class whose word is nearest to
    what the M learners say, so that some of them may err (Dietterich and Bakiri, 1995; Allwein,
    Schapire and Singer, 2000).

    Parameters
    ----------
    estimator : estimator, default=None
        As in `OneVsOneClassifier`.
    code_size : float, default=1.5
        M / K, for codes whose length is free: M = ⌊K · code_size⌋. No more columns are taken than
        there are different ones: 2^(K−1) − 1 without zeros.
    code : str or array of shape (K, M), default="random"
        The matrix, or how to make one:

        * ``"one-vs-rest"``, ``"one-vs-one"``, ``"exhaustive"`` (all dichotomies, up to 15 classes);
        * ``"random"``: ±1 with equal chances; ``"sparse-random"``: half the entries zeros. Each
          column is the best of 64 draws;
        * ``"bch"``: words of a BCH code, of length 2^m − 1 ≥ M before columns that are constant or
          repeated are left out;
        * ``"search"``: of the largest smallest distance, by comparing all, or by annealing;
        * ``"easy"``: of dichotomies that least squares solves well, by the moments of the classes,
          among those that part classes whose words are near. Columns of X are numbers then.
    decoder : str, default="euclidean"
        Which word is nearest to the learners' scores f:

        * ``"hamming"``: Σ_m ½ (1 − sign f_m · c_km), a zero being half an error; ties are broken by
          Σ_m c_km f_m;
        * ``"euclidean"``: ‖f − c_k‖;
        * ``"attenuated-hamming"``, ``"attenuated-euclidean"``: means over the letters that are not
          zero, for the second of scores cut to [−1, 1];
        * ``"loss"``: Σ_m ln(1 + exp(−c_km f_m));
        * ``"loss-weighted"``: the same without zeros, each learner counting by how often it is
          right of the class's training rows (Escalera, Pujol and Radeva, 2010).
    coupling : {"bradley-terry", "least-squares"}, default="bradley-terry"
        How `predict_proba` joins the probabilities of the dichotomies (Huang, Weng and Lin, 2006).
    random_state : int, RandomState or None, default=None
        Of codes that are drawn.
    n_jobs : int, default=None
        Processes for learners that are fitted one by one.

    Attributes
    ----------
    classes_ : array of shape (K,)
    n_classes_ : int
    code_book_ : array of shape (K, M)
    estimators_ : sequence of M estimators
    minimum_distance_ : float
        Δ, the smallest distance of two words: see `linework.multiclass.coding.CodingMatrix`.
    n_corrected_ : int
        The t < Δ / 2 learners that may err, whichever they are, with Hamming decoding.
    pairwise_indices_ : list of arrays or None
        As in `OneVsOneClassifier`.

    Notes
    -----
    Learners that are solved from moments share one pass, whatever M: with a code without zeros they
    even share one factorisation. Decisions cost n M (d + K) operations.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from linework import OutputCodeClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = OutputCodeClassifier(code="search", decoder="hamming", random_state=0).fit(X, y)
    >>> model.code_book_.shape, model.minimum_distance_, model.n_corrected_
    ((10, 15), 8.0, 3)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        code_size: float = 1.5,
        code: Any = "random",
        decoder: str = "euclidean",
        coupling: str = "bradley-terry",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.code_size = code_size
        self.code = code
        self.decoder = decoder
        self.coupling = coupling
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _code(self, X: Any, number: Array, n_classes: int, params: dict[str, Any]) -> CodingMatrix:
        if not isinstance(self.code, str):
            return CodingMatrix.checked(self.code, n_classes)
        if self.code not in NAMES:
            raise ValueError(
                f"code is {self.code!r}; {', '.join(NAMES)} or a matrix of −1, 0 and +1 with a row "
                "for each class are expected."
            )
        if self.code in FIXED:
            return CodingMatrix(FIXED[self.code](n_classes))
        check_scalar(self.code_size, "code_size", Real, min_val=0.0, include_boundaries="neither")
        length = int(n_classes * self.code_size)
        codes.check_length(n_classes, length)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        rng = np.random.default_rng(seed)
        if self.code in DRAWN:
            return CodingMatrix(DRAWN[self.code](n_classes, length, rng))
        table = self._read(X, sample_weight=params.get("sample_weight"), reset=True)
        stats = map_reduce(table.with_group(number), PooledMoments.from_block)
        return CodingMatrix(easy(stats, length, rng))
