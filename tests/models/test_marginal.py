import pytest

from bayes_distnet import Marginal


def test_the_marginal_takes_one_instance_and_even_one_run():
    assert Marginal().fit([[1.0]], [2.0]).predict([[1.0]]) == pytest.approx(2.0, rel=1e-3)
