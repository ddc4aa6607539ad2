"""Correct digits on the NIST StRD linear regression sets, against NumPy, scikit-learn and others.

Digits are the log relative error of the worst coefficient, 15 at most.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import scipy.linalg
import sklearn.linear_model as peer
import statsmodels.api as sm
from harness import machine

import linework

SETS = Path(__file__).parents[1] / "tests" / "reference" / "nist.json"


def digits(coef: np.ndarray, certified: np.ndarray) -> float:
    error = np.abs(coef - certified) / np.where(certified == 0.0, 1.0, np.abs(certified))
    return float(min(15.0, -np.log10(max(error.max(), 1e-16))))


def main() -> None:
    machine("statsmodels")
    solvers = ("linework", "numpy lstsq", "QR, scaled", "scikit-learn", "statsmodels")
    print("\n| set | " + " | ".join(solvers) + " | solver | condition |")
    print("| --- |" + " --- |" * (len(solvers) + 2))
    for name, case in json.loads(SETS.read_text()).items():
        X, y = np.array(case["X"], float), np.array(case["y"])
        if (case["poly_degree"] or 1) > 1:
            X = X[:, :1] ** np.arange(1, case["poly_degree"] + 1)
        intercept = case["intercept"]
        Z = np.column_stack([np.ones(len(X)), X]) if intercept else X
        scale = np.linalg.norm(Z, axis=0)
        Q, R = np.linalg.qr(Z / scale)
        ours = linework.LinearRegression(fit_intercept=intercept).fit(X, y)
        theirs = peer.LinearRegression(fit_intercept=intercept).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statsmodels = sm.OLS(y, Z).fit().params
        answers = (
            np.r_[ours.intercept_, ours.coef_] if intercept else ours.coef_,
            np.linalg.lstsq(Z, y, rcond=None)[0],
            scipy.linalg.solve_triangular(R, Q.T @ y) / scale,
            np.r_[theirs.intercept_, theirs.coef_] if intercept else theirs.coef_,
            statsmodels,
        )
        certified = np.array(case["certified"]["coef"])
        cells = " | ".join(f"{max(digits(a, certified), 0.0):.1f}" for a in answers)
        print(f"| {name} | {cells} | {ours.solver_} | {ours.condition_:.2g} |")


if __name__ == "__main__":
    main()
