import pytest

from bayes_distnet.models.network.schedule import cosine_rates


def test_cosine_rates_warm_up_and_come_down():
    rates = cosine_rates(500, 0.02)
    assert rates.max() == pytest.approx(0.02, rel=1e-3)
    assert rates.argmax() == pytest.approx(25, abs=1)
    assert rates[-1] == pytest.approx(0.0002, rel=0.1)
