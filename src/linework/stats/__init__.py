"""Statistics: small immutable values made from a block, whose `+` is the statistic of both parts."""

from linework.stats.classes import ClassMoments, PooledMoments
from linework.stats.moments import Moments
from linework.stats.residuals import Gradient
from linework.stats.rfactor import RFactor

__all__ = ["ClassMoments", "Gradient", "Moments", "PooledMoments", "RFactor"]
