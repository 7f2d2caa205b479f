"""Run all reports: `python -m reproduce` writes RESULTS.md and WHAT_REPRODUCES.md, `python -m reproduce studies` STUDIES.md.

`python -m reproduce NAME` runs one report, as in `python -m reproduce spelling`, and replaces its section; `python -m reproduce readings`
writes the paragraphs under "Reading" and the causes again and leaves all figures as they are. Results are the tables and figures of the papers on real data; studies support the choices made in querykin.

Pages of their own: `python -m reproduce.suggestions` (SUGGESTIONS.md), `reproduce.hybrid` (HYBRID.md),
`reproduce.open_suggestions` (OPEN_SUGGESTIONS.md), `reproduce.clusters` (CLUSTERS.md), `reproduce.engines` (ENGINES.md) and
`reproduce.logs` (LOGS.md).
"""

import os
import re
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

from querykin import Workspace, __version__
from reproduce import (
    ablation,
    acronyms,
    advertising,
    alfonseca_table1,
    answers,
    application_notes,
    classification,
    constants,
    cooccurrence,
    cooccurrence_cost,
    corpus_size,
    data,
    equal_settings,
    judged,
    keywords,
    landing_pages,
    latent_kernel,
    learned,
    metzler_figure2,
    metzler_table4,
    own_corpus,
    page_thresholds,
    pool,
    popular_queries,
    readings,
    result_notes,
    sahami_depth,
    sahami_figures,
    sahami_table1,
    short_snippets,
    similarity_sets,
    spelling,
    study_notes,
    theorems,
    tweak,
    web_relevance,
    what_reproduces,
    yih_meek_learning,
    yih_meek_table1,
    yih_meek_table2,
)
from reproduce.markdown import table

Report = Callable[[Workspace], str]
SECTIONS: list[tuple[str, str, Report, str]] = [
    ("Sahami & Heilman (2006), table 1", "sahami_table1", sahami_table1.report, result_notes.TABLE1),
    ("Sahami & Heilman (2006), over n", "sahami_depth", sahami_depth.report, application_notes.DEPTH),
    (
        "Sahami & Heilman (2006), figures 1 and 2",
        "sahami_figures",
        sahami_figures.report,
        result_notes.FIGURES,
    ),
    (
        "Sahami & Heilman (2006), theorems 1 to 3",
        "theorems",
        lambda _: theorems.report(),
        result_notes.THEOREMS,
    ),
    (
        "Sahami & Heilman (2006), section 7",
        "popular_queries",
        popular_queries.report,
        application_notes.POPULAR,
    ),
    ("Metzler et al. (2007), figure 2", "metzler_figure2", metzler_figure2.report, result_notes.FIGURE2),
    ("Metzler et al. (2007), table 4", "metzler_table4", metzler_table4.report, result_notes.TABLE4),
    (
        "Yih & Meek (2007), table 1",
        "yih_meek_table1",
        lambda _: yih_meek_table1.report(),
        result_notes.AGREEMENT,
    ),
    ("Yih & Meek (2007), table 2", "yih_meek_table2", yih_meek_table2.report, result_notes.TABLE2),
    (
        "Measures at equal numbers of results",
        "equal_settings",
        equal_settings.report,
        application_notes.EQUAL,
    ),
    (
        "Yih & Meek (2007), table 2: learning as printed",
        "yih_meek_learning",
        yih_meek_learning.report,
        application_notes.PRINTED_LEARNING,
    ),
    ("Yih & Meek (2007), table 2: learning", "learned", learned.report, result_notes.LEARNED),
    ("Keywords of documents", "keywords", keywords.report, result_notes.KEYWORDS),
    ("Web-relevance", "web_relevance", web_relevance.report, result_notes.RELEVANCE),
    ("Yih (2009), table 1", "tweak", tweak.report, result_notes.TWEAK),
    ("Yih (2009), table 2", "landing_pages", landing_pages.report, result_notes.PAGES),
    ("Alfonseca et al. (2009), table 1", "alfonseca_table1", alfonseca_table1.report, result_notes.MEANS),
    ("Alfonseca et al. (2009), table 3", "cooccurrence", cooccurrence.report, result_notes.COOCCURRENCE),
    (
        "Alfonseca et al. (2009), short snippets",
        "short_snippets",
        short_snippets.report,
        application_notes.SHORT_SNIPPETS,
    ),
    ("Every measure on every judged set", "judged", judged.report, result_notes.JUDGED),
    ("Words, phrases and sentences", "similarity_sets", similarity_sets.report, application_notes.SIMILARITY),
    ("Search of an open pool", "pool", pool.report, result_notes.POOL),
    ("A corpus of the same domain", "own_corpus", own_corpus.report, result_notes.OWN_CORPUS),
    ("Applications: topics of snippets", "classification", classification.report, application_notes.TOPICS),
    ("Applications: answers to questions", "answers", answers.report, application_notes.ANSWERS),
    ("Applications: acronyms", "acronyms", acronyms.report, application_notes.ACRONYMS),
    ("Applications: advertising keywords", "advertising", advertising.report, application_notes.ADVERTISING),
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
    ("Smoothing of counts", "cooccurrence smoothing", cooccurrence.smoothing, study_notes.SMOOTHING),
    (
        "Cost of co-occurrence counts",
        "cooccurrence_cost",
        cooccurrence_cost.report,
        study_notes.COOCCURRENCE_COST,
    ),
    ("Thresholds of landing pages", "page_thresholds", page_thresholds.report, study_notes.PAGE_THRESHOLDS),
    ("A latent semantic kernel", "latent_kernel", latent_kernel.report, study_notes.LATENT_KERNEL),
    ("Spelling correction", "spelling", spelling.report, study_notes.SPELLING),
    ("The size of a corpus", "corpus_size", corpus_size.report, study_notes.CORPUS_SIZE),
]
FILES = {"results": SECTIONS, "studies": STUDIES}


