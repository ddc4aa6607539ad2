"""The three classifiers: scikit-learn's answers for the same learner and code, and their own."""

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn import multiclass as peer
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, load_iris, make_multilabel_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linework import (
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    QuadraticDiscriminantAnalysis,
    Ridge,
    SeparationWarning,
)
from linework.multiclass import codes
from linework.multiclass.decoding import DECODERS

ALL = [OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier]
every_classifier = pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)


@pytest.fixture(scope="module")
def iris() -> Any:
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def digits() -> Any:
    X, y = load_digits(return_X_y=True)
    return X[:900] + np.random.default_rng(0).normal(size=(900, 64)), y[:900]


PAIRS = [
    (LinearDiscriminantAnalysis(unbiased=False), PeerLDA(solver="lsqr"), 1e-8),
    (LogisticRegression(C=0.01, tol=1e-7), PeerLogistic(C=0.01, tol=1e-10, max_iter=5000), 1e-4),
    (Ridge(alpha=2.0), PeerRidge(alpha=2.0), 1e-8),
    (GaussianNB(), GaussianNB(), 1e-12),
    (KNeighborsClassifier(3), KNeighborsClassifier(3), 1e-12),
    (make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(unbiased=False)),
     make_pipeline(StandardScaler(), PeerLDA(solver="lsqr")), 1e-8),
]  # fmt: skip
every_pair = pytest.mark.parametrize(
    ("ours", "theirs", "rtol"), PAIRS, ids=lambda x: type(x).__name__ if hasattr(x, "fit") else ""
)


class TestScikitLearnsAnswers:
    @every_pair
    def test_one_vs_rest(self, ours: Any, theirs: Any, rtol: float, digits: Any) -> None:
        X, y = digits
        model = OneVsRestClassifier(ours).fit(X[:600], y[:600])
        other = peer.OneVsRestClassifier(theirs).fit(X[:600], y[:600])
        np.testing.assert_array_equal(model.predict(X[600:]), other.predict(X[600:]))
        for method in ("decision_function", "predict_proba"):
            assert hasattr(model, method) == hasattr(other, method)
            if hasattr(model, method):
                a, b = getattr(model, method)(X[600:]), getattr(other, method)(X[600:])
                np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)

    @every_pair
    def test_one_vs_one(self, ours: Any, theirs: Any, rtol: float, digits: Any) -> None:
        if isinstance(theirs, PeerRidge | GaussianNB | KNeighborsClassifier):
            pytest.skip("without a decision_function, its values are not taken about ½ there")
        X, y = digits
        model = OneVsOneClassifier(ours).fit(X[:600], y[:600])
        other = peer.OneVsOneClassifier(theirs).fit(X[:600], y[:600])
        np.testing.assert_array_equal(model.predict(X[600:]), other.predict(X[600:]))
        a, b = (each.decision_function(X[600:]) for each in (model, other))
        np.testing.assert_allclose(a, b, rtol=rtol, atol=10 * rtol)

    @every_pair
    def test_output_code(self, ours: Any, theirs: Any, rtol: float, digits: Any) -> None:
        X, y = digits
        if isinstance(theirs, PeerRidge):
            pytest.skip("scikit-learn takes no regressions there")
        other = peer.OutputCodeClassifier(theirs, code_size=1.5, random_state=1)
        other.fit(X[:600], y[:600])
        code = np.where(other.code_book_ > 0, 1, -1)
        model = OutputCodeClassifier(ours, code=code).fit(X[:600], y[:600])
        np.testing.assert_array_equal(model.predict(X[600:]), other.predict(X[600:]))

    @pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), Ridge(), GaussianNB()])
    @pytest.mark.parametrize("sparse", [False, True])
    def test_labels(self, learner: Any, sparse: bool) -> None:
        import scipy.sparse as sp

        X, Y = make_multilabel_classification(200, 6, n_classes=4, random_state=1)
        Y[0] = 1 - Y[0]
        given = sp.csr_array(Y) if sparse else Y
        model = OneVsRestClassifier(learner).fit(X, given)
        other = peer.OneVsRestClassifier(learner).fit(X, given)
        a, b = model.predict(X), other.predict(X)
        assert sp.issparse(a) == sp.issparse(b) == sparse
        np.testing.assert_array_equal(*((x.toarray() if sparse else x) for x in (a, b)))
        assert model.multilabel_
        if hasattr(other, "predict_proba"):
            np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-9)


