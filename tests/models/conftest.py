import pytest

from bayes_distnet import make_runs


@pytest.fixture(scope="package")
def runs():
    """Runs of 40 instances, 40 % of them cut off."""
    return make_runs(n_instances=40, n_runs=3, n_features=6, random_state=0).cut_off(0.4)
