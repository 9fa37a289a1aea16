from tidy_tables import made_up

from bayes_distnet.experiments.roles import is_limit, role_of, with_roles
from bayes_distnet.models.registry import MODELS, ModelEntry, Role


def test_a_stored_role_counts_before_that_of_the_registry():
    assert role_of("limit: lognormal") is Role.LIMIT
    assert role_of("limit: lognormal", {"limit: lognormal": {"role": "peer"}}) is Role.PEER
    assert role_of("limit: mine") is Role.PEER  # a role never follows from a label
    assert role_of("Ridge", {"Ridge": {"settings": "Ridge()"}}) is Role.MODEL


def test_a_registered_model_has_its_role_in_tables():
    table = made_up({"Toy": {1: [1.0]}, "Ridge": {1: [1.0]}})
    assert is_limit(with_roles(table)).tolist() == [False, False]
    with MODELS.extended(ModelEntry("toy", "Toy", limit=lambda seconds, finished: None)):
        found = with_roles(table)
    assert is_limit(found).tolist() == [True, False]
    assert with_roles(found) is found
