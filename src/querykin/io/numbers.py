"""Numbers as spreadsheets and reports write them, with the separators of any language."""

import math
import re

# Spaces of any width between groups of three digits; Swiss numbers have apostrophes there.
_GROUP_SPACES = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))")
_RANGE = re.compile(r"(?<=[\dkKmM])\s*[-–—]\s*(?=\d)")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*")
_SCALES = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_MISSING = ("", "-", "--", "–", "—", "n/a", "null", "none")


def parse_count(text: str) -> int | None:
    """A count, or None for a cell without one; of a range the lower end, and at least 1.

    Three digits after a separator are thousands, since a count has no decimals.

    >>> [parse_count(text) for text in ("1.234", "1,234", "1 234", "1.234,5", "1K – 10K", "<10", "--")]
    [1234, 1234, 1234, 1234, 1000, 1, None]
    """
    text = text.strip().strip('"').strip()
    if text.casefold() in _MISSING:
        return None
    if text.startswith(("<", "≤")):
        _positive(text[1:])
        return 1
    lower, *upper = _RANGE.split(text.lstrip(">≥~≈"), maxsplit=1)
    if upper:
        _positive(upper[0])
        return max(1, _positive(lower))
    return _positive(lower.rstrip("+"))


def _positive(text: str) -> int:
    compact = _GROUP_SPACES.sub("", text.strip())
    scale = _SCALES.get(compact[-1:].casefold(), 1)
    compact = compact[:-1].rstrip() if scale > 1 else compact
    if scale == 1 and (thousands := _THOUSANDS.fullmatch(compact)):
        return int(compact.replace(thousands[1], ""))
    value = parse_number(compact)
    if not math.isfinite(value):
        raise ValueError(text)
    return int(value * scale)


def parse_number(text: str) -> float:
    """A number with a decimal point or comma; NaN if it is something else. A percentage is a fraction.

    >>> [parse_number(text) for text in ("1.234", "0,5", "1.234,5", "1,234.5", "12,5%", "high")]
    [1.234, 0.5, 1234.5, 1234.5, 0.125, nan]
    """
    compact = _GROUP_SPACES.sub("", text.strip())
    divisor = 100 if compact.endswith("%") else 1
    compact = compact.removesuffix("%").rstrip()
    point, comma = compact.rfind("."), compact.rfind(",")
    if max(compact.count("."), compact.count(",")) > 1 and (groups := _THOUSANDS.match(compact)):
        compact = compact[: groups.end()].replace(groups[1], "") + compact[groups.end() :]
    elif comma >= 0 and point >= 0:
        compact = compact.replace("," if point > comma else ".", "")
    compact = compact.replace(",", ".")
    try:
        return float(compact) / divisor
    except ValueError:
        return math.nan
