import numpy as np
import pytest

from bayes_distnet.report.charts.labels import spread


def test_labels_that_do_not_touch_stay():
    assert spread([30.0, 10.0], gap=8.0, low=0.0, high=60.0) == [30.0, 10.0]
    assert spread([], gap=8.0, low=0.0, high=60.0) == []


@pytest.mark.parametrize("seed", range(20))
def test_no_label_covers_another_and_the_order_is_kept(seed):
    rng = np.random.default_rng(seed)
    places = rng.uniform(0, 300, 12)
    found = np.array(spread(list(places), gap=18.0, low=0.0, high=300.0))
    assert np.diff(np.sort(found)).min() >= 18.0 - 1e-9
    assert found.min() >= 0
    assert found.max() <= 300
    assert (np.argsort(found) == np.argsort(places)).all()


def test_labels_at_one_place_are_centred_on_it():
    assert spread([50.0, 50.0, 50.0], gap=10.0, low=0.0, high=100.0) == [40.0, 50.0, 60.0]


def test_too_many_labels_share_the_space():
    found = spread([5.0] * 11, gap=18.0, low=0.0, high=100.0)
    np.testing.assert_allclose(np.diff(found), 10.0)
