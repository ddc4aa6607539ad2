"""Run the peers' own tests of behaviour with linework's classes in the place of theirs.

    python bench/peer_suites.py [--suite NAME] [-k EXPR] [--verbose]

The test modules are those of the installed scikit-learn and imbalanced-learn, unchanged. Each name
is swapped for a stand-in: linework's class, which also accepts the peer's parameters that only pick
an algorithm, and drops them. So a test of `Ridge(solver="svd")` still checks what ridge regression
must do.
A test is *not applicable* when it uses nothing of linework's, when it needs a parameter linework
lacks on purpose, or when `EXPLAINED` says why linework answers differently. Every other failure is
a defect, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from textwrap import shorten
from types import ModuleType
from typing import Any

import peer_models
import pytest
import sklearn

import linework

# Test module -> {name in that module: attribute of peer_models, or else of linework}.
SUITES: dict[str, dict[str, str]] = {
    "sklearn.linear_model.tests.test_base": {"LinearRegression": "LinearRegression"},
    "sklearn.linear_model.tests.test_ridge": {"Ridge": "Ridge", "RidgeCV": "RidgeCV"},
    "sklearn.linear_model.tests.test_coordinate_descent": {
        "Lasso": "Lasso",
        "LassoCV": "LassoCV",
        "ElasticNet": "ElasticNet",
        "ElasticNetCV": "ElasticNetCV",
        "lasso_path": "lasso_path",
        "enet_path": "enet_path",
    },
    "sklearn.tests.test_discriminant_analysis": {
        "LinearDiscriminantAnalysis": "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis": "QuadraticDiscriminantAnalysis",
    },
    "sklearn.linear_model.tests.test_logistic": {
        "LogisticRegression": "LogisticRegression",
        "LogisticRegressionCV": "LogisticRegressionCV",
    },
    "sklearn.tests.test_multiclass": {
        "OneVsOneClassifier": "OneVsOneClassifier",
        "OneVsRestClassifier": "OneVsRestClassifier",
        "OutputCodeClassifier": "OutputCodeClassifier",
    },
    "sklearn.linear_model._glm.tests.test_glm": {
        "PoissonRegressor": "PoissonRegressor",
        "GammaRegressor": "GammaRegressor",
        "TweedieRegressor": "TweedieRegressor",
    },
    "sklearn.model_selection.tests.test_search": {"GridSearchCV": "GridSearchCV"},
    "sklearn.model_selection.tests.test_validation": {
        "cross_validate": "cross_validate",
        "cross_val_predict": "cross_val_predict",
        "learning_curve": "learning_curve",
        "validation_curve": "validation_curve",
    },
    "imblearn.under_sampling._prototype_selection.tests.test_random_under_sampler": {
        "RandomUnderSampler": "RandomUnderSampler"
    },
    "imblearn.over_sampling.tests.test_random_over_sampler": {
        "RandomOverSampler": "RandomOverSampler"
    },
    "imblearn.over_sampling.tests.test_common": {
        "SMOTE": "SMOTE",
        "SMOTENC": "SMOTENC",
        "BorderlineSMOTE": "BorderlineSMOTE",
    },
    "imblearn.over_sampling._smote.tests.test_smote": {"SMOTE": "SMOTE"},
    "imblearn.over_sampling._smote.tests.test_smote_nc": {"SMOTENC": "SMOTENC"},
    "imblearn.over_sampling._smote.tests.test_borderline_smote": {
        "BorderlineSMOTE": "BorderlineSMOTE"
    },
    "imblearn.ensemble.tests.test_easy_ensemble": {
        "EasyEnsembleClassifier": "EasyEnsembleClassifier"
    },
}

# Parameters that pick an algorithm and leave the model as it is: accepted and dropped.
DESCENT = "precompute copy_X random_state selection"
LOGISTIC = "solver dual intercept_scaling random_state n_jobs verbose"
IGNORED: dict[str, str] = {
    "LinearRegression": "copy_X n_jobs tol",
    "Ridge": "solver copy_X random_state max_iter tol",
    "RidgeCV": "gcv_mode",
    "Lasso": DESCENT,
    "ElasticNet": DESCENT,
    "LassoCV": f"{DESCENT} verbose n_jobs",
    "ElasticNetCV": f"{DESCENT} verbose n_jobs",
    "lasso_path": "precompute copy_X verbose",
    "enet_path": "precompute copy_X verbose check_input",
    "LinearDiscriminantAnalysis": "solver",
    "QuadraticDiscriminantAnalysis": "solver",
    "LogisticRegression": LOGISTIC,
    "LogisticRegressionCV": f"{LOGISTIC} use_legacy_attributes",
    "PoissonRegressor": "solver verbose",
    "GammaRegressor": "solver verbose",
    "TweedieRegressor": "solver verbose",
    "EasyEnsembleClassifier": "n_jobs verbose",
}

# Switches for the peer's convention, where linework has another one by default.
CONVENTIONS: dict[str, dict[str, Any]] = {
    "LinearDiscriminantAnalysis": {"unbiased": False},
    "QuadraticDiscriminantAnalysis": {"unbiased": False},
}

# Parameters linework lacks although a result depends on them, and why.
DESCENT_ABSENT = {
    "warm_start": "a fit depends on its data alone, never on an earlier fit",
    "check_input": "input is always checked",
}
COVARIANCE_ABSENT = {
    "covariance_estimator": "a covariance comes from moments, and an estimator of it reads rows"
}
LOGISTIC_ABSENT = {"penalty": "C and l1_ratio say it, and scikit-learn is about to drop it"}
GLM_ABSENT = {"warm_start": "wherever a fit begins, it takes about ten reads of the rows"}
ABSENT: dict[str, dict[str, str]] = {
    "RandomOverSampler": {"shrinkage": "rows are repeated as they are; SMOTE makes others"},
    "SMOTENC": {"categorical_encoder": "categories are compared, and nothing is encoded"},
    "EasyEnsembleClassifier": {"warm_start": DESCENT_ABSENT["warm_start"]},
    "Lasso": DESCENT_ABSENT,
    "ElasticNet": DESCENT_ABSENT,
    "LinearDiscriminantAnalysis": COVARIANCE_ABSENT,
    "QuadraticDiscriminantAnalysis": COVARIANCE_ABSENT,
    "LogisticRegression": LOGISTIC_ABSENT,
    "LogisticRegressionCV": LOGISTIC_ABSENT,
    "PoissonRegressor": GLM_ABSENT,
}

# Test -> (text of its error, why linework differs). `*` stands for anything, and a bare test name
# for all its cases. The text keeps an explanation to one error: any other is still a defect.
NO_OVERWRITE = "the caller's data are never overwritten, so there is no copy_X to switch it on"
NO_SOLVER = "there is no solver to choose, hence none to reject, warn about or report"
NO_GRAM = "a Gram matrix is not an input: there is none to check or to replace"
MORE = "it works here, where scikit-learn refuses"
OTHER_WORDS = "the same refusal in other words"
STOPPED = "it compares two solutions to digits that `tol` leaves open; ours is the better optimum"
LEGACY = "attributes have the shapes of use_legacy_attributes=False"
AHEAD = "scikit-learn warns of a change to come, which linework begins with"
ONE_CLASS = "one class leaves nothing to tell apart, and every classifier here says so"
DISTINCT = "three classes have three dichotomies, and no column is repeated"
PRIVATE = "it looks at scikit-learn's private parts"
NO_ENCODER = "categories are compared, and nothing is encoded"
NO_ROWS = "a fitted sampler holds no rows, so no estimator of neighbours that does"
MEMBERS = "estimators_ are ResampledClassifiers, each with its estimator_, and no pipelines"
NO_CALLBACKS = "convergence_.trace shows every iteration, so there are no callbacks"
MORE_KEYS = "results have the road taken and standard errors, too"
DESCENT_TESTS = "test_coordinate_descent::"
DISCRIMINANT_TESTS = "test_discriminant_analysis::"
EXPLAINED: dict[str, tuple[str, str]] = {
    "test_base::test_inplace_data_preprocessing[*-None]": ("> 0.42", NO_OVERWRITE),
    "test_base::test_raises_value_error_if_positive_and_sparse": ("DID NOT RAISE", MORE),
    "test_multiclass::test_constant_int_target": ("when only one class is present", ONE_CLASS),
    "test_multiclass::test_ecoc_fit_predict": ("assert 3 == (3 * 2)", DISTINCT),
    "test_multiclass::test_ecoc_delegate_sparse_base_estimator": ("assert 3 == 4", DISTINCT),
    "test_ridge::test_ridge_regression": ("assert '", NO_SOLVER),
    "test_ridge::test_regularization_limits_ridge_gcv[csr_*-svd-*]": ("DID NOT WARN", NO_SOLVER),
    "test_ridge::test_n_iter": ("", NO_SOLVER),
    "test_ridge::test_ridge_fit_intercept_sparse_error": ("DID NOT RAISE", NO_SOLVER),
    "test_ridge::test_ridge_fit_intercept_sparse_sag": ("DID NOT WARN", NO_SOLVER),
    "test_ridge::test_ridge_positive_error_test": ("DID NOT RAISE", NO_SOLVER),
    "test_ridge::test_lbfgs_solver_error": ("DID NOT WARN", NO_SOLVER),
    "test_ridge::test_ridge_cv_individual_penalties": ("DID NOT RAISE", MORE),
    DESCENT_TESTS + "test_enet_nonfinite_params": ("The numbers are too large", OTHER_WORDS),
    DESCENT_TESTS + "test_enet_l1_ratio": ("With l1_ratio=0 no penalty", OTHER_WORDS),
    DESCENT_TESTS + "test_path_unknown_parameter": ("unexpected keyword", OTHER_WORDS),
    DESCENT_TESTS + "test_lasso_alpha_warning": (
        "DID NOT WARN",
        "alpha=0 is solved in closed form, so there is nothing to warn about",
    ),
    DESCENT_TESTS + "test_path_function_deprecated_n_alphas": (
        "DID NOT WARN",
        "n_alphas, which scikit-learn deprecates, is not there to be deprecated",
    ),
    DESCENT_TESTS + "test_enet_path_positive": ("DID NOT RAISE", MORE),
    DESCENT_TESTS + "test_1d_multioutput_*_and_multitask_*_cv": ("not almost equal", STOPPED),
    DESCENT_TESTS + "test_lasso_dual_gap": (
        "Mismatched elements: 1 / 1",
        "the gap is within rounding errors of zero, and it compares seven of its digits",
    ),
    DESCENT_TESTS + "test_elasticnet_precompute_incorrect_gram": ("DID NOT RAISE", NO_GRAM),
    DESCENT_TESTS + "test_overridden_gram_matrix": ("DID NOT WARN", NO_GRAM),
    DESCENT_TESTS + "test_lassoCV_does_not_set_precompute": (
        "",
        "it replaces the Lasso inside scikit-learn's LassoCV",
    ),
    DISCRIMINANT_TESTS + "test_lda_predict": ("DID NOT RAISE NotImplementedError", NO_SOLVER),
    DISCRIMINANT_TESTS + "test_lda_transform": ("DID NOT RAISE NotImplementedError", NO_SOLVER),
    DISCRIMINANT_TESTS + "test_lda_store_covariance": ("solver='lsqr'", NO_SOLVER),
    DISCRIMINANT_TESTS + "test_qda_covariance_estimator": (
        "DID NOT RAISE NotImplementedError",
        NO_SOLVER,
    ),
    DISCRIMINANT_TESTS + "test_qda_regularization[*-svd]": ("When using `solver=", NO_SOLVER),
    "test_logistic::test_check_solver_option": ("DID NOT RAISE", NO_SOLVER),
    "test_logistic::test_sparsify": ("no attribute 'sparsify'", "coef_ is an array, and stays one"),
    "test_logistic::test_liblinear_dual_random_state": ("DID NOT RAISE", NO_SOLVER),
    "test_logistic::test_logistic_cv[*-True]": ("no attribute 'values'", LEGACY),
    "test_logistic::test_logistic_cv_multinomial_score": ("got 'auto' instead", PRIVATE),
    "test_logistic::test_multinomial_cv_iris": ("no attribute 'values'", LEGACY),
    "test_logistic::test_logreg_predict_proba_multinomial": ("'_predict_proba_lr'", PRIVATE),
    "test_logistic::test_max_iter": ("Regex pattern did not match", OTHER_WORDS),
    "test_logistic::test_n_iter[True-*]": (", 1)", LEGACY),
    "test_logistic::test_warm_start_newton_solver": (
        "Not equal to tolerance",
        "the second of two iterations goes by what the first taught, which a new fit has forgotten",
    ),
    "test_logistic::test_dtype_match[*-liblinear]": ("float32", NO_SOLVER),
    "test_logistic::test_LogisticRegressionCV_no_refit": ("'float' object", LEGACY),
    "test_logistic::test_LogisticRegressionCV_elasticnet_attribute_shapes": ("'values'", LEGACY),
    "test_logistic::test_LogisticRegressionCV_on_folds": ("(shapes (2, 5), (4,) mismatch)", LEGACY),
    "test_logistic::test_scores_attribute_layout_elasticnet": ("too many indices", LEGACY),
    "test_logistic::test_lr_cv_scores_differ_when_sample_weight_is_requested": (
        "assert not True",
        f"{LEGACY}: scores_[1] is a fold, with equal weights in it",
    ),
    "test_logistic::test_l1_ratio_non_elasticnet": ("DID NOT WARN", AHEAD),
    "test_logistic::test_c_inf_no_warning": (
        "SeparationWarning",
        "its classes are separable, and a fit without a penalty says so",
    ),
    "test_logistic::test_large_sparse_matrix": ("DID NOT RAISE", MORE),
    "test_logistic::test_liblinear_with_large_values": ("DID NOT RAISE", MORE),
    "test_logistic::test_liblinear_multiclass_raises": ("DID NOT RAISE", MORE),
    "test_logistic::test_zero_max_iter": (
        "max_iter == 0, must be >= 1",
        "a fit has one iteration at least, and begins at the model without slopes",
    ),
    "test_logistic::test_newton_cholesky_fallback_to_lbfgs": ("Regex pattern", NO_SOLVER),
    "test_logistic::test_logisticregressioncv_warns_with_use_legacy_attributes": (
        "DID NOT WARN",
        AHEAD,
    ),
    "test_logistic::test_l1_ratio_None_deprecated": ("DID NOT WARN", AHEAD),
    "test_logistic::test_logisticregression_warns_with_n_jobs": ("DID NOT WARN", AHEAD),
    "test_logistic::test_lr_scoring_warns": ("DID NOT WARN", AHEAD),
    "test_logistic::test_get_default_scorer": ("'_get_scorer'", PRIVATE),
    "test_logistic::test_logistic_regression_callback_*": ("", NO_CALLBACKS),
    "test_glm::test_tweedie_link_*": ("'_base_loss'", PRIVATE),
    "test_glm::test_linalg_warning_with_newton_solver": ("DID NOT WARN", NO_SOLVER),
    "test_search::test_grid_search_cv_results": ("(22,), (20,) mismatch", MORE_KEYS),
    "test_search::test_custom_run_search": ("!= 'road'", MORE_KEYS),
    "test_validation::test_cross_validate[*]": ("assert 5 == 4", MORE_KEYS),
    "test_common::test_smote_m_neighbors": ("'nn_k_'", NO_ROWS),
    "test_common::test_heterogeneous_smote_k_custom_nn": (
        "knows no categories",
        "an estimator of neighbours is given numbers, and categories are not made such",
    ),
    "test_smote_nc::test_smotenc_check_target_type": ("Regex pattern did not match", OTHER_WORDS),
    "test_smote_nc::test_smotenc_categorical_encoder": ("'categorical_encoder_'", NO_ENCODER),
    "test_smote_nc::test_smote_nc_categorical_features_auto_error": ("Regex pattern", OTHER_WORDS),
    "test_easy_ensemble::test_easy_ensemble_classifier": ("'named_steps'", MEMBERS),
    "test_easy_ensemble::test_estimator": ("'estimator_'", MEMBERS),
}

UNKNOWN_PARAMETER = (
    r"TypeError: (?P<owner>\w+)\S*\(\) got an unexpected keyword argument '(?P<name>\w+)'",
    r"ValueError: Invalid parameter '(?P<name>\w+)' for estimator (?P<owner>\w+)\(",
)


@dataclass
class Usage:
    """What the running test has done with the stand-ins."""

    touched: bool = False
    ignored: set[str] = field(default_factory=set)


def stand_in(peer: Any, ours: Any, usage: Usage) -> Any:
    """Linework's class or function as the peer's tests call it; `usage` is told when they do."""
    known = inspect.signature(ours).parameters
    dropped = {
        name: inspect.signature(peer).parameters[name]
        for name in IGNORED.get(peer.__name__, "").split()
        if name not in known
    }
    make = class_stand_in if inspect.isclass(ours) else function_stand_in
    return make(peer.__name__, ours, dropped, usage)


def class_stand_in(
    name: str, ours: Any, dropped: dict[str, inspect.Parameter], usage: Usage
) -> type:
    class StandIn(ours):
        def __init__(self, *args: Any, **params: Any) -> None:
            usage.touched = True
            for parameter in dropped.values():
                setattr(self, parameter.name, params.pop(parameter.name, parameter.default))
            super().__init__(*args, **(CONVENTIONS.get(name, {}) | params))

        # Tests also use instances that were made while the module was imported, so a call of the
        # constructor is not the only sign of use.
        def __getattribute__(self, attribute: str) -> Any:
            usage.touched = True
            return super().__getattribute__(attribute)

        def __setattr__(self, attribute: str, value: Any) -> None:
            if attribute in dropped and value is not dropped[attribute].default:
                usage.ignored.add(attribute)
            super().__setattr__(attribute, value)

    # `get_params` and `clone` read the parameters off this signature.
    own = inspect.signature(ours.__init__)
    accepted = sorted([*own.parameters.values(), *dropped.values()], key=lambda each: each.kind)
    StandIn.__init__.__signature__ = own.replace(parameters=accepted)  # type: ignore[attr-defined]
    StandIn.__name__ = StandIn.__qualname__ = name
    # Pickle looks a class up by its name in its module.
    globals()[name] = StandIn
    return StandIn


def function_stand_in(
    name: str, ours: Any, dropped: dict[str, inspect.Parameter], usage: Usage
) -> Callable[..., Any]:
    @functools.wraps(ours)
    def call(*args: Any, **params: Any) -> Any:
        usage.touched = True
        usage.ignored.update(params.keys() & dropped.keys())
        return ours(*args, **{key: params[key] for key in params if key not in dropped})

    return call


@dataclass
class Suite:
    """One of the peer's test modules, what is swapped in it, and what came out."""

    name: str
    path: Path
    swaps: list[tuple[ModuleType, str, Any]] = field(default_factory=list)
    passed: int = 0
    with_ignored: int = 0
    not_applicable: Counter[str] = field(default_factory=Counter)
    # (test, error) -> the parametrised cases that failed with it.
    failures: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def fail(self, test: str, error: str) -> None:
        name, bracket, case = test.partition("[")
        self.failures.setdefault((name, shorten(error, 160)), []).append(bracket + case)

    @property
    def failed(self) -> int:
        return sum(map(len, self.failures.values()))