class Sure(ClassifierMixin, BaseEstimator):
    """Says what it was told, but for one row and learner."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.classes_ = np.unique(y)
        self.told_ = dict(zip(X[:, 0].tolist(), y, strict=True))
        self.weight_ = sample_weight
        return self

    def decision_function(self, X: Any) -> Any:
        return np.array([2.0 * self.told_.get(x, 1) - 1.0 for x in X[:, 0].tolist()])

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class TestErrorsAreCorrected:
    @pytest.mark.filterwarnings("ignore:Columns 1 and 4")
    @pytest.mark.parametrize("decoder", ["hamming", "euclidean", "loss"])
    def test_the_textbooks_single_mistake(self, decoder: str) -> None:
        code = [[-1, 1, -1, 1, 1], [1, -1, -1, 1, -1], [-1, 1, 1, -1, 1], [-1, -1, 1, 1, -1]]
        X, y = np.arange(4.0)[:, None], np.array(["C1", "C2", "C3", "C4"])
        model = OutputCodeClassifier(Sure(), code=code, decoder=decoder).fit(X, y)
        assert list(model.predict(X)) == list(y)
        model.estimators_[1].told_[2.0] = 0  # f₂ errs on the row of C₃
        assert model.predict(X[2:3]) == "C3"

    def test_any_n_corrected_learners_may_err(self) -> None:
        X, y = np.arange(10.0)[:, None], np.arange(10)
        model = OutputCodeClassifier(Sure(), code="search", decoder="hamming", random_state=0)
        model.fit(X, y)
        assert model.n_corrected_ == 3
        rng = np.random.default_rng(0)
        for _ in range(20):
            told = [dict(learner.told_) for learner in model.estimators_]
            for k in range(10):
                for m in rng.choice(len(told), 3, replace=False):
                    model.estimators_[m].told_[float(k)] ^= 1
            np.testing.assert_array_equal(model.predict(X), y)
            for learner, before in zip(model.estimators_, told, strict=True):
                learner.told_ = before


class TestOutputCodes:
    @pytest.mark.parametrize("code", ["one-vs-rest", "one-vs-one", "exhaustive", "random",
                                      "sparse-random", "bch", "search", "easy"])  # fmt: skip
    @pytest.mark.parametrize("decoder", DECODERS)
    def test_every_code_and_decoder_tells_digits(
        self, code: str, decoder: str, digits: Any
    ) -> None:
        X, y = digits
        keep = y < 6
        model = OutputCodeClassifier(
            LinearDiscriminantAnalysis(), code=code, decoder=decoder, code_size=2.0, random_state=0
        ).fit(X[keep], y[keep])
        assert model.score(X[keep], y[keep]) > 0.9
        assert model.decision_function(X[:7]).shape == (7, 6)
        best = model.decision_function(X[keep]).argmax(axis=1)
        np.testing.assert_array_equal(model.predict(X[keep]), best)

    def test_the_same_seed_gives_the_same_code(self, digits: Any) -> None:
        books = [
            OutputCodeClassifier(random_state=seed).fit(*digits).code_book_ for seed in (0, 0, 1)
        ]
        np.testing.assert_array_equal(books[0], books[1])
        assert (books[0] != books[2]).any()

    def test_weights_of_the_loss_are_how_often_learners_are_right(self, digits: Any) -> None:
        X, y = digits
        w = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
        model = OutputCodeClassifier(code="one-vs-one", decoder="loss-weighted")
        model.fit(X, y, sample_weight=w)
        pair, classes = model.estimators_[3], model.code_book_[:, 3]
        for k in np.flatnonzero(classes):
            right = np.average(pair.predict(X[y == k]) == (classes[k] > 0), weights=w[y == k])
            others = np.flatnonzero(model.code_book_[k])
            assert model._weights[k, 3] <= 1.0 / len(others) * 1.5
            ratio = model._weights[k, 3] / model._weights[k, others].max()
            assert ratio == pytest.approx(right, abs=1e-6) or right < 1.0
        np.testing.assert_allclose(model._weights.sum(axis=1), 1.0)

    @pytest.mark.parametrize(
        ("parameters", "sentence"),
        [
            ({"code": "nonsense"}, "code is 'nonsense'; one-vs-rest"),
            ({"decoder": "nearest"}, "decoder is 'nearest', and these are known: hamming"),
            ({"coupling": "none"}, "coupling is 'none'"),
            ({"code_size": 0.1}, "from 4 columns on, and code_size asks for 1"),
            ({"code_size": -1.0}, "code_size == -1.0, must be"),
            ({"code": np.eye(3)}, r"shape \(3, 3\), and \(10, M\) is expected"),
        ],
    )
    def test_refusals(self, parameters: Any, sentence: str, digits: Any) -> None:
        with pytest.raises(ValueError, match=sentence):
            OutputCodeClassifier(**parameters).fit(*digits)


class TestProbabilities:
    @pytest.mark.parametrize("model", [
        OneVsOneClassifier(), OneVsOneClassifier(coupling="bradley-terry"),
        OutputCodeClassifier(code="exhaustive"), OutputCodeClassifier(GaussianNB()),
        OneVsRestClassifier(QuadraticDiscriminantAnalysis()),
    ], ids=repr)  # fmt: skip
    def test_they_sum_to_one_and_mostly_agree_with_the_prediction(
        self, model: Any, iris: Any
    ) -> None:
        X, y = iris
        p = model.fit(X, y).predict_proba(X)
        assert p.shape == (150, 3)
        assert (p >= 0).all()
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).mean() > 0.97

    def test_pairs_of_gaussian_classes_of_one_covariance_give_their_posterior(self) -> None:
        """With Σ known the pairs are consistent: ln odds are differences of the classes'."""
        rng = np.random.default_rng(0)
        y = rng.integers(0, 4, 200_000)
        X = rng.standard_normal((len(y), 2)) + np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[y]
        lda = LinearDiscriminantAnalysis().fit(X, y)
        for coupling in ("least-squares", "bradley-terry"):
            pairs = OneVsOneClassifier(coupling=coupling).fit(X, y)
            np.testing.assert_allclose(
                pairs.predict_proba(X[:100]), lda.predict_proba(X[:100]), atol=0.01
            )

    @every_classifier
    def test_only_where_the_learner_has_them(self, cls: Any, iris: Any) -> None:
        for learner in (FisherDiscriminant(), Ridge()):
            model = cls(learner)
            assert not hasattr(model, "predict_proba")
            assert not hasattr(model.fit(*iris), "predict_proba")


