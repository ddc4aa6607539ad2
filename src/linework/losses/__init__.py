"""Losses of the likelihood models: families, links, and what a fit asks of the two together."""

from linework.losses.cumulative import CumulativeLoss
from linework.losses.families import (
    FAMILIES,
    Binomial,
    Gamma,
    Gaussian,
    InverseGaussian,
    NegativeBinomial,
    Poisson,
    PowerVariance,
    Tweedie,
)
from linework.losses.family import Family
from linework.losses.links import LINKS, Link, Power
from linework.losses.loss import GeneralizedLoss, Loss, SoftmaxLoss, unit_step
from linework.losses.named import loss_of

__all__ = [
    "FAMILIES",
    "LINKS",
    "Binomial",
    "CumulativeLoss",
    "Family",
    "Gamma",
    "Gaussian",
    "GeneralizedLoss",
    "InverseGaussian",
    "Link",
    "Loss",
    "NegativeBinomial",
    "Poisson",
    "Power",
    "PowerVariance",
    "SoftmaxLoss",
    "Tweedie",
    "loss_of",
    "unit_step",
]
