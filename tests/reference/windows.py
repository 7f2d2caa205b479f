"""The best window by trying every span: the reference for `search.windows`."""

from collections.abc import Hashable, Mapping, Sequence
from math import fsum  # exact in any order: equal spans stay equal


def window(
    stems: Sequence[Hashable], starts: Sequence[int], weights: Mapping[Hashable, float], width: int
) -> tuple[int, int]:
    """The first token of the window and the one after its last, of tokens with these stems and offsets."""
    if not stems or starts[-1] - starts[0] <= width:
        return 0, len(stems)
    matches = [i for i, stem in enumerate(stems) if stem in weights]
    best, span = (-1.0, 0), None
    for last in matches:
        for begin in matches:
            if begin <= last and starts[last] - starts[begin] <= width:
                inside = [stems[i] for i in matches if begin <= i <= last]
                value = (fsum(weights[stem] for stem in set(inside)), len(inside))
                if value > best:
                    best, span = value, (begin, last)
    low = starts[0]
    if span is not None:
        middle = (starts[span[0]] + starts[span[1]]) // 2
        low = max(low, min(middle - width // 2, starts[-1] - width))
    chosen = [i for i, start in enumerate(starts) if low <= start <= low + width]
    return chosen[0], chosen[-1] + 1
