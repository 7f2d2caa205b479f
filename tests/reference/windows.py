"""The best window by trying every stretch: proves `windows._richest` and `windows.window`."""

from collections.abc import Hashable, Mapping, Sequence
from math import fsum  # exact, whatever the order: equal stretches stay equal


def window(
    stems: Sequence[Hashable], starts: Sequence[int], weights: Mapping[Hashable, float], width: int
) -> tuple[int, int]:
    """First token and the one behind the last, of tokens with these stems and character offsets."""
    if not stems or starts[-1] - starts[0] <= width:
        return 0, len(stems)
    matches = [i for i, stem in enumerate(stems) if stem in weights]
    best, stretch = (-1.0, 0), None
    for last in matches:
        for begin in matches:
            if begin <= last and starts[last] - starts[begin] <= width:
                inside = [stems[i] for i in matches if begin <= i <= last]
                worth = (fsum(weights[stem] for stem in set(inside)), len(inside))
                if worth > best:
                    best, stretch = worth, (begin, last)
    low = starts[0]
    if stretch is not None:
        middle = (starts[stretch[0]] + starts[stretch[1]]) // 2
        low = max(low, min(middle - width // 2, starts[-1] - width))
    chosen = [i for i, start in enumerate(starts) if low <= start <= low + width]
    return chosen[0], chosen[-1] + 1
