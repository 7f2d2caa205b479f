"""Values that no querykin has written: for arrays, and for entries of metadata."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rewriting = Callable[[NDArray[Any], Random], NDArray[Any]]
METADATA: tuple[Any, ...] = (
    None,
    -1,
    10**30,
    1e308,
    float("nan"),
    "",
    "x",
    [],
    {},
    [None],
    ["../.."],
    {"x": 1},
    True,
)


def _largest(values: NDArray[Any]) -> Any:
    return np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).max


def _smallest(values: NDArray[Any]) -> Any:
    return -np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).min


def _with(choose: Callable[[NDArray[Any], Random], Any], at: Callable[[int, Random], slice]) -> Rewriting:
    """A rewriting of some places by one value."""

    def rewritten(values: NDArray[Any], random: Random) -> NDArray[Any]:
        changed = values.copy()
        changed.reshape(-1)[at(changed.size, random)] = choose(values, random)
        return changed

    return rewritten


def _beyond(values: NDArray[Any], random: Random) -> Any:
    """A little more than any value there is."""
    return min(values.max(initial=0) * 1.0 + random.randint(1, 3), _largest(values))


def _any_place(size: int, random: Random) -> slice:
    at = random.randrange(max(1, size))
    return slice(at, at + 1)


def _noise(values: NDArray[Any], random: Random) -> NDArray[Any]:
    noise = np.frombuffer(random.randbytes(values.nbytes), values.dtype)
    return noise.reshape(values.shape)


def _as_type(kind: type[np.generic], other: type[np.generic]) -> Rewriting:
    def cast(values: NDArray[Any], random: Random) -> NDArray[Any]:
        with np.errstate(invalid="ignore"):
            return values.astype(other if values.dtype == kind else kind)

    return cast


REWRITINGS: dict[str, Rewriting] = {
    "one value is the largest": _with(lambda values, _: _largest(values), _any_place),
    "one value is the smallest": _with(lambda values, _: _smallest(values), _any_place),
    "one value is a little larger than any": _with(_beyond, _any_place),
    "the last value is the largest": _with(lambda values, _: _largest(values), lambda *_: slice(-1, None)),
    "the last value is a little larger": _with(_beyond, lambda *_: slice(-1, None)),
    "the first value is the largest": _with(lambda values, _: _largest(values), lambda *_: slice(1)),
    "one value is not a number": _with(
        lambda values, _: np.nan if values.dtype.kind == "f" else _largest(values) // 2, _any_place
    ),
    "all are the largest": _with(lambda values, _: _largest(values), lambda *_: slice(None)),
    "all are the smallest": _with(lambda values, _: _smallest(values), lambda *_: slice(None)),
    "all are zero": _with(lambda *_: 0, lambda *_: slice(None)),
    "reversed": lambda values, _: np.ascontiguousarray(values[::-1]),
    "noise": _noise,
    "of 16 bits": _as_type(np.int16, np.int64),
    "floating-point": _as_type(np.float64, np.int64),
    "big-endian": lambda values, _: values.astype(values.dtype.newbyteorder(">")),
    "longer": lambda values, _: np.concatenate([values, values[-3:], values[:1]]),
    "shorter": lambda values, random: values[: max(0, len(values) - random.randint(1, 3))],
    "empty": lambda values, _: values[:0],
    "of other dimensions": lambda values, _: values[:, None] if values.ndim == 1 else values.reshape(-1),
}
