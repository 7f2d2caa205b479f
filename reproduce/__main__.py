"""Run all reports: `python -m reproduce` writes RESULTS.md and WHAT_REPRODUCES.md, `python -m reproduce studies` STUDIES.md.

`python -m reproduce NAME` runs one report, as in `python -m reproduce spelling`, and replaces its section; `python -m reproduce readings`
writes the paragraphs under "Reading" and the causes again and leaves all figures as they are. Results are the tables and figures of the papers on real data; studies support the choices made in querykin.

Pages of their own: `python -m reproduce.suggestions` (SUGGESTIONS.md), `reproduce.hybrid` (HYBRID.md),
`reproduce.open_suggestions` (OPEN_SUGGESTIONS.md), `reproduce.clusters` (CLUSTERS.md), `reproduce.engines` (ENGINES.md) and
`reproduce.logs` (LOGS.md).
"""

import re
import sys
from importlib.util import find_spec

from reproduce import data, readings, what_reproduces
from reproduce.published import PublishedOrdering
from reproduce.running import reading_below, run, whole
from reproduce.sections import FILES


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
    orderings: list[PublishedOrdering] = []
    if section:
        text = with_section(out.read_text("utf-8"), run(workspace, *section)[0])
    else:
        text, orderings = whole(workspace, name)
    out.write_text(text, "utf-8")
    print(f"written: {out.relative_to(data.ROOT)}")
    wrong = contradictions(text)
    if orderings:
        wrong += what_reproduces.write(orderings)
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
            return with_section(text, section.partition("\n\n### Reading\n")[0] + reading_below(reading))
    return text


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


if __name__ == "__main__":
    main()
