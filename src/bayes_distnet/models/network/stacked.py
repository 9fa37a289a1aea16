"""Predictions of many networks at once, with rows of data as the last axis.

What a network does to single numbers then runs over long stretches of memory, which takes half of the time. `forward`
of `architecture` is the general way, and the only one with batch normalisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.models.network.architecture import Architecture, activate

# Rows per block: the outputs of a layer stay in the processor's cache. The product of one draw's weights with a block
# stays below the size from which on OpenBLAS spreads it over threads, which wait for each other longer than they work.
BLOCK = 96


@dataclass(frozen=True)
class StackedNetworks:
    """Weights of all networks and draws, side by side.

    Parameters
    ----------
    architecture : Architecture
        Shape of the networks, without batch normalisation.
    shape : tuple of int
        Numbers of networks and of draws.
    first : array
        (networks * draws, units + outputs, inputs): the first layer, and below it the skip connection, if any.
    biases : list of array
        (networks * draws, units, 1) of every hidden layer.
    layers : list of array
        (networks * draws, units, inputs) of every layer after the first, the last of them of the outputs.
    end : array
        (networks * draws, outputs, 1), the biases of the outputs.
    """

    architecture: Architecture
    shape: tuple[int, int]
    first: FloatArray
    biases: list[FloatArray]
    layers: list[FloatArray]
    end: FloatArray

    @classmethod
    def of(cls, architecture: Architecture, weights: FloatArray) -> Self:
        """Stack weights (networks, draws, weights)."""
        named = architecture.unflatten(weights.reshape(-1, weights.shape[2]))
        columns = {
            name: np.ascontiguousarray(np.swapaxes(block, -1, -2)) for name, block in named.items() if name[0] == "w"
        }
        depth = len(architecture.hidden)
        # The largest products read the inputs: together they are one.
        reading = [columns["w0"], *([columns["w_skip"]] if architecture.skip else [])]
        return cls(
            architecture,
            (weights.shape[0], weights.shape[1]),
            np.concatenate(reading, axis=1),
            [named[f"b{i}"][..., None] for i in range(depth)],
            [*(columns[f"w{i}"] for i in range(1, depth)), columns["w_out"]],
            named["b_out"][..., None],
        )

    def blocks(self, x: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        """Yield a few rows at a time and their raw outputs, (networks, draws, outputs, rows)."""
        for start in range(0, len(x), BLOCK):
            rows = slice(start, min(start + BLOCK, len(x)))
            out = self._forward(np.ascontiguousarray(x[rows].T))
            yield rows, out.reshape(*self.shape, *out.shape[1:])

    def _forward(self, x: FloatArray) -> FloatArray:
        """Raw outputs (networks * draws, outputs, rows) of rows (inputs, rows)."""
        width = self.architecture.hidden[0]
        read = self.first @ x
        hidden = read[:, :width]
        for bias, layer in zip(self.biases, self.layers, strict=True):
            hidden = layer @ activate(hidden + bias, self.architecture.activation)
        hidden += self.end
        if self.architecture.skip:
            hidden += read[:, width:]
        return hidden
