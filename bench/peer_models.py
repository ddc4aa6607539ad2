"""Models of scikit-learn that are linework's in other words."""

from __future__ import annotations

from typing import Any

from sklearn import linear_model

import linework
from linework import GLM
from linework.losses import GeneralizedLoss, Tweedie


class LogisticRegression(linework.LogisticRegression):
    """Linework's, but for a parameter of the peer's name with other values: ``solver``."""

    def __init__(
        self,
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        max_iter: int = 100,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            C=C,
            l1_ratio=l1_ratio,
            tol=tol,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            max_iter=max_iter,
            warm_start=warm_start,
        )

    @property
    def solver(self) -> str:
        """The default, whatever is asked for."""
        return "auto"

    @solver.setter
    def solver(self, value: Any) -> None:
        pass


class PoissonRegressor(GLM):
    """Poisson counts under the log link."""

    of_family = "poisson"

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 100,
        tol: float = 1e-4,
    ) -> None:
        super().__init__(alpha=alpha, fit_intercept=fit_intercept, max_iter=max_iter, tol=tol)

    def _loss(self) -> GeneralizedLoss:
        return GLM(self.of_family, "log")._loss()

    def _get_loss(self) -> Any:
        """The peer's own loss, of which its tests make their data."""
        return getattr(linear_model, type(self).__name__)()._get_loss()


class GammaRegressor(PoissonRegressor):
    """Gamma amounts under the log link."""

    of_family = "gamma"


class TweedieRegressor(GLM):
    """V(μ) = μ^power; power 0 is the Gaussian family, whose link is the identity by default."""

    def __init__(
        self,
        *,
        power: float = 0.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        link: Any = "auto",
        max_iter: int = 100,
        tol: float = 1e-4,
    ) -> None:
        super().__init__(
            link=link, alpha=alpha, fit_intercept=fit_intercept, max_iter=max_iter, tol=tol
        )
        self.power = power

    def _loss(self) -> GeneralizedLoss:
        family = Tweedie(self.power) if self.power else "gaussian"
        default = "log" if self.power else "identity"
        return GLM(family, default if self.link == "auto" else self.link)._loss()

    def _get_loss(self) -> Any:
        """The peer's own loss, of which its tests make their data."""
        return linear_model.TweedieRegressor(power=self.power, link=self.link)._get_loss()
