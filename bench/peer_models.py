"""Scikit-learn's generalized linear models, each a family and a link of linework's `GLM`."""

from __future__ import annotations

from typing import Any

from sklearn import linear_model

from linework import GLM
from linework.losses import GeneralizedLoss, Tweedie


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