def public_home(peer: Any) -> ModuleType:
    """Where users import `peer` from: `sklearn.linear_model`, not `sklearn.linear_model._ridge`."""
    public = takewhile(lambda part: not part.startswith("_"), peer.__module__.split("."))
    return importlib.import_module(".".join(public))


def matches(pattern: str, test: str) -> bool:
    wild = re.escape(pattern).replace(r"\*", ".*")
    return re.fullmatch(rf"{wild}(\[.*\])?", test) is not None


def absent(error: str) -> str | None:
    """Why linework lacks the parameter this error complains about, if it lacks it on purpose."""
    found = next(filter(None, (re.match(pattern, error) for pattern in UNKNOWN_PARAMETER)), None)
    reason = found and ABSENT.get(found["owner"], {}).get(found["name"])
    return f"no {found['name']}: {reason}" if found and reason else None


class PeerSuites:
    """The pytest plugin: swaps the names, watches the tests, keeps the tallies."""

    def __init__(self, names: Iterable[str]) -> None:
        self.usage = Usage()
        self.explained: dict[str, bool] = {}
        suites = [self.prepare(name) for name in names]
        self.suites = {suite.path: suite for suite in suites}

    def prepare(self, name: str) -> Suite:
        # This first import loads, with the peer's own classes, every module the tests draw on. The
        # test module is then forgotten: pytest imports it anew, and it alone sees the swap.
        module = importlib.import_module(name)
        del sys.modules[name]
        suite = Suite(name, Path(inspect.getfile(module)))
        for peer_name, our_name in SUITES[name].items():
            peer = getattr(module, peer_name)
            if ours := getattr(peer_models, our_name, getattr(linework, our_name, None)):
                ours = stand_in(peer, ours, self.usage)
                suite.swaps.append((public_home(peer), peer_name, ours))
            else:
                suite.fail(peer_name, f"linework has no {our_name}")
        return suite

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        # Parametrisation captures classes and instances while the module is imported, so the public
        # names are swapped for just that long; the peer's internals use its private modules.
        if not isinstance(collector, pytest.Module) or collector.path not in self.suites:
            return (yield)
        suite = self.suites[collector.path]
        with pytest.MonkeyPatch.context() as patch:
            for home, name, ours in suite.swaps:
                patch.setattr(home, name, ours)
            report = yield
        if report.failed:
            suite.fail("import", report.longreprtext.strip().rpartition("\n")[2])
        else:
            for _, name, ours in suite.swaps:
                setattr(collector.obj, name, ours)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self.usage.touched = False
        self.usage.ignored.clear()

    # Outermost, so that pytest's own verdict on `skip` and `xfail` is in the report already.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when != "call" and report.passed:
            return report
        suite = self.suites[item.path]
        test = f"{item.path.stem}::{item.nodeid.partition('::')[2]}"
        error = call.excinfo.exconly() if call.excinfo else report.longreprtext
        reason = self.not_applicable(test, report, error)
        if reason is not None:
            suite.not_applicable[reason] += 1
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, reason)
        elif report.failed:
            suite.fail(test, error)
        else:
            suite.passed += 1
        suite.with_ignored += reason is None and bool(self.usage.ignored)
        return report

    def not_applicable(self, test: str, report: pytest.TestReport, error: str) -> str | None:
        if report.skipped and hasattr(report, "wasxfail"):
            return f"the peer expects a failure: {report.wasxfail.removeprefix('reason: ')}"
        if report.skipped:
            skip = error.removeprefix("Skipped").lstrip(": ")
            return f"skipped by the peer: {skip or 'it gives no reason'}"
        if report.when == "call" and not self.usage.touched:
            return "uses nothing of linework's"
        pattern = next((pattern for pattern in EXPLAINED if matches(pattern, test)), None)
        if pattern is not None:
            text, reason = EXPLAINED[pattern]
            needed = report.failed and text in error
            self.explained[pattern] = self.explained.get(pattern, False) or needed
            if needed:
                return reason
        return absent(error) if report.failed else None


