"""`Design` as a scikit-learn transformer: its conventions, policies and what it says of itself."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from frames import dense, every_frame
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import linework
from linework import (
    GLM,
    Design,
    LinearRegression,
    LogisticRegression,
    Nominal,
    Numeric,
    Ordinal,
    Polynomial,
    Ridge,
    Spline,
    infer,
)
from linework.design.frame import STEP, as_frame
from linework.design.statistics import Levels, Spread


# What the checks skip needs array libraries that are not among the test requirements.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [Design(), Design(scale=True, dtype="float32"), Design(missing="indicator", sparse=False)]
)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


def mixed(n: int = 300, seed: int = 0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 80, n).tolist(),
        "sex": rng.choice(["f", "m"], n).tolist(),
        "region": rng.choice(["north", "east", "south", "west"], n).tolist(),
        "dose": rng.standard_normal(n).tolist(),
        "smoker": (rng.random(n) < 0.3).tolist(),
    }


def target(data: dict[str, list[Any]]) -> np.ndarray:
    noise = np.random.default_rng(9).standard_normal(len(data["age"]))
    return 0.1 * np.array(data["age"]) + 2.0 * (np.array(data["sex"]) == "m") + noise


class TestAgainstScikitLearn:
    @every_frame
    def test_scaled_numbers_and_all_levels(self, as_data_frame: Any) -> None:
        data = mixed(2 * STEP + 5)
        rows = pd.DataFrame(data)
        peer = ColumnTransformer(
            [
                ("age", StandardScaler(), ["age"]),
                ("levels", OneHotEncoder(), ["sex", "region"]),
                ("dose", StandardScaler(), ["dose"]),
                ("smoker", "passthrough", ["smoker"]),
            ]
        )
        expected = dense(peer.fit_transform(rows)).astype(float)
        for sparse in (False, True):
            Z = Design(reference=False, scale=True, sparse=sparse).fit_transform(
                as_data_frame(data)
            )
            assert sp.issparse(Z) == sparse
            np.testing.assert_allclose(dense(Z), expected, rtol=1e-12, atol=1e-12)

    def test_first_level_dropped_and_unknown_ignored(self) -> None:
        rows = pd.DataFrame(mixed())[["sex", "region"]]
        other = rows.assign(region="abroad")
        peer = OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False).fit(rows)
        design = Design(unseen="ignore").fit(rows)
        np.testing.assert_array_equal(design.transform(rows), peer.transform(rows))
        with pytest.warns(UserWarning, match="unknown categories"):
            expected = peer.transform(other)
        np.testing.assert_array_equal(design.transform(other), expected)


class TestOutput:
    @every_frame
    def test_every_frame_gives_the_same_model(self, as_data_frame: Any) -> None:
        data = mixed()
        model = make_pipeline(Design({"age": "spline"}), LinearRegression())
        expected = clone(model).fit(pd.DataFrame(data), target(data))
        model.fit(as_data_frame(data), target(data))
        np.testing.assert_array_equal(model[-1].coef_, expected[-1].coef_)
        np.testing.assert_array_equal(
            model[0].get_feature_names_out(), expected[0].get_feature_names_out()
        )

    def test_sparse_and_dense_and_single_precision_are_the_same_numbers(self) -> None:
        rows = pd.DataFrame(mixed())
        terms = {("age", "region"): "interaction", "dose": Polynomial(2)}
        for settings in ({}, {"reference": False}, {"unseen": "indicator"}):
            full = Design(terms, sparse=False, **settings).fit_transform(rows)
            thin = Design(terms, sparse=True, **settings).fit_transform(rows)
            assert thin.has_canonical_format
            thin.check_format(full_check=True)
            np.testing.assert_array_equal(thin.toarray(), full)
            single = Design(terms, sparse=True, dtype="float32", **settings).fit_transform(rows)
            assert single.dtype == np.float32
            np.testing.assert_array_equal(single.toarray(), full.astype(np.float32))

    def test_sparse_is_chosen_where_it_is_smaller(self) -> None:
        rows = pd.DataFrame({"a": [f"level {k % 20}" for k in range(100)]})
        assert sp.issparse(Design().fit_transform(rows))
        assert not sp.issparse(Design().fit_transform(pd.DataFrame(mixed())))

    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    def test_names_go_into_data_frames(self, kind: str) -> None:
        rows = pd.DataFrame({"a": [f"level {k % 20}" for k in range(100)], "x": np.arange(100.0)})
        design = Design().set_output(transform=kind)
        Z = design.fit_transform(rows)
        assert list(Z.columns) == list(design.get_feature_names_out())
        np.testing.assert_array_equal(np.asarray(Z), dense(Design().fit_transform(rows)))

    @pytest.mark.parametrize("n", [STEP - 1, STEP, 2 * STEP + 1])
    def test_any_number_of_threads_gives_the_same_bits(self, n: int) -> None:
        rows = pd.DataFrame(mixed(n))
        results = []
        for threads in (1, 3):
            with linework.threads(threads):
                results.append(Design({"dose": "spline"}, scale=True).fit_transform(rows))
        np.testing.assert_array_equal(results[0], results[1])

    def test_rows_of_many_blocks_follow_one_another(self) -> None:
        """Rows of unequal numbers of entries, over block ends."""
        rows = pd.DataFrame(mixed(2 * STEP + 7))
        thin = Design(sparse=True).fit_transform(rows)
        thin.check_format(full_check=True)
        np.testing.assert_array_equal(thin.toarray(), Design(sparse=False).fit_transform(rows))

    def test_copies(self) -> None:
        rows = pd.DataFrame(mixed())
        design = Design({"age": Spline(4), "sex": ["f", "m"], "dose": "fourier"}).fit(rows)
        again = pickle.loads(pickle.dumps(design))
        np.testing.assert_array_equal(again.transform(rows), design.transform(rows))
        with pytest.raises(NotFittedError):
            clone(design).transform(rows)

    def test_nothing_stored_grows_with_the_rows(self) -> None:
        sizes = [len(pickle.dumps(Design().fit(pd.DataFrame(mixed(n))))) for n in (200, 2000)]
        assert sizes[0] == sizes[1]


class TestStatistics:
    def test_any_split_merges_to_the_whole(self) -> None:
        rng = np.random.default_rng(3)
        x = np.where(rng.random(100) < 0.2, np.nan, 1e8 + rng.standard_normal(100))
        levels = rng.choice(["a", "b", "c", None], 100)
        frame = as_frame(pd.DataFrame({"x": x, "a": levels}))
        for cut in (1, 30, 99):
            parts = [(0, cut), (cut, 100)]
            left, right = (
                (
                    Spread.from_columns([frame.columns[0].part(*part)]),
                    Levels.from_columns([frame.columns[1].part(*part)]),
                )
                for part in parts
            )
            spread, found = left[0] + right[0], left[1] + right[1]
            seen = x[~np.isnan(x)]
            assert spread.count == len(seen)
            assert spread.missing == 100 - len(seen)
            np.testing.assert_allclose(spread.mean, seen.mean(), rtol=1e-15)
            np.testing.assert_allclose(spread.deviation, seen.std(), rtol=1e-7)
            assert (spread.low, spread.high) == (seen.min(), seen.max())
            assert found.table() == {a: int((levels == a).sum()) for a in "abc"}
            assert found.missing == sum(level is None for level in levels)


class TestPolicies:
    ROWS = pd.DataFrame({"a": ["u", "v", "w"], "x": [1.0, 2.0, 6.0], "t": [True, True, False]})
    GAPS = pd.DataFrame({"a": ["v", None, "z"], "x": [1.0, np.nan, 4.0], "t": [True, None, False]})

    @pytest.mark.parametrize(
        ("policy", "expected"),
        [
            ("reference", [[1, 0, 1, 1], [0, 0, 3, 0], [0, 0, 4, 0]]),
            ("ignore", [[1, 0, 1, 1], [0, 0, 0, 0], [0, 0, 4, 0]]),
            (
                "indicator",
                [[1, 0, 0, 0, 1, 0, 1, 0], [0, 0, 1, 0, 3, 1, 0, 1], [0, 0, 0, 1, 4, 0, 0, 0]],
            ),
        ],
    )
    def test_each_is_what_it_says(self, policy: str, expected: list[list[float]]) -> None:
        design = Design(missing=policy, unseen=policy).fit(self.ROWS)
        np.testing.assert_array_equal(design.transform(self.GAPS), expected)

    def test_reference_and_ignore_differ_where_every_level_has_a_column(self) -> None:
        both = {
            policy: Design(missing=policy, unseen=policy, reference=False)
            .fit(self.ROWS[["a"]])
            .transform(self.GAPS[["a"]])
            .tolist()
            for policy in ("reference", "ignore")
        }
        assert both["reference"] == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]
        assert both["ignore"] == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]

    def test_columns_may_have_their_own(self) -> None:
        terms = {
            "a": Nominal(missing="ignore", unseen="indicator"),
            "x": Numeric(missing="indicator"),
            "t": Numeric(missing="reference"),
        }
        design = Design(terms).fit(self.ROWS)
        assert list(design.get_feature_names_out()) == [
            *("a=v", "a=w", "a is unseen", "x", "x is missing", "t")
        ]
        Z = design.transform(self.GAPS)
        np.testing.assert_array_equal(
            Z, [[1, 0, 0, 1, 0, 1], [0, 0, 0, 3, 1, 0], [0, 0, 1, 4, 0, 0]]
        )

    def test_missing_and_unseen_differ(self) -> None:
        rows = self.ROWS[["a"]]
        for missing, unseen, expected in (
            ("reference", "ignore", [[0, 1, 0], [1, 0, 0], [0, 0, 0]]),
            ("ignore", "reference", [[0, 1, 0], [0, 0, 0], [1, 0, 0]]),
        ):
            design = Design(missing=missing, unseen=unseen, reference=False).fit(rows)
            np.testing.assert_array_equal(design.transform(self.GAPS[["a"]]), expected)

    def test_functions_of_a_group_are_ignored_where_any_column_has_a_gap(self) -> None:
        rows = pd.DataFrame({"x": [1.0, np.nan, 3.0], "z": [np.nan, 5.0, 6.0]})
        Z = Design({("x", "z"): Polynomial(2)}, missing="ignore").fit_transform(rows)
        np.testing.assert_array_equal(Z, [[0] * 5, [0] * 5, [3, 6, 9, 18, 36]])

    def test_ordinal_levels(self) -> None:
        for policy, expected in (
            ("reference", [[2.0], [1.0], [1.0]]),
            ("ignore", [[2.0], [0.0], [0.0]]),
            ("indicator", [[2.0, 0, 0], [0.0, 1, 0], [0.0, 0, 1]]),
        ):
            order = Ordinal({"u": 1, "v": 2, "w": 5}, missing=policy, unseen=policy)
            Z = Design({"a": order}).fit(self.ROWS[["a"]]).transform(self.GAPS[["a"]])
            np.testing.assert_array_equal(Z, expected)

    def test_the_mean_is_put_in_before_functions_are_taken(self) -> None:
        design = Design({"x": Polynomial(2, missing="reference")}).fit(self.ROWS[["x"]])
        np.testing.assert_array_equal(design.transform(self.GAPS[["x"]])[1], [3.0, 9.0])

    @pytest.mark.parametrize("start", [0, STEP + 3])
    def test_an_error_names_column_level_and_row(self, start: int) -> None:
        rows = pd.DataFrame({"a": ["u"] * start + ["v", "u", "v"], "x": np.arange(start + 3.0)})
        design = Design().fit(rows)
        unseen = rows.assign(a=[*rows["a"][:-1], "z"])
        with pytest.raises(
            ValueError, match=rf"'a' has the level 'z', .*'u', 'v'.* row {start + 2}:"
        ):
            design.transform(unseen)
        gap = rows.assign(a=[*rows["a"][:-1], None])
        for fails in (design.transform, Design().fit, Design().fit_transform):
            with pytest.raises(ValueError, match=rf"'a' has a missing value .* row {start + 2}:"):
                fails(gap)
        infinite = rows.assign(x=[*rows["x"][:-1], np.inf])
        for fails in (design.transform, Design().fit):
            with pytest.raises(ValueError, match=rf"'x' has an infinity .* row {start + 2},"):
                fails(infinite)

    def test_levels_that_were_given_bind_the_fit(self) -> None:
        with pytest.raises(ValueError, match=r"'a' has the level 'w'.* row 2"):
            Design({"a": ["u", "v"]}).fit(self.ROWS)

    def test_a_level_of_the_type_that_no_row_has_is_no_error(self) -> None:
        rows = pl.DataFrame({"a": pl.Series(["u", "v"], dtype=pl.Enum(["u", "v"]))})
        more = pl.DataFrame({"a": pl.Series(["v", "u"], dtype=pl.Enum(["u", "v", "z"]))})
        np.testing.assert_array_equal(Design().fit(rows).transform(more), [[1.0], [0.0]])


class TestSentences:
    ROWS = pd.DataFrame({"a": ["u", "v"], "x": [1.0, 2.0]})

    @pytest.mark.parametrize(
        ("terms", "sentence"),
        [
            (3, "a formula or a dictionary"),
            ({"z": "nominal"}, "column 'z', which is none of the table's: 'a', 'x'"),
            ({"a": "onehot"}, "'onehot', and one of 'numeric', 'nominal'"),
            ({"a": "numeric"}, "'a' holds text.*'drop'"),
            ({"a": "spline"}, "'a' holds text.*'drop'"),
            ({"a": "dates"}, "'a' holds text"),
            ({"x": "dates"}, "'x' holds numbers, and dates are expected"),
            ({"a": "ordinal"}, "its type declares no order: give its levels"),
            ({"a": ["u", "u"]}, "'u' is listed twice"),
            ({"x": ["u", "v"]}, "'x' holds numbers, and its levels are such as 'u'"),
            ({"a": Nominal(reference="z")}, "'z', which is none of its levels 'u', 'v'"),
            ({("a", "x"): "nominal"}, "Nominal is of one column"),
            ({("a", "x"): "interaction", "a": "drop"}, "'a' is part of an interaction"),
            ({"a": "drop", "x": "drop"}, "keep at least one"),
            ({"x": "interaction"}, "of several columns, and 'x' is one"),
            ({"a": ["u", 1]}, "text and numbers"),
            ({"a": {"u": "low", "v": 2}}, "values of levels"),
        ],
    )
    def test_terms(self, terms: Any, sentence: str) -> None:
        with pytest.raises((ValueError, TypeError), match=sentence):
            Design(terms).fit(self.ROWS)

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"missing": "drop"}, "missing is 'drop', and one of 'error', 'reference'"),
            ({"unseen": None}, "unseen is None"),
            ({"reference": "u"}, r"Nominal\(reference="),
            ({"sparse": "yes"}, "sparse is 'yes'"),
            ({"dtype": "int8"}, "'float64' or 'float32' is expected"),
        ],
    )
    def test_settings(self, settings: Any, sentence: str) -> None:
        with pytest.raises(ValueError, match=sentence):
            Design(**settings).fit(self.ROWS)

    def test_two_features_of_one_name(self) -> None:
        rows = pd.DataFrame({"x": [1.0, 2.0], "x^2": [1.0, 2.0]})
        with pytest.raises(ValueError, match=r"Two features have the name 'x\^2'"):
            Design({"x": "polynomial"}).fit(rows)

    @pytest.mark.parametrize(
        "settings", [{"scale": True}, {"missing": "reference"}, {"terms": {"x": "spline"}}]
    )
    def test_numbers_whose_squares_leave_float64(self, settings: Any) -> None:
        rows = pd.DataFrame({"x": [1e300, -1e300]})
        np.testing.assert_array_equal(Design().fit_transform(rows), rows)
        with pytest.raises(ValueError, match="'x' has numbers so large"):
            Design(**settings).fit(rows)

    def test_numbers_that_leave_float32_or_whose_powers_leave_float64(self) -> None:
        for design, x in ((Design(dtype="float32"), 1e39), (Design({"x": Polynomial(9)}), 1e100)):
            for sparse in (False, True):
                with pytest.raises(ValueError, match=r"rows 0 to 1.*too large for float"):
                    design.set_params(sparse=sparse).fit_transform(pd.DataFrame({"x": [x, 1.0]}))

    def test_a_column_of_another_kind(self) -> None:
        design = Design().fit(self.ROWS)
        with pytest.raises(ValueError, match="'x' holds text, and held numbers"):
            design.transform(self.ROWS.assign(x=["1", "2"]))


class TestInPipelines:
    def test_search_over_terms_learns_levels_in_each_fold(self) -> None:
        data = mixed()
        rows, y = pd.DataFrame(data), target(data)
        model = make_pipeline(Design(), Ridge())
        choices = [None, {"age": Polynomial(2)}, {"age": Spline(4)}]
        search = GridSearchCV(model, {"design__terms": choices, "ridge__alpha": [0.1, 1.0]}, cv=3)
        search.fit(rows, y)
        assert search.best_score_ > 0.7
        np.testing.assert_allclose(
            search.best_score_, cross_val_score(search.best_estimator_, rows, y, cv=3).mean()
        )

    def test_a_level_of_the_test_rows_alone_is_unseen(self) -> None:
        rows = pd.DataFrame({"a": ["u", "v"] * 5 + ["z"], "x": np.arange(11.0)})
        split = [(np.arange(10), np.arange(10, 11))]
        for policy in ("error", "ignore"):
            model = make_pipeline(Design(unseen=policy), Ridge())
            if policy == "error":
                with pytest.raises(ValueError, match=r"'z'.* row 0"):
                    cross_val_score(model, rows, rows["x"], cv=split, error_score="raise")
            else:
                model.fit(rows[:10], rows["x"][:10])
                assert model[0].get_feature_names_out().tolist() == ["a=v", "x"]
                assert np.isfinite(model.predict(rows)).all()

    def test_inference_has_the_names_of_the_design(self) -> None:
        data = mixed()
        rows, y = pd.DataFrame(data), target(data)
        design = Design({"region": Nominal(reference="west")})
        Z = design.set_output(transform="pandas").fit_transform(rows)
        expected = str(infer(LinearRegression().fit(Z, y), Z, y))
        assert "region=north" in expected
        plain = clone(design).set_output(transform="default")
        for first in (design, plain, plain.set_params(sparse=True)):
            model = make_pipeline(first, LinearRegression()).fit(rows, y)
            result = infer(model, rows, y)
            assert str(result) == expected
            fitted = result.predict(model[:-1].transform(rows[:5]))
            np.testing.assert_allclose(fitted, model.predict(rows[:5]))
        one = (y > y.mean()).astype(int)
        for last, wanted in ((GLM("binomial"), one), (LogisticRegression(C=np.inf), one)):
            model = make_pipeline(plain, last).fit(rows, wanted)
            assert "region=north" in str(infer(model, rows, wanted))
            assert not hasattr(model[-1], "_names_from_pipeline")


class TestOrigins:
    def test_each_coefficient_is_about_columns_and_levels(self) -> None:
        rows = pd.DataFrame(mixed())
        terms = {
            "age": Spline(3, degree=1),
            "dose": "drop",
            ("sex", "smoker"): "interaction",
            "region": Nominal(missing="indicator"),
        }
        design = Design(terms).fit(rows)
        found = [(o.name, o.columns, o.levels) for o in design.origins()]
        assert found == [
            ("spline(age, 1)", ("age",), (None,)),
            ("spline(age, 2)", ("age",), (None,)),
            ("sex=m", ("sex",), ("m",)),
            ("region=north", ("region",), ("north",)),
            ("region=south", ("region",), ("south",)),
            ("region=west", ("region",), ("west",)),
            ("region is missing", ("region",), ("missing",)),
            ("smoker", ("smoker",), (None,)),
            ("sex=m:smoker", ("sex", "smoker"), ("m", None)),
        ]
        assert [name for name, _, _ in found] == design.get_feature_names_out().tolist()

    @pytest.mark.parametrize("sparse", [False, True])
    def test_a_product_is_that_of_the_columns_in_its_name(self, sparse: bool) -> None:
        rows = pd.DataFrame(mixed())
        rows.loc[::7, ["sex", "region"]] = None
        gaps = Nominal(missing="indicator", unseen="indicator")
        terms = {
            "region": gaps,
            "sex": gaps,
            "age": Spline(3),
            "smoker": "drop",
            ("region", "sex"): "interaction",
            ("age", "region"): "interaction",
            ("region", "age"): "interaction",
            ("sex", "region", "dose"): "interaction",
        }
        design = Design(terms, sparse=sparse).fit(rows)
        Z = dense(design.transform(rows))
        place = {name: k for k, name in enumerate(design.get_feature_names_out())}
        products = [name for name in place if ":" in name]
        assert len(products) == 5 * 3 + 2 * (4 * 5) + 3 * 5
        for name in products:
            factors = [Z[:, place[factor]] for factor in name.split(":")]
            np.testing.assert_array_equal(Z[:, place[name]], np.prod(factors, axis=0))

    def test_numbers_as_levels(self) -> None:
        design = Design({"a": Nominal(reference=2)}).fit(pd.DataFrame({"a": [1, 2, 30]}))
        assert list(design.get_feature_names_out()) == ["a=1", "a=30"]
        Z = design.transform(pd.DataFrame({"a": [30.0, 1.0, 2.0]}))
        np.testing.assert_array_equal(Z, [[0, 1], [1, 0], [0, 0]])
