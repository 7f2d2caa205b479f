"""Markers of lines: small shapes that tell lines apart without color."""

from collections.abc import Callable

_SIZE = 3.5  # pixels from the center to the edge


def _polygon(*points: tuple[float, float]) -> Callable[[float, float], str]:
    def path(x: float, y: float) -> str:
        corners = (f"{x + _SIZE * right:.1f} {y + _SIZE * down:.1f}" for right, down in points)
        return "M" + "L".join(corners) + "Z"

    return path


def _bars(*strokes: tuple[float, float]) -> Callable[[float, float], str]:
    """Strokes through the center, in the given directions."""

    def path(x: float, y: float) -> str:
        ends = ((x - _SIZE * a, y - _SIZE * b, x + _SIZE * a, y + _SIZE * b) for a, b in strokes)
        return "".join(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" for x1, y1, x2, y2 in ends)

    return path


def _circle(x: float, y: float) -> str:
    arc = f"a{_SIZE} {_SIZE} 0 1 0"
    return f"M{x - _SIZE:.1f} {y:.1f}{arc} {2 * _SIZE} 0{arc} {-2 * _SIZE} 0Z"


_SHAPES: tuple[Callable[[float, float], str], ...] = (
    _circle,
    _polygon((-1, -1), (1, -1), (1, 1), (-1, 1)),  # square
    _polygon((0, -1.2), (1.1, 0.9), (-1.1, 0.9)),  # triangle
    _bars((1, 1), (1, -1)),  # cross
    _polygon((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),  # diamond
    _bars((1, 0), (0, 1)),  # plus
    _polygon((0, 1.2), (1.1, -0.9), (-1.1, -0.9)),  # triangle, down
)
MARKERS = len(_SHAPES)


def marker(number: int, x: float, y: float, color: str) -> str:
    """The marker with this number at a point, as an SVG element.

    >>> marker(5, 10, 10, "#000000")
    '<path class="marker" fill="#000000" stroke="#000000" d="M6.5 10.0L13.5 10.0M10.0 6.5L10.0 13.5"/>'
    """
    return f'<path class="marker" fill="{color}" stroke="{color}" d="{_SHAPES[number % MARKERS](x, y)}"/>'
