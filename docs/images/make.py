"""Draws the pictures of the guide beside this file: python docs/images/make.py."""

from pathlib import Path
from typing import Any

from sklearn.datasets import load_digits, load_iris, load_wine

from linework import (
    ClassDensityDisplay,
    CodingMatrixDisplay,
    DecisionRegionDisplay,
    DiscriminantProjectionDisplay,
    IndicatorClassifier,
    LinearDiscriminantAnalysis,
    MaskingDisplay,
    OutputCodeClassifier,
    QuadraticDiscriminantAnalysis,
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

    X, y = load_digits(return_X_y=True)
    code = OutputCodeClassifier(code="search", decoder="hamming", random_state=0)
    code.fit(X[:1000], y[:1000])
    save(CodingMatrixDisplay.from_estimator(code, X[1000:], y[1000:]).figure_, "coding")


def save(figure: Any, name: str) -> None:
    """Write a PNG that is the same bytes on every run."""
    figure.savefig(FOLDER / f"{name}.png", dpi=80, metadata={"Software": None})


if __name__ == "__main__":
    main()
