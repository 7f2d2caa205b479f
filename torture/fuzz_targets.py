"""What `fuzz` gives its inputs to: readers, the tokenizer, models and settings."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any

Target = Callable[[bytes, Path], object]
_numbers = count()


def _file(data: bytes, folder: Path, suffix: str) -> str:
    path = folder / f"input{suffix}"
    path.write_bytes(data)
    return str(path)


def _ignore(problem: object) -> None:
    pass


def _consume(items: Iterable[object]) -> None:
    for _ in items:
        pass


def _documents(*suffixes: str) -> Target:
    def read(data: bytes, folder: Path) -> None:
        from querykin.io.documents import read_documents

        path = _file(data, folder, suffixes[next(_numbers) % len(suffixes)])
        _consume(read_documents([path], _ignore))

    return read


def _standard_input(data: bytes, folder: Path) -> None:
    from querykin.io.documents import read_documents

    _consume(read_documents(["-"], _ignore, stdin=BytesIO(data)))


def _queries(data: bytes, folder: Path) -> None:
    from querykin.io.query_files import read_queries

    suffix = (".csv", ".txt", ".xlsx", ".jsonl", ".zip", ".parquet", ".json")[next(_numbers) % 7]
    _consume(read_queries(_file(data, folder, suffix), _ignore))


def _query_list(data: bytes, folder: Path) -> None:
    from querykin.io.query_files import read_queries

    _consume(read_queries("-", _ignore, BytesIO(data)))


def _log(data: bytes, folder: Path) -> None:
    from querykin.io.log_files import read_logs

    suffix = (".tsv", ".csv", ".jsonl", ".json")[next(_numbers) % 4]
    _consume(read_logs([_file(data, folder, suffix)], _ignore))


def _reply(data: bytes, folder: Path) -> None:
    from querykin.search.engine import engine_class
    from querykin.search.engine_settings import EngineSettings
    from querykin.search.external.reply_cache import ReplyCache

    kind = ("mediawiki", "searxng", "brave", "solr")[next(_numbers) % 4]
    settings = EngineSettings(kind=kind, url="https://search.example.com")
    engine: Any = engine_class(settings)
    engine(settings, ReplyCache(folder)).read(data)


def _keyword_table(data: bytes, folder: Path) -> None:
    from querykin.io.keyword_tables import read_keyword_table

    table = read_keyword_table(_file(data, folder, ".csv"), _ignore)
    _consume(table.rows())


def _query_export(data: bytes, folder: Path) -> None:
    from querykin.io.query_exports import is_query_export, read_query_export

    path = _file(data, folder, ".tsv")
    is_query_export(path)
    _consume(read_query_export(path))


def _judged_pairs(data: bytes, folder: Path) -> None:
    from querykin.io.judgement_files import read_judged_pairs

    read_judged_pairs(_file(data, folder, (".tsv", ".csv", ".jsonl")[next(_numbers) % 3])).threshold()


def _qrels(data: bytes, folder: Path) -> None:
    from querykin.io.trec import read_qrels

    read_qrels(_file(data, folder, ".qrels"))


def _run(data: bytes, folder: Path) -> None:
    from querykin.io.trec import read_run

    read_run(_file(data, folder, ".run"))


def _evaluate(data: bytes, folder: Path) -> None:
    from querykin.evaluation.results import evaluate
    from querykin.io.judgement_files import read_judged_pairs

    judged = read_judged_pairs(_file(data, folder, ".tsv"), scores=["model"])
    evaluate(judged, dict(judged.scores))


def _gold(data: bytes, folder: Path) -> None:
    from querykin.learning.keywords.gold_documents import read_gold

    read_gold(_file(data, folder, ".jsonl"), _ignore)


def _html(data: bytes, folder: Path) -> None:
    from querykin.io.documents.html import parse_html
    from querykin.io.encodings import decode
    from querykin.io.markup import strip_html

    text = decode(data)
    parse_html(text)
    strip_html(text)


def _wikitext(data: bytes, folder: Path) -> None:
    from querykin.io.documents.wikitext import plain_text

    plain_text(data.decode("utf-8", "replace"))


def _tokens(data: bytes, folder: Path) -> None:
    from querykin.text.normalization import fold_case, normalize_query
    from querykin.text.tokenizer import tokenize

    text = (
        data.decode("utf-8", "surrogatepass" if next(_numbers) % 2 else "replace") if _is_text(data) else ""
    )
    tokens = tokenize([text, text[::-1]])
    tokens.joined()
    fold_case(text)
    normalize_query(text)


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _language(data: bytes, folder: Path) -> None:
    from querykin.text.language_recognition import recognize

    recognize(data.decode("utf-8", "replace").split("\n"))


def _parse_numbers(data: bytes, folder: Path) -> None:
    from querykin.io.numbers import parse_count, parse_number

    text = data.decode("utf-8", "replace")
    parse_number(text)
    with suppress(ValueError, OverflowError):  # what its callers expect
        parse_count(text)


def _settings(data: bytes, folder: Path) -> None:
    from querykin.settings import Settings

    Settings.read(Path(_file(data, folder, ".toml")))


def _model(data: bytes, folder: Path) -> None:
    from querykin.learning.keywords.extractor import Extractor
    from querykin.learning.tweak.term_weights import TermWeights
    from querykin.model_files import Model

    model = Model.read(Path(_file(data, folder, ".json")))
    if model.kind == "tweak":
        TermWeights.of(model.content)
    elif model.kind == "keywords":
        Extractor.of(model.content)
    else:
        _combine(model.content)


def _combine(content: Any) -> None:
    import numpy as np

    from querykin.learning.combination.features import PairFeatures
    from querykin.learning.combination.fitting import combined

    names = tuple(content["features"])
    values = np.linspace(-1, 1, 3 * len(names)).reshape(3, len(names))
    combined(content, PairFeatures(names, values, np.zeros(3, np.int64)))


def _json(data: bytes, folder: Path) -> None:
    from querykin.io.characters import sanitize_json
    from querykin.untrusted_json import InvalidJson, parse_json

    with suppress(InvalidJson):
        json.dumps(sanitize_json(parse_json(data), is_stored=True), allow_nan=False)


def _block_list(data: bytes, folder: Path) -> None:
    from querykin.retrieval.block_list import BlockList

    lines = data.decode("utf-8", "replace").splitlines()
    patterns = [line.removeprefix("re:") for line in lines if line.startswith("re:")]
    BlockList.of([line for line in lines if not line.startswith("re:")], patterns)


def _python_objects(data: bytes, folder: Path) -> None:
    from querykin.io.python_objects import as_documents, as_queries

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(value, list):
        _consume(as_queries(value) if next(_numbers) % 2 else as_documents(value))


TARGETS: dict[str, Target] = {
    "documents .csv .tsv": _documents(".csv", ".tsv"),
    "documents .jsonl .json": _documents(".jsonl", ".json"),
    "documents .xml .rss": _documents(".xml", ".rss"),
    "documents .html": _documents(".html", ".txt", ".md"),
    "documents .xlsx": _documents(".xlsx"),
    "documents .parquet .feather": _documents(".parquet", ".feather"),
    "documents .zip .gz": _documents(".zip", ".csv.gz", ".jsonl.zst", ".txt.xz", ".txt.bz2"),
    "standard input": _standard_input,
    "queries": _queries,
    "queries as list": _query_list,
    "log": _log,
    "reply": _reply,
    "keyword table": _keyword_table,
    "query export": _query_export,
    "judged pairs": _judged_pairs,
    "qrels": _qrels,
    "run": _run,
    "evaluate": _evaluate,
    "gold keywords": _gold,
    "html": _html,
    "wikitext": _wikitext,
    "tokens": _tokens,
    "language": _language,
    "numbers": _parse_numbers,
    "settings": _settings,
    "model": _model,
    "json": _json,
    "block list": _block_list,
    "python objects": _python_objects,
}
