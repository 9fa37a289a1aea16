"""Mixtures that no model should predict: the functions of one distribution agree with each other."""

import numpy as np
from example_mixtures import components
from fuzzing import only_own_errors
from hypothesis import given
from hypothesis import strategies as st

from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution

LEVELS = np.array([1e-9, 0.01, 0.25, 0.5, 0.75, 0.99, 1 - 1e-9])


@st.composite
def mixtures(draw):
    """Return mixtures of one family: components over many decades, narrow and wide, with weights down to 1e-9."""
    size, rows = draw(st.integers(1, 4)), draw(st.integers(1, 2))

    def numbers(low, high):
        return np.array(draw(st.lists(st.floats(low, high), min_size=rows * size, max_size=rows * size)))

    log_time, log_deviation = numbers(-10, 10), numbers(-5, 1.5)
    family = components(draw(st.sampled_from(sorted(FAMILIES))), log_time, np.exp(log_deviation))
    family = type(family)(*(np.reshape(value, (rows, size)) for value in family.parameters().values()))
    return RuntimeDistribution(family, 10.0 ** numbers(-9, 0).reshape(rows, size))


@given(mixtures())
def test_the_distribution_function_rises_from_zero_to_one(rtd):
    times = np.concatenate([[0.0], np.geomspace(1e-8, 1e8, 80), [np.inf]])
    cdf = rtd.cdf(times)
    assert (np.diff(cdf, axis=1) >= 0).all()
    assert (cdf[:, 0] == 0).all()
    assert (cdf[:, -1] == 1).all()
    np.testing.assert_allclose(cdf + rtd.sf(times), 1.0, atol=1e-12)
    assert (rtd.pdf(times[1:-1]) >= 0).all()


@given(mixtures())
def test_quantiles_invert_the_distribution_function(rtd):
    quantile = rtd.quantile(LEVELS)
    assert (np.diff(quantile, axis=1) >= 0).all()
    for row in range(len(rtd)):
        # A narrow component is a step: the level lies between the values just before and just after the quantile.
        before, after = rtd[row].cdf(quantile[row] * (1 - 1e-9))[0], rtd[row].cdf(quantile[row] * (1 + 1e-9))[0]
        assert (before <= LEVELS * (1 + 1e-6) + 1e-12).all()
        assert (after * (1 + 1e-6) + 1e-12 >= LEVELS).all()


@given(mixtures(), st.floats(0.05, 0.95), st.floats(1e-3, 1e3))
def test_a_run_that_is_alive_follows_the_rest_of_the_distribution(rtd, level, later):
    waited = rtd.quantile(level)
    left = rtd.given_alive(waited)
    for row in range(len(rtd)):
        ahead = later * waited[row]
        sooner, at = rtd[row].log_sf(waited[row] + ahead)[0], rtd[row].log_sf(waited[row])[0]
        # Rounding of the sum of two times moves the survival function by its slope.
        slope = float(np.exp(rtd[row].log_pdf(waited[row] + ahead)[0] - sooner)) * (waited[row] + ahead)
        np.testing.assert_allclose(left[row].log_sf(ahead)[0], sooner - at, rtol=1e-8, atol=1e-10 + 1e-14 * slope)


@given(mixtures(), st.integers(2, 6))
def test_the_fastest_of_independent_copies_survives_while_all_do(rtd, copies):
    times = rtd.quantile(np.array([0.01, 0.3, 0.7]))
    fastest = rtd.minimum_of(copies, independent=True)
    for row in range(len(rtd)):
        np.testing.assert_allclose(
            fastest[row].log_sf(times[row]), copies * rtd[row].log_sf(times[row]), rtol=1e-8, atol=1e-10
        )
    assert (rtd.minimum_of(copies).median() <= rtd.median() * (1 + 1e-9)).all()


@given(mixtures(), st.floats(0.05, 0.9))
def test_bands_are_ordered_and_nested(rtd, level):
    if rtd.n_components == 1:
        return
    low, high = rtd.band(level)
    lower, higher = rtd.band(level + 0.05)
    assert (low <= high).all()
    assert (lower <= low * (1 + 1e-9)).all()
    assert (high <= higher * (1 + 1e-9)).all()


@given(mixtures())
def test_stored_mixtures_are_read_back(rtd):
    again = RuntimeDistribution.from_arrays(rtd.to_arrays())
    np.testing.assert_array_equal(again.quantile(LEVELS), rtd.quantile(LEVELS))


numbers = st.floats(allow_nan=True, allow_infinity=True)


@given(st.sampled_from(sorted(FAMILIES)), st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=3))
def test_parameters_and_weights_of_any_size_are_taken_or_refused(name, values):
    kind = FAMILIES[name]
    columns = np.array(values).T
    with only_own_errors(""), np.errstate(all="ignore"):
        rtd = RuntimeDistribution(kind(*columns[: len(kind.parameter_names), None]), columns[-1][None])
        assert (rtd.sf([0.0, 1.0, 2.0]) >= 0).all()
