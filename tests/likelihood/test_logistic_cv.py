"""`LogisticRegressionCV`: each fold's fits are fits from scratch, and the best of them is taken."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegressionCV as Peer
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)

from linework import LogisticRegression, LogisticRegressionCV, threads

Array = np.ndarray
CS = (0.01, 0.1, 1.0, 10.0)


def data(classes: int = 2, n: int = 150, d: int = 5, seed: int = 0) -> tuple[Array, Array]:
    """Rows on unequal scales, and classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    z = X @ rng.standard_normal(d) + 1.5 * rng.standard_normal(n)
    return X * np.geomspace(0.3, 3.0, d) + 1.0, np.digitize(
        z, np.quantile(z, [0.4, 0.7][: classes - 1])
    )


def expected_line(X: Array, y: Array, w: Any = None, **params: Any) -> Array:
    """Coefficients and intercepts of a fit from scratch."""
    model = LogisticRegression(tol=1e-8, max_iter=1000, **params).fit(X, y, w)
    return np.column_stack([model.coef_, model.intercept_])


class TestFolds:
    """Coefficients and scores of every fold and penalty."""

    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("class_weight", [None, "balanced", "effective", {0: 2.0}])
    def test_are_fits_from_scratch(
        self, classes: int, l1_ratio: float, weighted: bool, class_weight: Any
    ) -> None:
        X, y = data(classes)
        w = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
        model = LogisticRegressionCV(
            Cs=CS, l1_ratios=[l1_ratio], class_weight=class_weight, cv=3, tol=1e-8
        ).fit(X, y, w)
        for f, (train, _) in enumerate(StratifiedKFold(3).split(X, y)):
            for c, C in enumerate(CS):
                line = expected_line(
                    X[train],
                    y[train],
                    None if w is None else w[train],
                    C=C,
                    l1_ratio=l1_ratio,
                    class_weight=class_weight,
                )
                atol = 1e-6 * np.abs(line).max()
                assert_allclose(model.coefs_paths_[f, 0, c], line, rtol=1e-6, atol=atol)

    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_shapes_are_the_peers_modern_ones(self, fit_intercept: bool) -> None:
        X, y = data(3)
        params = {
            "Cs": [1.0, 0.1, 10.0],
            "l1_ratios": (0.0,),
            "cv": 4,
            "fit_intercept": fit_intercept,
        }
        ours = LogisticRegressionCV(**params).fit(X, y)
        peer = Peer(**params, scoring="neg_log_loss", use_legacy_attributes=False).fit(X, y)
        for name in ("scores_", "coefs_paths_", "n_iter_", "Cs_", "l1_ratios_", "coef_"):
            assert getattr(ours, name).shape == getattr(peer, name).shape, name
        assert isinstance(ours.C_, float)
        assert isinstance(ours.l1_ratio_, float)

    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy", None, "neg_brier_score"])
    def test_scores_are_the_scorers_of_fits_from_scratch(self, classes: int, scoring: Any) -> None:
        X, y = data(classes)
        model = LogisticRegressionCV(Cs=CS, scoring=scoring).fit(X, y)
        for c, C in enumerate(CS):
            scratch = LogisticRegression(C=C)
            own = cross_val_score(scratch, X, y, scoring=scoring, cv=StratifiedKFold(5))
            assert_allclose(model.scores_[:, 0, c], own, rtol=1e-6)

    def test_order_of_penalties_is_the_callers(self) -> None:
        X, y = data()
        mixed, sorted_ = (
            LogisticRegressionCV(Cs=Cs, l1_ratios=(0.0, 0.5)).fit(X, y)
            for Cs in ([1.0, 0.01, 10.0], [0.01, 1.0, 10.0])
        )
        assert_array_equal(mixed.scores_, sorted_.scores_[:, :, [1, 0, 2]])
        assert_array_equal(mixed.coefs_paths_, sorted_.coefs_paths_[:, :, [1, 0, 2]])
        assert mixed.C_ == sorted_.C_

    def test_few_iterations_along_a_path(self) -> None:
        X, y = load_iris(return_X_y=True)
        model = LogisticRegressionCV(Cs=np.logspace(-4, 4, 20)).fit(X, y)
        assert model.n_iter_.max() < 20

    def test_sparse_rows_are_as_dense_ones(self) -> None:
        X, y = data(3)
        X[np.abs(X) < 0.7] = 0.0
        dense, sparse = (LogisticRegressionCV(Cs=CS).fit(rows, y) for rows in (X, sp.csr_array(X)))
        assert_allclose(dense.scores_, sparse.scores_, rtol=1e-6)

    def test_unpenalised_fits_are_among_them(self) -> None:
        X, y = data()
        model = LogisticRegressionCV(Cs=[1.0, np.inf], cv=3, tol=1e-8).fit(X, y)
        for f, (train, _) in enumerate(StratifiedKFold(3).split(X, y)):
            line = expected_line(X[train], y[train], C=np.inf)
            assert_allclose(model.coefs_paths_[f, 0, 1], line, rtol=1e-6)


