"""A mix of CNF kinds and sizes: no solver is the fastest on all of them."""

from __future__ import annotations

import numpy as np

from bayes_distnet.collect.instances import colouring, factoring, quasigroup, random_ksat

MIXED = (factoring.draw, random_ksat.draw, colouring.draw, quasigroup.draw)


def draw(rng: np.random.Generator) -> str:
    """Return an instance of a random kind and size."""
    return MIXED[rng.integers(len(MIXED))](rng)
