"""What reproduces and what does not: `python -m reproduce.what_reproduces` writes WHAT_REPRODUCES.md.

A row per ordering that a paper publishes, on each of our sets, at equal settings. Verdicts are computed; the words on
causes are in `reproduce.causes`, each with the verdict that it was written for.
"""

import sys

from querykin import Workspace
from reproduce import (
    data,
    equal_settings,
    landing_pages,
    metzler_figure2,
    metzler_table4,
    sahami_depth,
    sahami_figures,
    short_snippets,
    tweak,
    yih_meek_learning,
    yih_meek_table2,
)
from reproduce.causes import CAUSES
from reproduce.published import PublishedOrdering, contradicted, page, verdicts, with_causes

SOURCES = (
    sahami_depth,
    sahami_figures,
    metzler_figure2,
    metzler_table4,
    yih_meek_table2,
    equal_settings,
    yih_meek_learning,
    tweak,
    landing_pages,
    short_snippets,
)
OUT = data.ROOT / "reproduce" / "WHAT_REPRODUCES.md"
_HEAD = """# What reproduces and what does not

Written by `python -m reproduce.what_reproduces`, the last step of `make reproduce`. Every row is an ordering that a paper publishes, in
a table, a figure or its text, and the difference of the same two methods on one of our sets, with as many results for one as for the
other. A verdict is computed from the 95 % bootstrap interval over queries (over test folds for learning as printed): the
ordering *holds* or is *reversed* where the interval excludes 0 in its printed digits, else there is *no clear difference*. The tables behind it are in
[RESULTS.md](RESULTS.md).

Two figures of a table that differ by less than .01 are an ordering only where the text of the paper says so. Left out are shares of pairs that a method
covers, which say nothing about the order of those pairs; Dice and cosine in table 2 of Yih & Meek, which rank as Jaccard does or nearly; and the
agreement of raters, which compares no methods. A contrast of Sahami & Heilman's table 1 is one pair of texts against another and has no interval by
itself, so all that have evidence in the corpus are one row for each number of results; RESULTS.md has them one by one, with the question about Lincoln, which
every measure reverses.

The corpus is two encyclopedias where the papers have the web, and the judged sets are others; so a reversal says that the
ordering depends on those, not that the paper is wrong.

"""


def orderings_of(module: str, workspace: Workspace) -> list[PublishedOrdering]:
    """The orderings of one section; most have none."""
    named = {source.__name__.rpartition(".")[2]: source for source in SOURCES}
    return named[module].published(workspace) if module in named else []


def write(found: list[PublishedOrdering]) -> list[str]:
    """Write the page; returns the causes that contradict it."""
    OUT.write_text(_HEAD + page(found, CAUSES) + "\n", "utf-8")
    print(f"written: {OUT.relative_to(data.ROOT)}")
    return contradicted({each.key: each.verdict for each in found}, CAUSES)


def write_causes() -> list[str]:
    """Write the causes into the page as it is; returns those that contradict it."""
    text = OUT.read_text("utf-8")
    OUT.write_text(with_causes(text, CAUSES), "utf-8")
    return contradicted(verdicts(text), CAUSES)


def main() -> None:
    """Write the page, or print which data is missing."""
    if absent := data.missing():
        print(absent)
        return
    workspace = data.workspace()
    if wrong := write([ordering for source in SOURCES for ordering in source.published(workspace)]):
        sys.exit("written causes contradict the verdicts; write them again:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
