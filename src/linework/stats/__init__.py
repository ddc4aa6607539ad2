"""Statistics: small immutable values, whose `+` is the statistic of both parts."""

from linework.stats.classes import ClassMoments, PooledMoments
from linework.stats.columns import ColumnMoments
from linework.stats.curvature import Curvature
from linework.stats.gradient import Gradient
from linework.stats.moments import Moments
from linework.stats.rfactor import RFactor
from linework.stats.twofold_gradient import TwofoldGradient

__all__ = [
    "ClassMoments",
    "ColumnMoments",
    "Curvature",
    "Gradient",
    "Moments",
    "PooledMoments",
    "RFactor",
    "TwofoldGradient",
]