def main() -> None:
    """Write the results, the studies or one section, or print which data is missing."""
    if sys.argv[1:] == ["readings"]:
        _stop_at(write_readings())
        return
    if absent := data.missing():
        print(absent)
        return
    wanted = " ".join(sys.argv[1:]) or "results"
    single = {each[1]: (name, each) for name, sections in FILES.items() for each in sections}
    if wanted not in {*FILES, *single}:
        sys.exit(f"python -m reproduce takes {', '.join([*FILES, 'readings', *single])}, got {wanted}")
    if wanted == "results" and not find_spec("yake"):
        sys.exit("YAKE is missing, to which keywords are compared; install it with: make .venv/reproduce")
    workspace = data.workspace()
    name, section = single.get(wanted, (wanted, None))
    out = data.ROOT / "reproduce" / f"{name.upper()}.md"
    if section:
        text = with_section(out.read_text("utf-8"), run(workspace, *section)[0])
    else:
        text = whole(workspace, name)
    out.write_text(text, "utf-8")
    print(f"written: {out.relative_to(data.ROOT)}")
    wrong = contradictions(text)
    if wanted == "results":
        wrong += what_reproduces.write(workspace)
    _stop_at(wrong)


def _stop_at(wrong: list[str]) -> None:
    if wrong:
        sys.exit("written readings contradict the tables; write them again:\n" + "\n".join(wrong))


def write_readings() -> list[str]:
    """Write the readings and causes into the pages as they are; returns what contradicts them."""
    wrong = []
    for name, sections in FILES.items():
        page = data.ROOT / "reproduce" / f"{name.upper()}.md"
        text = page.read_text("utf-8")
        for title, _, _, reading in sections:
            text = with_reading(text, title, reading)
        page.write_text(text, "utf-8")
        wrong += contradictions(text)
    return wrong + what_reproduces.write_causes()


