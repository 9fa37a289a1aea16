import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Ridge
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.explanation.trust import factors, trust_table


def test_factors_are_those_of_a_lognormal():
    marginal = RuntimeDistribution(LogNormal([[0.0], [3.0]], [[1.0], [0.5]]))
    found = factors(InstanceRuntimes(marginal, InstanceEffect.of(0.36, 2)))
    np.testing.assert_allclose(found["ignorance"], np.exp(1.6448536 * 0.6 * np.array([1.0, 0.5])), rtol=1e-6)
    np.testing.assert_allclose(found["luck"], np.exp(1.6448536 * 0.8 * np.array([1.0, 0.5])), rtol=1e-6)


def test_the_verdict_names_features_that_are_out_of_range():
    x = pd.DataFrame(np.random.default_rng(0).uniform(size=(60, 3)), columns=["a", "b", "c"])
    model = Ridge().fit(x, np.exp(x["a"]))
    new = pd.DataFrame({"a": [0.5, 0.5], "b": [0.5, 3000.0], "c": [0.5, 0.5]}, index=["near", "far"])
    table = model.trust(new)
    assert table["verdict"].to_dict() == {"near": "familiar", "far": "outside"}
    assert table.loc["far", "out_of_range"] == ("b",)
    assert table.loc["near", "words"].startswith("like the training data; runs vary by a factor of")
    assert table.loc["far", "words"].startswith("outside the training data (b 3000 (trained: ")
    assert table[["ignorance", "luck"]].isna().all(axis=None)  # Ridge does not separate the two
    np.testing.assert_allclose(
        table["spread"], np.sqrt(np.divide(*model.predict_distribution(new).interval(0.9)[::-1]))
    )


def test_shares_of_ignorance_and_luck_are_in_the_words():
    marginal = RuntimeDistribution(LogNormal([[0.0]], [[1.0]]))
    rtd = InstanceRuntimes(marginal, InstanceEffect.of(0.36, 1))
    familiar = pd.DataFrame({"verdict": ["unusual"], "out_of_range": [("a",)], "farthest": ["a 7 (trained: 0 to 1)"]})
    (words,) = trust_table(rtd, familiar)["words"]
    assert words == (
        "unlike most of the training data (a 7 (trained: 0 to 1)); median known to a factor of 2.7, runs vary by 3.7: "
        "36 % ignorance, 64 % luck"
    )
    assert trust_table(rtd, familiar)["unsure"].tolist() == pytest.approx([0.36])