def show(suite: Suite) -> None:
    print(
        f"\n{suite.name}: {suite.passed} passed, {suite.failed} failed, "
        f"{suite.not_applicable.total()} not applicable "
        f"({suite.with_ignored} ran with ignored parameters)"
    )
    for reason, count in suite.not_applicable.most_common():
        print(f"  {count:5}  {reason}")
    for (test, error), cases in suite.failures.items():
        more = f"  [1 of {len(cases)} cases]" if len(cases) > 1 else ""
        print(f"  FAILED {test}{cases[0]}{more}\n         {error}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suite", default="", help="only the modules whose name contains this")
    parser.add_argument("-k", default="", metavar="EXPR", help="only the tests pytest's -k selects")
    parser.add_argument("--verbose", action="store_true", help="show the traceback of each failure")
    options = parser.parse_args()

    names = [name for name in SUITES if options.suite in name]
    if not names:
        parser.error(f"no suite is called {options.suite!r}; there are: {', '.join(SUITES)}")
    plugin = PeerSuites(names)
    # The peer's conftest holds, and no configuration of ours: the tests run as its authors'.
    status = pytest.main(
        [
            *("-qq", "-c", os.devnull, "-p", "no:cacheprovider", "--disable-warnings"),
            f"--rootdir={Path(sklearn.__file__).parents[1]}",
            "--continue-on-collection-errors",
            *(("--tb=short",) if options.verbose else ("--tb=no", "--no-summary")),
            *("-k", options.k, "--pyargs", *names),
        ],
        plugins=[plugin],
    )
    for suite in plugin.suites.values():
        show(suite)
    for pattern, needed in plugin.explained.items():
        if not needed:
            print(f"\nEXPLAINED is no longer needed: {pattern}")
    sound = status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return int(not sound or any(suite.failures for suite in plugin.suites.values()))


if __name__ == "__main__":
    sys.exit(main())
