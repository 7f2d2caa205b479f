"""Inputs of `fuzz`: valid files and texts, mutated at random; an input is known by its seed and number."""

import json
import sys
from functools import cache
from pathlib import Path
from random import Random

_ROOT = Path(__file__).parents[1]
_TOKENS = (
    *(
        b"\0",
        b"\r",
        b"\n",
        b"\t",
        b",",
        b";",
        b'"',
        b'""',
        b"'",
        b"\\",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\x81",
        b"\x1a",
    ),
    *(
        b"<",
        b">",
        b"</p>",
        b"<p>",
        b"<b a=1>",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"&#",
        b"&#99999999999;",
        b"&amp;",
    ),
    *(
        b"{{",
        b"}}",
        b"[[",
        b"]]",
        b"{|",
        b"|}",
        b"{",
        b"}",
        b"[",
        b"]",
        b"null",
        b"NaN",
        b"-Infinity",
        b"true",
    ),
    *(
        b"1e308",
        b"-1e308",
        b"1e-320",
        b"1e999",
        b"9" * 20,
        b"9" * 400,
        b"-0",
        b"0x10",
        b"1_000",
        b"1.234,5",
        b"%",
    ),
    *("\u0301".encode() * 40, "\u202e".encode(), "\ud800".encode("utf-8", "surrogatepass"), "🙂".encode()),
    *(
        b"charset=base64",
        b"encoding='utf-7'",
        b"charset=idna",
        b"sep=;\n",
        b"\\ud800",
        b"\\u0000",
        b"= [",
        b"[a]\n",
    ),
)
_SLOW = {"documents .parquet .feather": 50, "evaluate": 5}  # given one input in so many turns
_MAX_BYTES = 20_000  # of an input: most are small, many are read
_JUDGED = b"query\tcandidate\tgrade\trater\tmodel\njava\tcoffee\t1\tann\t0.5\njava\tisland\t2\tbob\t0.25\nbali\tisland\t0\tann\tnan\n"
_QRELS = b"q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
_RUN = b"q1 Q0 d1 1 9.5 run\nq1 Q0 d2 2 8 run\nq2 Q0 d1 1 3 run\n"
_LIST = b"java coffee\t12\nbali\t3\nsumatra island\n"
_PAGE = b"<html><head><title>Java</title><meta name=keywords content='a, b'></head><body><p>An <b>island</b></body>"
_WIKI = b"'''Java''' is an [[island]] of [[Indonesia|the country]].{{cite|a={{b}}}}\n{|\n|a\n|}\n<ref>x</ref> [http://x y]"
_TEXT = "Valentine's Day, 2003! Größe 東京都 ประเทศไทย e\u0301te\u0301 Москва العربية".encode()
_SETTINGS = b'[text]\nlanguage = "en"\n[measures.edit]\n[server]\nport = 8000\n[expansion]\nresults = 30\n'
_SEEDS: dict[str, tuple[bytes, ...]] = {
    "judged pairs": (_JUDGED, _QRELS),
    "qrels": (_QRELS, _JUDGED),
    "run": (_RUN,),
    "evaluate": (_JUDGED,),
    "queries as list": (_LIST,),
    "log": (
        b"session\ttime\tquery\turl\n1\t2020-01-01T00:00\tjava\t/a\n1\t60\tbali\t\n",
        b"query,url,count\njava,/a,3\nbali,/b,1e3\n",
        b'{"query": "java", "reformulation": "bali", "count": 2}\n',
    ),
    "reply": (
        b'{"query": {"search": [{"pageid": 7, "title": "Java", "snippet": "An <b>island</b>"}]}}',
        b'{"results": [{"url": "https://example.com/", "title": "Java", "content": "An island"}]}',
        b'{"type": "search", "web": {"results": [{"url": "/", "title": "a", "extra_snippets": ["b"]}]}}',
        b'{"response": {"docs": [{"id": "7", "score": 1.5, "title": "a"}]}, "highlighting": {"7": {"text": ["b"]}}}',
    ),
    "html": (_PAGE,),
    "wikitext": (_WIKI,),
    "tokens": (_TEXT, _WIKI),
    "language": (_TEXT,),
    "numbers": (b"1.234,5", b"1K - 10K", b"<10", b"12,5%", b"1e5"),
    "settings": (_SETTINGS,),
    "json": (b'{"a": [1, 2.5, "x", null, {"b": []}], "c": "\\u00e9"}',),
    "block list": (b"casino\nfree money\nre:^buy.*now$\n",),
    "gold keywords": (b'{"title": "Java", "text": "An island", "keywords": ["java", "island"]}\n',),
    "python objects": (b'[{"query": "a", "count": 3}, "b", ["c", 2]]',),
}


def make_input(seed: int, number: int, targets: list[str]) -> tuple[str, bytes]:
    """The target of an input and its bytes."""
    random = Random(f"{seed} {number}")
    target = targets[number % len(targets)]
    if target in _SLOW and number // len(targets) % _SLOW[target]:
        target = random.choice([name for name in targets if name not in _SLOW])
    seeds = seeds_of(target)
    data = bytearray(random.choice(seeds)[:_MAX_BYTES])
    for _ in range(random.choice((1, 1, 2, 3, 5, 10))):
        _mutate(data, random, seeds)
    return target, bytes(data[:_MAX_BYTES])


def _mutate(data: bytearray, random: Random, seeds: tuple[bytes, ...]) -> None:
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((1, 1, 2, 4, 16, 100)))
    match random.randrange(8):
        case 0 if data:
            at = min(at, len(data) - 1)
            data[at] ^= 1 << random.randrange(8)
        case 1:
            data[at:at] = random.choice(_TOKENS)
        case 2:
            data[at:end] = random.choice(_TOKENS)
        case 3:
            del data[at:end]
        case 4:
            data[at:at] = data[at:end] * random.choice((1, 2, 50))
        case 5:
            other = random.choice(seeds)
            begin = random.randrange(len(other) + 1)
            data[at:end] = other[begin : begin + random.choice((4, 50, 1000))]
        case 6:
            del data[at:]
        case _:
            data[at:end] = random.randbytes(random.choice((1, 4, 16)))


@cache
def seeds_of(target: str) -> tuple[bytes, ...]:
    """Valid inputs of a target."""
    if target in _SEEDS:
        return _SEEDS[target]
    if target == "model":
        return _models()
    kind = "queries" if target in ("queries", "keyword table", "query export") else "documents"
    suffixes = target.partition(" ")[2].split() if target.startswith("documents ") else []
    return tuple(
        content
        for example in _examples()
        if example.kind == kind  # type: ignore[attr-defined]
        for name, content in example.files.items()  # type: ignore[attr-defined]
        if not suffixes or any(name.endswith(suffix) for suffix in suffixes)
    ) or (_PAGE, _LIST)


@cache
def _examples() -> list[object]:
    sys.path.insert(0, str(_ROOT / "tests"))
    from example_files import all_examples  # type: ignore[import-not-found]

    return list(all_examples())


def _models() -> tuple[bytes, ...]:
    sys.path.insert(0, str(_ROOT / "tests"))
    from querykin.model_files import SHIPPED
    from test_hostile_json import FOREST, LINEAR  # type: ignore[import-not-found]

    head = {"format": "querykin-model", "version": 2, "kind": "combination", "name": "m", "training": {}}
    made = [json.dumps({**head, "content": content}).encode() for content in (LINEAR, FOREST)]
    return (*made, *(path.read_bytes() for path in sorted(SHIPPED.glob("*.json"))))
