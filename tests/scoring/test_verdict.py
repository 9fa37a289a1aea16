import numpy as np
import pandas as pd

from bayes_distnet.scoring.verdict import verdict


def table(values):
    return pd.DataFrame({"nllh": np.asarray(values, dtype=float)})


def test_clear_differences_are_named_with_their_error():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    others = {"Marginal": table(base + 1.0 + rng.normal(0.0, 0.1, 400)), "RandomForest": table(base)}
    sentence = verdict("HybridDistNet", table(base + rng.normal(0.0, 0.1, 400)), others)
    assert sentence.startswith("HybridDistNet predicts these instances better than Marginal (nllh lower by ")
    assert "and about as well as RandomForest (" in sentence
    worse = verdict("Ridge", others["Marginal"], {"Marginal": table(base)})
    assert "worse than Marginal (nllh higher by 0.99" in worse
    assert worse.endswith(": no clear gain from the features here.")


def test_instances_of_one_group_are_not_independent():
    rng = np.random.default_rng(0)
    effect = np.repeat(rng.normal(0.0, 1.0, 8), 50)  # eight users of fifty jobs each
    mine, theirs = table(effect - 0.2), {"Marginal": table(np.zeros(400))}
    groups = pd.Series(np.repeat(range(8), 50))
    assert "about as well as" in verdict("Ridge", mine, theirs, groups)
    error = float(verdict("Ridge", mine, theirs, groups).split("± ")[1].split(")")[0])
    assert error > 3 * float(verdict("Ridge", mine, theirs).split("± ")[1].split(")")[0])


def test_a_run_that_a_model_excluded_decides_and_few_instances_do_not():
    one_inf = table([*range(8), np.inf])
    assert "worse than Marginal (nllh higher by inf" in verdict("Ridge", one_inf, {"Marginal": table(range(9))})
    assert "about as well as" in verdict("Ridge", one_inf, {"Marginal": table([np.inf, *range(8)])})
    assert "about as well as" in verdict("Ridge", table([0.0, 0.0]), {"Marginal": table([1.0, 1.1])})
    assert "Nothing to compare Ridge with" in verdict("Ridge", table([0.0]), {})