class TestTwoClasses:
    @every_classifier
    def test_there_is_one_learner(self, cls: Any, iris: Any) -> None:
        X, y = iris
        X, y = X[y > 0], np.array(["no", "yes"])[y[y > 0] - 1]
        model, alone = cls().fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
        assert len(model.estimators_) == 1
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))
        np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X))
        np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-9)

    def test_the_side_of_a_class_is_the_codes(self, iris: Any) -> None:
        X, y = iris
        model = OutputCodeClassifier(code=[[1], [-1]]).fit(X[:100], y[:100])
        np.testing.assert_array_equal(model.predict(X[:100]), y[:100])
        assert (model.decision_function(X[50:100]) > 0).all()


class TestWeightsAndMetadata:
    @every_classifier
    def test_weights_reach_learners_that_are_fitted_one_by_one(self, cls: Any, iris: Any) -> None:
        X, y = iris
        w = np.arange(150.0) + 1.0
        model = cls(GaussianNB()).fit(X, y, sample_weight=w)
        m = 1
        mine = np.flatnonzero(model.code_book_[y, m])
        alone = GaussianNB().fit(X[mine], model.code_book_[y[mine], m], sample_weight=w[mine])
        np.testing.assert_allclose(model.estimators_[m].theta_, alone.theta_)

    @every_classifier
    def test_a_learner_without_weights_is_told(self, cls: Any, iris: Any) -> None:
        with pytest.raises(ValueError, match="sample_weight is given, and KNeighborsClassifier"):
            cls(KNeighborsClassifier()).fit(*iris, sample_weight=np.ones(150))

    @every_classifier
    def test_metadata_are_routed(self, cls: Any, iris: Any) -> None:
        X, y = iris
        w = np.arange(150.0) + 1.0
        with sklearn.config_context(enable_metadata_routing=True):
            model = cls(GaussianNB().set_fit_request(sample_weight=True))
            model.fit(X, y, sample_weight=w)
            ignoring = cls(GaussianNB().set_fit_request(sample_weight=False))
            with pytest.raises(TypeError, match="not routed to any object"):
                ignoring.fit(X, y, sample_weight=w)
            with pytest.raises(ValueError, match=r"sample_weight.* are passed but are not"):
                cls(GaussianNB()).fit(X, y, sample_weight=w)
        weighted = cls(GaussianNB()).fit(X, y, sample_weight=w).estimators_[0].theta_
        np.testing.assert_array_equal(model.estimators_[0].theta_, weighted)

    @every_classifier
    def test_other_metadata_need_routing(self, cls: Any, iris: Any) -> None:
        with pytest.raises(ValueError, match="supported if enable_metadata_routing"):
            cls(GaussianNB()).fit(*iris, groups=np.ones(150))


