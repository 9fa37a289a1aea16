import numpy as np

from bayes_distnet.collect.instances import sat_mix


def test_the_mix_has_every_kind():
    kinds = {sat_mix.draw(np.random.default_rng([0, i])).split(":")[0] for i in range(40)}
    assert kinds == {"c factoring", "c random-ksat", "c colouring", "c quasigroup"}