class TestHeldOutRows:
    """What the training rows of a fold do not say has no part in its fits."""

    @pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
    @pytest.mark.parametrize("C", [1.0, np.inf])
    def test_held_out_rows_leave_the_fold_alone(self, l1_ratio: float, C: float) -> None:
        X, y = data()
        splits = [(np.arange(100), np.arange(100, 150))]
        params: dict[str, Any] = {
            "Cs": [0.1, C],
            "l1_ratios": [l1_ratio],
            "cv": splits,
            "tol": 1e-8,
        }
        before = LogisticRegressionCV(**params).fit(X, y)
        other = X.copy()
        other[100:] = np.random.default_rng(5).standard_normal((50, 5)) * 30.0
        y = np.where(np.arange(150) < 100, y, 1 - y)
        after = LogisticRegressionCV(**params).fit(other, y)
        assert_allclose(after.coefs_paths_, before.coefs_paths_, rtol=1e-6, atol=1e-7)

    @pytest.mark.parametrize("C", [1.0, np.inf])
    def test_a_column_that_only_held_out_rows_have_gets_no_coefficient(self, C: float) -> None:
        X, y = data()
        rare = np.where(np.arange(150) < 100, 0.0, 1.0 + np.arange(150) % 3)
        splits = [(np.arange(100), np.arange(100, 150))]
        model = LogisticRegressionCV(Cs=[C], cv=splits).fit(np.column_stack([X, rare]), y)
        assert model.coefs_paths_[0, 0, 0, 0, 5] == 0.0
        assert np.isfinite(model.scores_).all()


class TestChoice:
    """The best penalty."""

    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy"])
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_is_the_peers(self, classes: int, scoring: str, seed: int) -> None:
        X, y = data(classes, seed=seed)
        params: dict[str, Any] = {
            "Cs": 10,
            "l1_ratios": (0.0,),
            "scoring": scoring,
            "max_iter": 5000,
        }
        ours = LogisticRegressionCV(**params).fit(X, y)
        peer = Peer(**params, tol=1e-9, solver="newton-cholesky", use_legacy_attributes=False).fit(
            X, y
        )
        assert ours.C_ == peer.C_
        assert_allclose(ours.scores_, peer.scores_, rtol=1e-6)
        assert_allclose(ours.coef_, peer.coef_, rtol=1e-5, atol=1e-7)

    def test_best_is_fitted_to_all_rows(self) -> None:
        X, y = data()
        model = LogisticRegressionCV(Cs=CS, l1_ratios=(0.0, 0.5, 1.0), tol=1e-8).fit(X, y)
        mean = model.scores_.mean(axis=0)
        r, c = np.unravel_index(mean.argmax(), mean.shape)
        assert (model.l1_ratio_, model.C_) == ((0.0, 0.5, 1.0)[r], CS[c])
        line = expected_line(X, y, C=model.C_, l1_ratio=model.l1_ratio_)
        assert_allclose(
            np.column_stack([model.coef_, model.intercept_]), line, rtol=1e-6, atol=1e-7
        )
        assert model.convergence_.converged

    def test_without_refit_the_folds_best_are_averaged(self) -> None:
        X, y = data(3)
        model = LogisticRegressionCV(Cs=CS, refit=False).fit(X, y)
        best = model.scores_[:, 0].argmax(axis=1)
        assert np.take(CS, best).mean() == model.C_
        lines = model.coefs_paths_[np.arange(5), 0, best].mean(axis=0)
        assert_allclose(np.column_stack([model.coef_, model.intercept_]), lines)

    def test_one_standard_error_takes_the_strongest_penalty_within_it(self) -> None:
        X, y = data(n=80)
        Cs = np.logspace(-3, 3, 30)
        best, simple = (LogisticRegressionCV(Cs=Cs, rule=rule).fit(X, y) for rule in ("min", "1se"))
        mean = best.scores_[:, 0].mean(axis=0)
        c = mean.argmax()
        error = best.scores_[:, 0, c].std(ddof=1) / np.sqrt(5)
        within = Cs[mean >= mean[c] - error]
        assert within.min() == simple.C_
        assert simple.C_ < best.C_

    def test_scores_that_are_no_numbers_lose(self) -> None:
        X, y = data()

        def scorer(model: Any, X: Any, y: Any) -> float:
            return np.nan if np.abs(model.coef_).max() > 0.2 else 0.0

        with pytest.warns(UserWarning, match="not numbers"):
            model = LogisticRegressionCV(Cs=CS, scoring=scorer).fit(X, y)
        assert min(CS) == model.C_


