"""Theorems 1 to 3 of Sahami & Heilman (2006) by simulation: `python -m reproduce.theorems` (needs no data).

Documents are unit vectors: a mean direction plus isotropic normal noise, scaled to length 1. The noise
`dispersion` is relative to the mean: 1 puts a document about 45 degrees away in many dimensions. K is the
cosine of the unit centroids of two samples of n documents, as in the web kernel.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from reproduce.markdown import number, table

Float64Array = NDArray[np.float64]
SEED = 2006
N = 200  # results per query
TRIALS = 300
DIMENSIONS = (2, 10, 300)
MODERATE, LARGE = (0.25, 0.5, 1.0, 2.0), (4.0, 8.0, 16.0)


@dataclass(frozen=True, slots=True)
class BoundCheck:
    """How often arccos K stayed within a bound, under both readings of sigma."""

    deviation: float  # standard deviation of the angle between a document and the mean
    root_mean_square: float  # of that angle
    noise: tuple[float, float]  # the bound's 2.58 (sigma1 + sigma2) / sqrt(n), for each reading
    within: tuple[float, float]  # share of trials within the bound, for each reading
    angle: float  # mean of arccos K


def sample(rng: np.random.Generator, mean: Float64Array, dispersion: float, count: int) -> Float64Array:
    """Unit document vectors around a mean direction."""
    noise = rng.standard_normal((count, len(mean))) * dispersion / np.sqrt(len(mean))
    documents: Float64Array = mean + noise
    unit: Float64Array = documents / np.linalg.norm(documents, axis=1, keepdims=True)
    return unit


def centroid(documents: Float64Array) -> Float64Array:
    """QE: the unit centroid."""
    total: Float64Array = documents.sum(axis=0)
    return total / np.linalg.norm(total)


def angles(documents: Float64Array, mean: Float64Array) -> Float64Array:
    """The angle between each document and the mean direction."""
    return np.arccos(np.clip(documents @ mean, -1, 1))


def overlap_and_kernel(rng: np.random.Generator, relevant: int, n: int = N) -> tuple[float, float]:
    """Two queries with the same relevant set, n uniform draws each: mean set overlap and mean K."""
    mean = np.eye(1, 50)[0]
    documents = sample(rng, mean, 1.0, relevant)
    overlaps, kernels = [], []
    for _ in range(TRIALS):
        one, two = (rng.choice(relevant, n, replace=False, shuffle=False) for _ in range(2))
        overlaps.append(len(np.intersect1d(one, two, assume_unique=True)) / n)
        kernels.append(centroid(documents[one]) @ centroid(documents[two]))
    return float(np.mean(overlaps)), float(np.mean(kernels))


def check_bound(
    rng: np.random.Generator,
    dimensions: int,
    dispersions: tuple[float, float],
    between: float = 0.0,
    n: int = N,
) -> BoundCheck:
    """Theorem 3 with an angle `between` the means; with 0 and equal dispersions, theorem 2."""
    means = np.zeros((2, dimensions))
    means[0, 0], means[1, :2] = 1, (np.cos(between), np.sin(between))
    sides = list(zip(means, dispersions, strict=True))
    far = [angles(sample(rng, mean, s, 20_000), mean) for mean, s in sides]
    deviations = [float(each.std()) for each in far]
    squares = [float(np.sqrt((each**2).mean())) for each in far]
    seen = np.empty(TRIALS)
    for trial in range(TRIALS):
        one, two = (centroid(sample(rng, mean, s, n)) for mean, s in sides)
        seen[trial] = np.arccos(np.clip(one @ two, -1, 1))
    noise = 2.58 * sum(deviations) / np.sqrt(n), 2.58 * sum(squares) / np.sqrt(n)
    within = float((seen <= noise[0] + between).mean()), float((seen <= noise[1] + between).mean())
    return BoundCheck(float(np.mean(deviations)), float(np.mean(squares)), noise, within, float(seen.mean()))


def crossing() -> float:
    """The RMS angle in degrees at which sqrt(2) tan(theta) / sqrt(n) reaches the bound of theorem 2.

    >>> round(crossing(), 1)
    78.7
    """
    return float(np.degrees(brentq(lambda theta: np.sqrt(2) * np.tan(theta) - 2 * 2.58 * theta, 1.2, 1.5)))


def report() -> str:
    """The three theorems, each with bound and observation."""
    rng = np.random.default_rng(SEED)
    parts = [
        "### Theorem 1, and what K does meanwhile",
        _theorem_1(rng),
        "### Theorem 2",
        f"In many dimensions arccos K, about sqrt(2) tan(theta) / sqrt(n), reaches 5.16 theta / sqrt(n) at {crossing():.1f}°.",
        _theorem_2(rng),
        "### Theorem 3",
        _theorem_3(rng),
    ]
    return "\n\n".join(parts)


def _theorem_1(rng: np.random.Generator) -> str:
    rows = []
    for relevant in (N, 400, 1_000, 10_000, 50_000):
        overlap, kernel = overlap_and_kernel(rng, relevant)
        rows.append([f"{relevant:,}", number(N / relevant, 4), number(overlap, 4), number(kernel, 4)])
    return table(["relevant documents", "n/\\|T\\|", "observed overlap", "observed mean K"], rows)


def _theorem_2(rng: np.random.Generator) -> str:
    rows = []
    for dimensions in DIMENSIONS:
        for dispersion in (*MODERATE, *LARGE):
            check = check_bound(rng, dimensions, (dispersion, dispersion))
            rows.append([str(dimensions), f"{dispersion:g}", *_cells(check)])
    return table(["dimensions", "dispersion", *_HEADER], rows)


def _theorem_3(rng: np.random.Generator) -> str:
    rows = []
    for degrees in (10, 45, 80):
        for dispersions in ((0.5, 1.0), (1.0, 2.0), (2.0, 16.0)):
            check = check_bound(rng, 300, dispersions, np.radians(degrees))
            rows.append([f"{degrees}°", "{:g}, {:g}".format(*dispersions), *_cells(check)])
    return table(["angle of the means", "dispersions", *_HEADER], rows)


_HEADER = (
    "sd of the angle",
    "RMS angle",
    "mean arccos K",
    "noise term (sd)",
    "held (sd)",
    "noise term (RMS)",
    "held (RMS)",
)


def _cells(check: BoundCheck) -> list[str]:
    (noise_sd, noise_rms), (within_sd, within_rms) = check.noise, check.within
    lengths = (check.deviation, check.root_mean_square, check.angle)
    return [
        *(f"{np.degrees(each):.1f}°" for each in lengths),
        f"{np.degrees(noise_sd):.1f}°",
        f"{within_sd:.1%}",
        f"{np.degrees(noise_rms):.1f}°",
        f"{within_rms:.1%}",
    ]


if __name__ == "__main__":
    print(report())