@every_classifier
def test_parts_of_a_data_frame_reach_the_learners(cls: Any, iris: Any) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y = iris
    names = list("abcd")
    expected = cls(GaussianNB()).fit(X, y).predict(X)
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        for learner in (GaussianNB(), LinearDiscriminantAnalysis()):
            model = cls(learner).fit(frame, y)
            assert list(model.feature_names_in_) == names
        np.testing.assert_array_equal(cls(GaussianNB()).fit(frame, y).predict(frame), expected)


def test_one_class_is_refused_where_pairs_are_needed(iris: Any) -> None:
    X, _ = iris
    for cls in (OneVsOneClassifier, OutputCodeClassifier):
        with pytest.raises(ValueError, match="only one class is present"):
            cls().fit(X, np.zeros(150))


def test_separation_is_told_by_the_learners(iris: Any) -> None:
    with pytest.warns(SeparationWarning):
        OneVsOneClassifier(LogisticRegression(C=np.inf)).fit(*iris)


def test_learners_made_of_moments_are_estimators(digits: Any) -> None:
    X, y = digits
    model = OneVsOneClassifier().fit(X, y)
    assert len(model.estimators_) == 45
    assert len(model.estimators_[:3]) == 3
    assert model.estimators_[-1] is model.estimators_[44]
    assert isinstance(model.estimators_[7], LinearDiscriminantAnalysis)
    with pytest.raises(IndexError):
        model.estimators_[45]


def test_partial_fit_of_pairs(iris: Any) -> None:
    X, y = iris
    model = OneVsOneClassifier(LinearDiscriminantAnalysis())
    model.partial_fit(X[::2], y[::2], classes=[0, 1, 2]).partial_fit(X[1::2], y[1::2])
    whole = OneVsOneClassifier().fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), whole.decision_function(X), rtol=1e-9)
    assert codes.one_vs_one(3).tolist() == model.code_book_.tolist()