class TestSplits:
    """Any splitter, groups, folds without a class."""

    @pytest.mark.parametrize(
        "cv", [2, ShuffleSplit(3, random_state=0), [(np.arange(90), np.arange(80, 150))]]
    )
    def test_any_splits(self, cv: Any) -> None:
        X, y = data()
        model = LogisticRegressionCV(Cs=[0.1], cv=cv).fit(X, y)
        splits = (
            cv
            if isinstance(cv, list)
            else list((StratifiedKFold(2) if cv == 2 else cv).split(X, y))
        )
        assert len(model.scores_) == len(splits)
        for f, (train, _) in enumerate(splits):
            line = expected_line(X[train], y[train], C=0.1)
            assert_allclose(model.coefs_paths_[f, 0, 0], line, rtol=1e-6)

    def test_masks_are_positions(self) -> None:
        X, y = data()
        train = np.arange(150) % 3 > 0
        masks, positions = (
            LogisticRegressionCV(Cs=CS, cv=[split]).fit(X, y)
            for split in ((train, ~train), (np.flatnonzero(train), np.flatnonzero(~train)))
        )
        assert_array_equal(masks.scores_, positions.scores_)

    def test_groups_reach_the_splitter(self) -> None:
        X, y = data()
        groups = np.arange(150) % 4
        with sklearn.config_context(enable_metadata_routing=True):
            model = LogisticRegressionCV(Cs=CS, cv=LeaveOneGroupOut()).fit(X, y, groups=groups)
            by_hand = LogisticRegressionCV(Cs=CS, cv=list(GroupKFold(4).split(X, y, groups)))
        assert_allclose(
            np.sort(model.scores_, axis=0), np.sort(by_hand.fit(X, y).scores_, axis=0), rtol=1e-6
        )

    def test_a_class_missing_from_training_rows_is_never_likely(self) -> None:
        X, y = data(3)
        rest, third = np.flatnonzero(y < 2), np.flatnonzero(y == 2)
        model = LogisticRegressionCV(Cs=[1.0], cv=[(rest, third)], scoring="accuracy").fit(X, y)
        assert_array_equal(model.scores_, 0.0)
        # Two rows of coefficients, ±w/2, are penalised half as much as one row w.
        between = model.coefs_paths_[0, 0, 0, 1] - model.coefs_paths_[0, 0, 0, 0]
        assert_allclose([between], expected_line(X[rest], y[rest], C=2.0), rtol=1e-5)


