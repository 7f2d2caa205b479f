"""Ahrefs Keywords Explorer; its headers are English in every language."""

from querykin.io.exports.export import Export

EXPORT = Export(
    "Ahrefs",
    "queries",
    columns={"query": (("Keyword",),), "count": (("Volume", "Search Volume"),)},
    marks=(("Difficulty", "KD"), ("Parent Keyword", "Parent Topic", "Traffic potential", "CPS")),
)
