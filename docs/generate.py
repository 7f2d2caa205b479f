"""Generate docs/reference/measures/: one page per registered measure, with computed example scores.

`make docs` runs this script; `tests/test_docs.py` fails while a page on disk differs from its output.
"""

import math
import re
import sys
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin import Document, Explanation, Workspace
from querykin.io.log_files import LogRecord
from querykin.measures import Family, Measure, VectorMeasure, measures
from querykin.measures.parameters import parameters_of

PAGES = Path(__file__).parent / "reference" / "measures"
DOCUMENTS = (
    ("Seattle Mariners", "The Seattle Mariners are a baseball team. Tickets for a season's game sell early."),
    ("Safeco Field", "The stadium of the Mariners in Seattle; the baseball schedule hangs there."),
    ("Baseball", "In baseball a pitcher throws the ball to a batter of the other team through nine innings."),
    ("Seattle", "Seattle is a port in the north west with hotels, rain and a tower called the Space Needle."),
    ("NASA", "NASA leads space exploration. Rockets carry astronauts and probes into orbit and to the Moon."),
    ("Rocket", "A rocket lifts a probe into space; astronauts of NASA travel on the largest ones."),
    ("Moon", "Astronauts of the Apollo missions walked on the Moon after a long travel through space."),
    ("Java", "Java is an island of Indonesia with volcanoes, rice fields and the city of Jakarta."),
    ("Java (programming language)", "Java is a programming language; it runs on a virtual machine."),
    ("Apple pie", "An apple pie is baked in the oven with cinnamon and sugar in a crust of pastry."),
)
PAIRS = (
    ("seattle mariners tickets", "seattle mariners"),
    ("seattle mariners", "seattle mariner"),
    ("seattle mariners", "baseball season schedule"),
    ("space exploration", "NASA"),
    ("space exploration", "apple pie"),
    ("space exploration", "qwrtp"),
)
LOG = (
    ("seattle mariners", "baseball season schedule", "https://mariners.example/schedule"),
    ("seattle mariners", "mariners tickets seattle", "https://mariners.example/tickets"),
    ("baseball season schedule", "mariners tickets seattle", "https://mariners.example/schedule"),
    ("space exploration", "NASA", "https://nasa.example"),
    ("NASA", "space exploration", "https://nasa.example"),
    ("apple pie", "seattle mariners", "https://pie.example"),
)
PHRASED = (
    ("Hot dog", "A hot dog is a sausage in a bun with mustard. A stand sells a hot dog with onions."),
    ("Street food", "People eat a hot dog, a sausage in a bun, with mustard and onions. A hot dog is cheap."),
    ("Sausage", "A sausage in a bun with mustard: the hot dog of every stand. A hot dog has onions."),
    ("Dog", "A dog wags its tail and barks. The dog runs on a leash; a puppy is a young dog with a tail."),
    ("Puppy", "The puppy barks at a dog, wags its tail and pulls the leash. A puppy sleeps in the shade."),
    ("Summer", "Summer is hot and dry. On a hot day the sun burns, and people rest in the shade of a tree."),
    ("Heat", "The weather is hot under the sun in summer. Hot days are long, and the shade is welcome."),
)
PHRASED_PAIRS = (("hot dog", "sausage"), ("hot dog", "puppy"), ("hot dog", "heat"), ("hot dog stand", "bun"))
SHOWN = 6  # terms listed per explanation


def main() -> None:
    """Write all pages; with --check only report those that are out of date."""
    with TemporaryDirectory() as folder:
        pages = dict(write_pages(example_workspace(Path(folder))))
    stale = [name for name, text in pages.items() if _read(PAGES / name) != text]
    if "--check" in sys.argv:
        sys.exit(f"out of date: {', '.join(stale)}; next: make docs" if stale else 0)
    for name in stale:
        (PAGES / name).write_text(pages[name], "utf-8")


def example_workspace(folder: Path, documents: Sequence[tuple[str, str]] = DOCUMENTS) -> Workspace:
    """A workspace over the ten example documents, or over the given ones, with an example log."""
    workspace = Workspace.open(folder)
    workspace.corpus.add(Document(str(n), title, text) for n, (title, text) in enumerate(documents))
    workspace.log.add(
        LogRecord(query, f"{number} {n}", float(place), url)
        for number, (first, second, url) in enumerate(LOG)
        for n in range(number + 3)
        for place, query in enumerate((first, second))
    )
    return workspace.reopen()


