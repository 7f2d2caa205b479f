"""Headers of the exports of common programs, in several languages: one small module for each program."""

from collections.abc import Iterable
from importlib import import_module

from querykin.io.exports.export import Export, Kind
from querykin.text.normalization import fold_case

# The more particular first. A module defines EXPORT.
EXPORTS = (
    "search_console",
    "keyword_planner",
    "google_ads_search_terms",
    "google_ads_editor",
    "bing_webmaster",
    "ahrefs",
    "semrush",
    "shopify",
    "woocommerce",
    "merchant_center",
)

__all__ = ["EXPORTS", "Export", "exports", "recognize_export"]


def exports() -> list[Export]:
    """All known exports, in the order in which they are tried."""
    return [import_module(f"{__name__}.{module}").EXPORT for module in EXPORTS]


def recognize_export(header: Iterable[str], kind: Kind) -> Export | None:
    """The export of one kind that has this header.

    >>> recognize_export(["Top queries", "Clicks", "Impressions", "CTR", "Position"], "queries").name
    'Search Console'
    """
    names = {fold_case(name) for name in header}
    return next((known for known in exports() if known.kind == kind and known.matches(names)), None)
