"""The second derivative of every link's mean."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linework.losses import LINKS, Link, Power

ALL = {**LINKS, "power 3": Power(3.0), "power -0.5": Power(-0.5)}


@pytest.mark.parametrize("name", ALL)
def test_curve_is_the_derivative_of_the_slope(name):
    link = ALL[name]
    eta = np.array([0.003, 0.2, 1.0, 2.5])
    if name not in ("inverse", "inverse_square", "sqrt", "power 3", "power -0.5"):
        eta = np.append(eta, [-4.0, -0.3, 0.0])
    h = 1e-3 * np.where(eta > 0.0, eta, 1.0)
    near, far = (link.slope(eta + m * h) - link.slope(eta - m * h) for m in (1, 2))
    assert_allclose(link.curve(eta), (8.0 * near - far) / (12.0 * h), 1e-8, atol=1e-9)


@pytest.mark.parametrize("name", ["logit", "probit", "cloglog", "cauchit"])
def test_curve_far_out_is_zero(name):
    with np.errstate(over="ignore"):
        assert_allclose(LINKS[name].curve(np.array([-1e4, 1e4])), 0.0, atol=1e-11)


def test_a_link_of_three_functions_has_no_curve():
    class Loglog(Link):
        name = "loglog"

    with pytest.raises(NotImplementedError, match="The link 'loglog' has no method curve"):
        Loglog().curve(np.zeros(1))