def write_pages(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """File name and text of every page."""
    known = [name for name in measures if measures[name].kind.requirements().installed]
    yield "index.md", _overview()
    for name in known:
        yield f"{name}.md", _page(workspace, name)


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _overview() -> str:
    lines = [
        "# Measures",
        "",
        "Each page gives the formula, the properties, the parameters, a worked example and advice on use.",
        "",
        "| measure | family | summary | source |",
        "|---|---|---|---|",
    ]
    for name in sorted(measures):
        kind = measures[name].kind
        summary = _summary(name, kind).replace("|", "\\|")
        source = kind.source or "querykin"
        lines.append(f"| [`{name}`]({name}.md) | {kind.family} | {summary} | {source} |")
    return "\n".join([*lines, "", _GENERATED, "", *_TOCTREE, ""])


def _page(workspace: Workspace, name: str) -> str:
    measure = workspace.measure(name)
    kind = type(measure)
    rest = re.sub(
        r"(?m)^>>> .*\n(?:(?!>>> ).+\n?)*", "", cleandoc(kind.__doc__ or "").partition("\n\n")[2] + "\n"
    ).strip()
    parts = [f"# `{name}`", _summary(name, kind)]
    parts += [rest] if rest else []
    parts += [
        f"**Formula**: {kind.formula}" + (", over Porter stems" if _stemmed(name) else ""),
        f"**Source**: {kind.source or 'querykin'}",
        f"**Use it for**: {kind.advice}",
        _properties(workspace, measure),
        _parameters(kind),
        _examples(measure),
    ]
    parts += [_phrases()] if name == "distributional-ngrams" else []
    parts.append(_GENERATED)
    return "\n\n".join(parts) + "\n"


def _summary(name: str, kind: type[Measure]) -> str:
    first = cleandoc(kind.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    return f"{first} Computed on Porter stems." if _stemmed(name) else first


def _stemmed(name: str) -> bool:
    return bool(measures[name].fixed.get("stems"))


def _properties(workspace: Workspace, measure: Measure) -> str:
    order = (
        "does not matter"
        if measure.symmetric
        else "matters: the first is the query, the second the candidate"
    )
    facts = [f"The order of the two texts {order}."]
    if measure.kernel:
        facts.append(
            "It is a kernel: symmetric, positive semi-definite, in [0, 1], and 1 for identical texts."
        )
    if measure.always_scores:
        facts.append("Every pair has a score; 0 where nothing matches.")
    else:
        facts.append("A text without sufficient evidence is not covered: `-`, `null` or `nan`.")
    facts.append(
        "It needs a corpus." if workspace.requirements(measure.name).corpus else "It needs no corpus."
    )
    if measure.family is Family.LOGS:
        facts.append("It needs a [search log](../../how-to/logs.md).")
    if isinstance(measure, VectorMeasure) and measure.index_name != measure.name:
        facts.append(f"Its index is `{measure.index_name}`, shared by all measures over the same rows.")
    elif measure.components():
        facts.append("Repository search uses the indexes of its parts.")
    elif not isinstance(measure, VectorMeasure):
        facts.append("Repository search is brute force; there is no index.")
    return "\n".join(f"- {fact}" for fact in facts)


def _parameters(kind: type[Measure]) -> str:
    known = parameters_of(kind)
    if not known:
        return "## Parameters\n\nNone."
    rows = [f"| `{p.name}` | `{p.default!r}` | {p.description} |" for p in known]
    return "\n".join(["## Parameters", "", "| parameter | default | meaning |", "|---|---|---|", *rows])


def _examples(measure: Measure) -> str:
    rows = [f"| {a} | {b} | {_number(measure.score_pairs([a], [b])[0])} |" for a, b in PAIRS]
    found = [measure.explain(a, b) for a, b in PAIRS]
    shown = next((each for each in found if len(each.contributions) > 1), found[0])
    over = "log" if measure.family is Family.LOGS else "ten documents"
    head = ["## Worked example", "", f"Computed over the {over} of `docs/generate.py`:", ""]
    table = ["| query | candidate | score |", "|---|---|---|", *rows, ""]
    return "\n".join([*head, *table, "```", *_explained(shown), "```"])


def _phrases() -> str:
    """A worked example for phrases: a title that occurs often enough to have its own counts."""
    names = ("distributional", "distributional-ngrams")
    with TemporaryDirectory() as folder:
        workspace = example_workspace(Path(folder), PHRASED)
        both = [workspace.measure(name) for name in names]
        rows = [
            [a, b, *(_number(measure.score_pairs([a], [b])[0]) for measure in both)] for a, b in PHRASED_PAIRS
        ]
        notes = both[1].explain(*PHRASED_PAIRS[-1]).notes
    head = [
        "## Effect of phrases",
        "",
        "Computed over seven other documents of `docs/generate.py`, in which the title *Hot dog* occurs "
        "often enough to have co-occurrence counts as a phrase:",
        "",
    ]
    table = [f"| query | candidate | {' | '.join(f'`{name}`' for name in names)} |", "|---|---|---|---|"]
    return "\n".join([*head, *table, *(f"| {' | '.join(row)} |" for row in rows), "", "```", *notes, "```"])


def _explained(found: Explanation) -> Iterator[str]:
    yield f"{found.a}  ~  {found.b}   {found.measure} {_number(found.score)}"
    for part in found.contributions[:SHOWN]:
        yield f"{_number(part.share):>8}  {part.label}"
    rest = found.contributions[SHOWN:]
    if rest:
        yield f"{_number(sum(part.share for part in rest)):>8}  {len(rest)} more terms"
    yield from found.notes


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value + 0.0:.3f}".replace("-0.000", "0.000")


_GENERATED = "*Generated from the code by `make docs`.*"
_TOCTREE = ("```{toctree}", ":hidden:", ":glob:", "", "*", "```")

if __name__ == "__main__":
    main()
