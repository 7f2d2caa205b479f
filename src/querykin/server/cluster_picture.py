"""A cluster as a small picture: the head in the middle, members nearer the more alike they are."""

import math
from dataclasses import dataclass

from querykin.clustering.clusters import Cluster, Member

WIDTH, MIDDLE = 640, 320
SHOWN = 12  # members: six rows of labels on each side do not overlap
ROW = 28  # between the labels of a side
NEAREST, FARTHEST = 105.0, 165.0  # distances of the highest score and of the threshold
_SMALLEST, _LARGEST = 4.0, 12.0  # radii of the dots
_LABEL = 21  # characters that fit beside the farthest dot
_MARGIN = 16


@dataclass(frozen=True)
class Dot:
    """A member: place and size of its dot, and its label, whole and shortened."""

    x: float
    y: float
    radius: float
    label_x: float
    on_the_left: bool
    text: str
    label: str


@dataclass(frozen=True)
class ClusterPicture:
    """The dots around the head, the height of the picture, and how many members it does not show."""

    head: str
    radius: float
    middle: float
    height: float
    dots: list[Dot]
    hidden: int


def draw_cluster(cluster: Cluster, threshold: float, highest: float) -> ClusterPicture:
    """Place the members with the highest scores, alternately right and left, best in the middle rows."""
    shown = cluster.members[:SHOWN]
    own = cluster.count - sum(member.count for member in cluster.members)
    largest = max([own, *(member.count for member in shown)])
    offsets = _row_offsets(math.ceil(len(shown) / 2))
    middle = len(offsets) * ROW / 2 + _MARGIN
    dots = []
    for place, member in enumerate(shown):
        y = offsets[place // 2] * ROW
        distance = _distance(member, threshold, highest)
        x, radius = math.sqrt(distance**2 - y**2), _radius(member.count, largest)
        side = -1 if place % 2 else 1
        dots.append(
            Dot(
                round(MIDDLE + side * x, 1),
                round(middle + y, 1),
                radius,
                round(MIDDLE + side * (x + radius + 5), 1),
                side < 0,
                member.query,
                shorten(member.query),
            )
        )
    height = 2 * middle
    return ClusterPicture(
        shorten(cluster.head), _radius(own, largest), middle, height, dots, len(cluster.members) - len(shown)
    )


def _row_offsets(rows: int) -> list[float]:
    """The places of rows relative to the middle, the innermost first.

    >>> _row_offsets(3), _row_offsets(4)
    ([0.0, -1.0, 1.0], [-0.5, 0.5, -1.5, 1.5])
    """
    return sorted((row - (rows - 1) / 2 for row in range(rows)), key=abs)


def _distance(member: Member, threshold: float, highest: float) -> float:
    if math.isnan(member.score) or highest <= threshold:
        return FARTHEST
    share = (highest - member.score) / (highest - threshold)
    return NEAREST + (FARTHEST - NEAREST) * min(max(share, 0.0), 1.0)


def _radius(count: int, largest: int) -> float:
    return round(_SMALLEST + (_LARGEST - _SMALLEST) * math.sqrt(count / max(1, largest)), 1)


def shorten(text: str) -> str:
    """The beginning of a text that fits beside a dot.

    >>> shorten("garden hose"), shorten("a very long keyword of many words")
    ('garden hose', 'a very long keyword …')
    """
    return text if len(text) <= _LABEL else text[: _LABEL - 1].rstrip() + " …"
