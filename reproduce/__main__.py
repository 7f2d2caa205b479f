"""Run everything: `python -m reproduce` writes RESULTS.md, `python -m reproduce studies` STUDIES.md.

Results are the papers' tables and figures on real data; studies are what our own choices rest on.
"""

import os
import sys
import time
from collections.abc import Callable

from querykin import Workspace, __version__
from reproduce import (
    ablation,
    alfonseca_table1,
    analysis,
    company,
    company_cost,
    constants,
    data,
    judged,
    keywords,
    landing_pages,
    latent_kernel,
    learned,
    metzler_figure2,
    metzler_table4,
    own_corpus,
    pool,
    sahami_figures,
    study_notes,
    table1,
    theorems,
    tweak,
    web_relevance,
    yih_meek_table1,
    yih_meek_table2,
)

Report = Callable[[Workspace], str]
SECTIONS: list[tuple[str, str, Report, str]] = [
    ("Sahami & Heilman (2006), table 1", "table1", table1.report, analysis.TABLE1),
    ("Sahami & Heilman (2006), figures 1 and 2", "sahami_figures", sahami_figures.report, analysis.FIGURES),
    ("Sahami & Heilman (2006), theorems 1 to 3", "theorems", lambda _: theorems.report(), analysis.THEOREMS),
    ("Metzler et al. (2007), figure 2", "metzler_figure2", metzler_figure2.report, analysis.FIGURE2),
    ("Metzler et al. (2007), table 4", "metzler_table4", metzler_table4.report, analysis.TABLE4),
    ("Yih & Meek (2007), table 1", "yih_meek_table1", lambda _: yih_meek_table1.report(), analysis.AGREEMENT),
    ("Yih & Meek (2007), table 2", "yih_meek_table2", yih_meek_table2.report, analysis.TABLE2),
    ("Yih & Meek (2007), table 2: learning", "learned", learned.report, analysis.LEARNED),
    ("Keywords of documents", "keywords", keywords.report, analysis.KEYWORDS),
    ("Web-relevance", "web_relevance", web_relevance.report, analysis.RELEVANCE),
    ("Yih (2009), table 1", "tweak", tweak.report, analysis.TWEAK),
    ("Yih (2009), table 2", "landing_pages", landing_pages.report, analysis.PAGES),
    ("Alfonseca et al. (2009), table 1", "alfonseca_table1", alfonseca_table1.report, analysis.MEANS),
    ("Alfonseca et al. (2009), table 3", "company", company.report, analysis.COMPANY),
    ("Every measure on every judged set", "judged", judged.report, analysis.JUDGED),
    ("Search of an open pool", "pool", pool.report, analysis.POOL),
    ("One's own corpus", "own_corpus", own_corpus.report, analysis.OWN_CORPUS),
]
STUDIES: list[tuple[str, str, Report, str]] = [
    ("Step by step from the printed kernel to web-kernel", "ablation", ablation.report, study_notes.STEPS),
    ("The constants of web-kernel", "constants", constants.report, study_notes.CONSTANTS),
    (
        "Rows of fewer terms",
        "constants row_terms",
        lambda workspace: constants.report(workspace, constants.ROW_TERMS),
        study_notes.ROW_TERMS,
    ),
    ("Smoothing of counts", "company smoothing", company.smoothing, study_notes.SMOOTHING),
    ("What the company of words costs", "company_cost", company_cost.report, study_notes.COMPANY_COST),
    ("A latent semantic kernel", "latent_kernel", latent_kernel.report, study_notes.LATENT_KERNEL),
]


def main() -> None:
    """Write the results or the studies, or say why there are none."""
    if absent := data.missing():
        print(absent)
        return
    wanted = sys.argv[1:] or ["results"]
    if wanted not in (["results"], ["studies"]):
        sys.exit(f"python -m reproduce takes results or studies, got {' '.join(wanted)}")
    start = time.perf_counter()
    workspace = data.workspace()
    sections = [_section(workspace, *section) for section in (SECTIONS if wanted == ["results"] else STUDIES)]
    minutes = (time.perf_counter() - start) / 60
    out = data.ROOT / "reproduce" / f"{wanted[0].upper()}.md"
    out.write_text("\n\n".join([_head(workspace, wanted[0], minutes), *sections]) + "\n", "utf-8")
    print(f"written: {out.relative_to(data.ROOT)}")


def _head(workspace: Workspace, wanted: str, minutes: float) -> str:
    settings = "\n".join(
        f"- `{name}`: `{workspace.measure(name)!r}`" for name in judged.static_measures(workspace)
    )
    return f"""# {wanted.title()}

Written by `python -m reproduce {wanted}` with querykin {__version__} in {minutes:.0f} minutes on {os.cpu_count()} cores (scores kept from
earlier runs are not computed again); set `QUERYKIN_DATA` to the folder of the data. The paragraphs under "Reading" were
written by hand after the run whose figures stand in this file. An interval in brackets is the middle 95 % of what
resampled groups (queries, needs) give; a difference counts only where it leaves out 0.

Corpus: Simple English Wikipedia (2021) and the oldest articles of English Wikipedia (2015, their first 4,000
characters): {data.build_facts()}.

Settings, all defaults:

{settings}
- expansion: windows of {workspace.expander.window} characters; a text is covered when its results hold \
{workspace.expander.idf_coverage:.0%} of its idf mass"""


def _section(workspace: Workspace, title: str, module: str, report: Report, reading: str) -> str:
    print(f"\n## {title}\n", flush=True)
    start = time.perf_counter()
    text = report(workspace)
    print(f"{text}\n\n({time.perf_counter() - start:.0f} s)", flush=True)
    return f"## {title}\n\n`python -m reproduce.{module}`\n\n{text}\n\n### Reading\n\n{reading.strip()}"


if __name__ == "__main__":
    main()
