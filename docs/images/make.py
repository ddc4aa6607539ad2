"""Draws the pictures of the guide beside this file: python docs/images/make.py."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from linework import (
    CalibratedClassifier,
    ClassDensityDisplay,
    CodingMatrixDisplay,
    CoefficientPathDisplay,
    DecisionClassifier,
    DecisionRegionDisplay,
    DecisionRule,
    DiscriminantProjectionDisplay,
    GridSearchCV,
    ImbalanceReport,
    IndicatorClassifier,
    Lasso,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    MaskingDisplay,
    NeymanPearsonRule,
    OperatingPointDisplay,
    OutputCodeClassifier,
    QuadraticDiscriminantAnalysis,
    ReliabilityDisplay,
    ResidualPanelDisplay,
    Ridge,
    SearchCurveDisplay,
)

FOLDER = Path(__file__).parent


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    def pair() -> Any:
        return plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")

    iris = load_iris(as_frame=True)
    flowers = iris.target_names[iris.target]
    wine = load_wine(as_frame=True)
    cultivar = wine.target_names[wine.target]

    lda = LinearDiscriminantAnalysis().fit(wine.data, cultivar)
    qda = QuadraticDiscriminantAnalysis().fit(wine.data, cultivar)
    figure, (left, right) = pair()
    DiscriminantProjectionDisplay.from_estimator(lda, wine.data, cultivar, ax=left)
    DecisionRegionDisplay.from_estimator(qda, wine.data, cultivar, plane=lda, ax=right)
    left.get_legend().remove()
    left.set_title("LDA: classes and ellipses of 95 %", fontsize=10)
    right.set_title("QDA: regions in the same plane", fontsize=10)
    save(figure, "discriminants")

    length = iris.data[["petal length (cm)"]]
    figure, axes = pair()
    for ax, model in zip(
        axes, (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()), strict=True
    ):
        ClassDensityDisplay.from_estimator(model.fit(length, flowers), length, flowers, ax=ax)
    axes[0].get_legend().remove()
    axes[0].set_title("LDA: one variance", fontsize=10)
    axes[1].set_title("QDA: a variance for each class", fontsize=10)
    save(figure, "densities")

    display = MaskingDisplay.from_estimator(IndicatorClassifier(), iris.data, flowers)
    save(display.figure_, "masking")

    tumours, benign = load_breast_cancer(return_X_y=True, as_frame=True)
    tumours, malignant = tumours.iloc[:, :2], 1 - benign
    rules = {
        "likeliest class": DecisionRule(),
        "a miss costs five": DecisionRule(costs=[1, 5]),
        "P_FA at most 10 %": NeymanPearsonRule(0.1),
    }
    models = {
        name: DecisionClassifier(rule=rule).fit(tumours, malignant) for name, rule in rules.items()
    }
    points = OperatingPointDisplay.from_estimators(models, tumours, malignant, costs=[1, 5])
    save(points.figure_, "decisions")

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    figure, axes = pair()
    models = {"naive Bayes": GaussianNB(), "calibrated": CalibratedClassifier(GaussianNB(), "beta")}
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        ReliabilityDisplay.from_estimator(model.fit(train, y_train), test, y_test, n_bins=6, ax=ax)
        ax.set_title(name, fontsize=10)
    save(figure, "reliability")

    X, y = load_diabetes(return_X_y=True, as_frame=True)
    residuals = ResidualPanelDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    save(residuals.figure_, "residuals")
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    alphas = np.logspace(-3, 1, 20)
    search = GridSearchCV(Ridge(), {"alpha": alphas}, cv=10, rule="one_se").fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12.0, 3.8), layout="constrained")
    SearchCurveDisplay.from_search(search, ax=left, score_name="R²")
    alphas = np.logspace(-2, 0.3, 40)
    CoefficientPathDisplay.from_estimator(Lasso(), X, y, values=alphas, ax=right)
    left.set_title("Ridge: ten folds and the 1-SE rule", fontsize=10)
    right.set_title("Lasso: coefficients along the penalty", fontsize=10)
    save(figure, "choosing")

    X, y = load_digits(return_X_y=True)
    code = OutputCodeClassifier(code="search", decoder="hamming", random_state=0)
    code.fit(X[:1000], y[:1000])
    save(CodingMatrixDisplay.from_estimator(code, X[1000:], y[1000:]).figure_, "coding")

    rng = np.random.default_rng(0)  # the rows of the page on imbalance
    rare = (rng.random(10_000) < 0.02).astype(int)
    X = rng.standard_normal((10_000, 4)) + 0.8 * rare[:, None]
    save(ImbalanceReport(LogisticRegression(), X, rare, costs=[1, 49]).plot(), "imbalance")


def save(figure: Any, name: str) -> None:
    """Write a PNG that is the same bytes on every run."""
    figure.savefig(FOLDER / f"{name}.png", dpi=80, metadata={"Software": None})


if __name__ == "__main__":
    main()
