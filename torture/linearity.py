"""Linear time: hostile texts four times as long take about four times as long, not sixteen."""

from collections.abc import Callable
from time import process_time

from torture.figures import Figures

SIZE = 100_000  # repetitions of a unit
MAX_FACTOR = 9  # of the time for four times the text: 4 if it is linear, 16 if it is quadratic
_RUNS = 3  # of which the fastest counts
_NEGLIGIBLE = 0.02  # seconds: less is not measured reliably


def run(scale: float, seed: int) -> Figures:
    """Measure each function on each of its hostile texts."""
    figures = Figures()
    size = max(1000, round(SIZE * scale))
    for name, (work, unit, end) in _cases().items():
        short, long = (_seconds(work, unit * times * size + end) for times in (1, 4))
        factor = long / max(short, _NEGLIGIBLE)
        outcome = "linear" if factor <= MAX_FACTOR else "over limit"
        figures.record(name, outcome, f"{short:.2f} s, and {long:.2f} s for four times as much")
    return figures


def _seconds(work: Callable[[str], object], text: str) -> float:
    times = []
    for _ in range(_RUNS):
        began = process_time()
        work(text)
        times.append(process_time() - began)
    return min(times)


def _cases() -> dict[str, tuple[Callable[[str], object], str, str]]:
    from querykin.io.csv_rows import Dialect, parse_rows
    from querykin.io.dialects import find_layout
    from querykin.io.documents.html import parse_html
    from querykin.io.documents.wikitext import plain_text
    from querykin.io.encodings import decode
    from querykin.io.markup import strip_html
    from querykin.io.numbers import parse_number
    from querykin.io.xml_parser import root_element
    from querykin.text.language_recognition import recognize
    from querykin.text.normalization import fold_case, normalize_query, to_nfc
    from querykin.text.tokenizer import tokenize

    tags = (
        "<div>",
        "<a href=x>",
        "<b>",
        "<table>",
        "<nav>",
        "<p><b a=1>",
        "<svg>",
        "</div>",
        "<!--",
        "<a ",
        "<p '",
    )
    more_tags = ("<select><option>", "<title>", "&#9", "&amp", "<", "</", "<p x=' ")
    marks = (
        "{{",
        "[[",
        "{|\n",
        "<!--",
        "<ref>",
        "<ref",
        "[http://x ",
        "( ",
        "'''",
        "[[a|",
        "{{a}}",
        "==",
        "&",
        "<br ",
    )
    cases: dict[str, tuple[Callable[[str], object], str, str]] = {}
    for tag in (*tags, *more_tags):
        cases[f"HTML {tag!r}"] = parse_html, tag, "text"
    for tag in ("<a x=", "<a ", " "):
        cases[f"a cell of {tag!r}"] = strip_html, tag, "<p>"
    for mark in marks:
        cases[f"wiki markup {mark!r}"] = plain_text, mark, "text"
        cases[f"closed wiki markup {mark!r}"] = plain_text, mark, "]]}}" * 1000
    for name, unit in {"marks": "\u0301\u0316", "letters": "a", "words": "a ", "ideographs": "東"}.items():
        cases[f"NFC of {name}"] = to_nfc, unit, ""
        cases[f"case folding of {name}"] = fold_case, unit, ""
        cases[f"query of {name}"] = normalize_query, unit, ""
        cases[f"tokens of {name}"] = (lambda text: tokenize([text])), unit, ""
        cases[f"language of {name}"] = (lambda text: recognize([text])), unit, ""
    for unit in ('a"b,"\n', '"\n', '",a"b,"\n', '"",', ",", ";|\t,", 'a,"\n'):
        cases[f"rows of {unit!r}"] = (lambda text: list(parse_rows(_lines(text), Dialect()))), unit, ""
        cases[f"layout of {unit!r}"] = (lambda text: find_layout(_lines(text)[:200], "a.csv")), unit, ""
    for name, code in {"\\x81": "\x81", "\\xe4a": "äa", "\\0a": "\0a"}.items():
        cases[f"encoding of {name}"] = (lambda text: decode(text.encode("latin-1"))), code, ""
    for unit in ("<?a?>", "<?", "<!-- ", "<!DOCTYPE [] ", "] "):
        cases[f"root of {unit!r}"] = (lambda text: root_element(text.encode())), unit, "<"
    for unit in ("1,", "1 ", "1.", "9", "%"):
        cases[f"number of {unit!r}"] = parse_number, unit, ""
    return cases


def _lines(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(keepends=True), start=1))
