import numpy as np
import pytest

from bayes_distnet.models.network.architecture import Architecture, forward
from bayes_distnet.models.network.stacked import BLOCK, StackedNetworks


@pytest.mark.parametrize("rows", [1, BLOCK, 2 * BLOCK + 5])
@pytest.mark.parametrize(
    ("hidden", "activation", "skip"),
    [((16, 16), "raised-tanh", True), ((5,), "tanh", True), ((7, 4, 3), "softplus", False)],
)
def test_stacked_networks_give_the_outputs_of_each_draw(rows, hidden, activation, skip):
    rng = np.random.default_rng(0)
    architecture = Architecture(6, 3, hidden, activation, skip)
    weights, x = rng.normal(size=(2, 4, architecture.n_weights)), rng.normal(size=(rows, 6))
    out = np.full((2, 4, 3, rows), np.nan)
    for part, block in StackedNetworks.of(architecture, weights).blocks(x):
        out[..., part] = block
    expected = forward(architecture, weights.reshape(8, -1), x)[0].reshape(2, 4, rows, 3)
    np.testing.assert_allclose(out.swapaxes(2, 3), expected, rtol=1e-11, atol=1e-12)