class TestWeights:
    """Zero removes a row, two counts it twice, in training and in scores."""

    def test_weight_zero_is_a_removed_row(self) -> None:
        X, y = data(3)
        w = (np.arange(150) % 5 > 0).astype(float)
        kept = np.flatnonzero(w)
        splits = [(np.arange(100), np.arange(100, 150))]
        number = np.cumsum(w).astype(int) - 1
        fewer = [tuple(number[part[w[part] > 0]] for part in splits[0])]
        X[w == 0] = np.nan
        weighted = LogisticRegressionCV(Cs=CS, cv=splits).fit(X, y, w)
        removed = LogisticRegressionCV(Cs=CS, cv=fewer).fit(X[kept], y[kept])
        assert_allclose(weighted.scores_, removed.scores_, rtol=1e-6)
        assert_allclose(weighted.coef_, removed.coef_, rtol=1e-6)

    def test_weight_two_is_a_row_twice(self) -> None:
        X, y = data()
        w = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
        twice = np.repeat(np.arange(150), w.astype(int))
        train = np.arange(150) < 100
        weighted = LogisticRegressionCV(Cs=CS, cv=[(train, ~train)]).fit(X, y, w)
        repeated = LogisticRegressionCV(Cs=CS, cv=[(train[twice], ~train[twice])])
        repeated.fit(X[twice], y[twice])
        assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-6)
        assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6)

    @pytest.mark.parametrize("asked", [False, True])
    def test_routing_decides_whether_the_scorer_has_weights(self, asked: bool) -> None:
        X, y = data()
        w = np.random.default_rng(2).uniform(0.1, 4.0, 150)
        train = np.arange(150) < 100
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = get_scorer("accuracy").set_score_request(sample_weight=asked)
            model = LogisticRegressionCV(Cs=[1.0], cv=[(train, ~train)], scoring=scorer)
            model.fit(X, y, sample_weight=w)
        own = LogisticRegression().fit(X[train], y[train], w[train])
        score = own.score(X[~train], y[~train], w[~train] if asked else None)
        assert_allclose(model.scores_[0, 0, 0], score)


class TestBehaviour:
    """Same data, same bits; words for wrong requests."""

    def test_same_bits_on_any_threads(self) -> None:
        X, y = data(n=20_000, d=40)
        results = []
        for n in (1, 2):
            with threads(n):
                results.append(LogisticRegressionCV(Cs=3, cv=3).fit(X, y))
        for name in ("coef_", "intercept_", "scores_", "coefs_paths_"):
            assert_array_equal(*(getattr(model, name) for model in results))

    def test_score_is_the_scorers(self) -> None:
        X, y = data()
        model = LogisticRegressionCV(Cs=CS, scoring="neg_brier_score").fit(X, y)
        assert model.score(X, y) == get_scorer("neg_brier_score")(model, X, y)
        w = np.arange(150.0)
        assert model.score(X, y, w) == get_scorer("neg_brier_score")(model, X, y, sample_weight=w)

    def test_scorer_sees_rows_and_model(self) -> None:
        X, y = data()

        def scorer(model: Any, rows: Any, labels: Any) -> float:
            assert rows.shape[1] == 5
            assert set(labels) <= {"no", "yes"}
            return float((model.predict(rows) == labels).mean())

        labels = np.array(["no", "yes"])[y]
        seen = LogisticRegressionCV(Cs=CS, scoring=scorer).fit(X, labels)
        known = LogisticRegressionCV(Cs=CS, scoring="accuracy").fit(X, labels)
        assert_array_equal(seen.scores_, known.scores_)

    def test_unfinished_folds_are_told(self) -> None:
        X, y = data()
        with pytest.warns(ConvergenceWarning) as told:
            LogisticRegressionCV(Cs=[1.0, 100.0], max_iter=1).fit(X, y)
        assert "10 of the 10 fits along the penalties did not converge" in str(told[-1].message)

    def test_finished_folds_are_silent(self) -> None:
        X, y = load_iris(return_X_y=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            LogisticRegressionCV().fit(X, y)

    @pytest.mark.parametrize(
        ("params", "words"),
        [
            ({"Cs": 0}, "Cs"),
            ({"Cs": []}, "Cs is"),
            ({"Cs": [1.0, -1.0]}, r"Cs\[1\]"),
            ({"Cs": 2.5}, "Cs is 2.5"),
            ({"l1_ratios": (0.0, 1.5)}, r"l1_ratios\[1\]"),
            ({"l1_ratios": 0.5}, "l1_ratios is 0.5"),
            ({"rule": "best"}, "rule is 'best'"),
            ({"rule": "1se", "refit": False}, "refit=True"),
            ({"tol": 0.0}, "tol"),
        ],
    )
    def test_wrong_requests_are_refused(self, params: dict[str, Any], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            LogisticRegressionCV(**params).fit(*data())

    def test_one_class_is_refused(self) -> None:
        X, _ = data()
        with pytest.raises(ValueError, match="LogisticRegressionCV tells two or more"):
            LogisticRegressionCV().fit(X, np.zeros(150))