def with_reading(text: str, title: str, reading: str) -> str:
    r"""A page with another reading of one of its sections.

    >>> with_reading("# Page\n\n## A\n\n.5\n\n### Reading\n\nold\n", "A", "\nIt is .5.\n")
    '# Page\n\n## A\n\n.5\n\n### Reading\n\nIt is .5.\n'
    """
    for section in re.split(r"\n+(?=## )", text.rstrip("\n"))[1:]:
        if section.partition("\n")[0] == f"## {title}":
            return with_section(text, section.partition("\n\n### Reading\n")[0] + _words(reading))
    return text


def _words(reading: str) -> str:
    return f"\n\n### Reading\n\n{reading.strip()}" if reading else ""


def whole(workspace: Workspace, name: str) -> str:
    """All sections of a file, with the processor time of each."""
    start, sections, times = time.perf_counter(), [], []
    for number, each in enumerate(FILES[name], 1):
        print(
            f"\n{number} of {len(FILES[name])}, {(time.perf_counter() - start) / 60:.0f} minutes", flush=True
        )
        text, seconds = run(workspace, *each)
        sections.append(text)
        times.append([each[0], f"{seconds:,.0f}"])
    minutes = (time.perf_counter() - start) / 60
    timed = "## Processor time\n\nSeconds of all cores:\n\n" + table(["section", "seconds"], times)
    return "\n\n".join([_head(workspace, name, minutes), *sections, timed]) + "\n"


def contradictions(text: str) -> list[str]:
    """The figures that readings of a file have and the tables above them have not."""
    found = []
    for section in re.split(r"\n+(?=## )", text):
        tables, _, reading = section.partition("\n### Reading\n")
        title = section.partition("\n")[0].removeprefix("## ")
        found += [f"{title}: {figure}" for figure in readings.contradictions(tables, reading)]
    return found


def with_section(text: str, section: str) -> str:
    r"""A page with one of its sections replaced, or added at the end.

    >>> with_section("# Page\n\n## A\n\nold\n\n## B\n", "## A\n\nnew")
    '# Page\n\n## A\n\nnew\n\n## B\n'
    """
    title = section.partition("\n")[0]
    head, *sections = re.split(r"\n+(?=## )", text.rstrip("\n"))
    titles = [each.partition("\n")[0] for each in sections]
    if title in titles:
        sections[titles.index(title)] = section
    else:
        sections.append(section)
    return "\n\n".join([head, *sections]) + "\n"


def _head(workspace: Workspace, wanted: str, minutes: float) -> str:
    settings = "\n".join(
        f"- `{name}`: `{workspace.measure(name)!r}`" for name in judged.static_measures(workspace)
    )
    return f"""# {wanted.title()}

Written by `python -m reproduce {wanted}` with querykin {__version__} in {minutes:.0f} minutes on {os.cpu_count()} cores (scores cached by
earlier runs are not recomputed); set `QUERYKIN_DATA` to the folder of the data. The paragraphs under "Reading" are written by hand;
a run fails where one has a figure that its tables have not. An interval in brackets is the 95 % bootstrap interval over
groups (queries, needs); a difference counts only where the interval excludes 0.

Corpus: Simple English Wikipedia (2021) and the oldest articles of English Wikipedia (2015, their first 4,000
characters): {data.build_facts()}.

Settings, all defaults:

{settings}
- expansion: windows of {workspace.expander.window} characters; a text is covered when its results hold \
{workspace.expander.idf_coverage:.0%} of its idf mass"""


def run(workspace: Workspace, title: str, module: str, report: Report, reading: str) -> tuple[str, float]:
    """One section, and the processor time it took; it may not write into the shared workspace."""
    print(f"\n## {title}\n", flush=True)
    before, start = data.manifests(workspace), _processor_time()
    text = report(workspace)
    seconds = _processor_time() - start
    print(f"{text}\n\n({seconds:.0f} s of processor time)", flush=True)
    if data.manifests(workspace) != before:
        sys.exit(f"{module} wrote into the workspace that all sections read; use data.linked")
    return f"## {title}\n\n`python -m reproduce.{module}`\n\n{text}{_words(reading)}", seconds


def _processor_time() -> float:
    """Of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main()
