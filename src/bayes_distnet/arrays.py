"""Names of array types, used all over the package."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
#: Row or column numbers, as NumPy indexes with them.
IndexArray: TypeAlias = NDArray[np.intp]

#: A NumPy or a JAX array. The two share no base class, so that no checker can tell more.
Array: TypeAlias = Any
