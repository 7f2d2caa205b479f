"""Location of the data, and a workspace of both shared corpora and the web queries, built once and then only read.

QUERYKIN_DATA names the folder of the data (default: ../shared/data beside the repository); QUERYKIN_REPRODUCE the folder
of the workspace and of cached scores (default: .reproduce in the repository; delete it to rebuild).
"""

import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from zlib import crc32

from querykin import Document, Workspace, __version__
from querykin.io.documents import read_documents
from querykin.io.query_files import read_queries

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ("simplewiki", "enwiki-core")
PACKAGES = "debian-packages"  # a corpus of its own
QUERIES = "trec-web-queries"  # the past queries of the workspace
LABELLED = {
    "uqv100": "labelled/uqv100/pairs.tsv.gz",
    "variations": "labelled/uqv100/query_variations.tsv",
    "bird": "labelled/bird_bigrams/pairs.tsv",
    "neuqs": "labelled/neuqs_suggestions/judged_suggestions.tsv.gz",
    "trec_tasks": "labelled/trec_tasks_suggestions/judged_suggestions.tsv.gz",
    "patent": "labelled/patent_phrase_sim/pairs.tsv.gz",
    "factoid": "labelled/factoid_answers/candidates_mturk.tsv.gz",
    "dbpedia": "labelled/dbpedia_entity_v2/query_entity.tsv.gz",
    "chorus": "labelled/chorus_product_relevance/ratings.tsv.gz",
    "products": "labelled/chorus_product_relevance/products.jsonl.gz",
    "open_suggestions": "labelled/open_suggestions/judged.tsv",
    "debian": "labelled/debian_packages/pairs.tsv",
    "stsb": "labelled/stsb_en/pairs.tsv.gz",
    "snippets": "labelled/search_snippets/snippets.tsv.gz",
    "acronyms": "labelled/acronyms_sdu/acronym_expansions.tsv",
    "words": "labelled/word_phrase_sim/pairs.tsv",
    "500n_kpcrowd": "labelled/keyphrases/500n_kpcrowd.jsonl.gz",
    "inspec": "labelled/keyphrases/inspec.jsonl.gz",
    "semeval2017": "labelled/keyphrases/semeval2017.jsonl.gz",
    "www": "labelled/keyphrases/www.jsonl.gz",
    "kdd": "labelled/keyphrases/kdd.jsonl.gz",
}


def data_folder() -> Path:
    """The folder with the shared data."""
    return Path(os.environ.get("QUERYKIN_DATA") or ROOT.parent / "shared" / "data")


def corpus_file(name: str) -> Path:
    """The documents of one corpus."""
    return data_folder() / "corpora" / name / "docs.jsonl.xz"


def list_file(name: str) -> Path:
    """One of the lists of queries."""
    return data_folder() / "queries" / f"{name}.txt.gz"


def labelled_file(name: str) -> Path:
    """One of the judged sets."""
    return data_folder() / LABELLED[name]


def missing() -> str | None:
    """One line on missing files and how to provide them; None if all exist."""
    wanted = [*map(corpus_file, [*CORPORA, PACKAGES]), list_file(QUERIES), *map(labelled_file, LABELLED)]
    absent = [str(path.relative_to(data_folder())) for path in wanted if not path.is_file()]
    if not absent:
        return None
    more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
    return (
        f"skipped: {absent[0]}{more} not found in {data_folder()}; "
        "set QUERYKIN_DATA to the folder that holds corpora/, queries/ and labelled/"
    )


def show(report: Callable[[Workspace], str]) -> None:
    """Print a report on the workspace, or which data is missing."""
    print(missing() or report(workspace()))


@cache
def workspace() -> Workspace:
    """Both corpora, the web queries and what is counted in them, in one workspace, built on first use.

    Scripts only read it: one that indexes or counts has a workspace of its own, `linked` to this one.
    """
    folder = cache_folder()
    opened = Workspace.open(folder / "workspace")
    if not (folder / "build.json").is_file():
        _build(opened)
        opened = opened.reopen()
    print(build_facts())
    return opened


def linked(opened: Workspace, name: str, parts: tuple[str, ...] = ("corpus", "repository")) -> Workspace:
    """A workspace of its own over the same corpus and past queries."""
    folder = opened.path.parent / name
    folder.mkdir(exist_ok=True)
    for part in parts:
        if not (folder / part).exists():
            (folder / part).symlink_to((opened.path / part).resolve(), target_is_directory=True)
    return Workspace.open(folder)


def manifests(opened: Workspace) -> dict[str, str]:
    """The manifest of everything in a workspace; any commit changes one of them."""
    return {
        str(path.relative_to(opened.path)): path.read_text("utf-8")
        for path in sorted(opened.path.rglob("manifest.json"))
    }


def build_facts() -> str:
    """One line on the size and build time of the workspace."""
    facts = json.loads((cache_folder() / "build.json").read_text("utf-8"))
    return (
        f"{facts['documents']:,} documents, {facts['tokens']:,} tokens, {facts['queries']:,} past queries; "
        f"documents added in {facts['seconds']:.0f} s "
        f"with a peak of {facts['peak_mb']:,.0f} MB on {facts['cores']} cores"
    )


def cache_folder() -> Path:
    """The folder of everything cached between runs; its name depends on the data and the version, so that nothing stale is read."""
    files = [*map(corpus_file, CORPORA), list_file(QUERIES)]
    sizes = [(path.name, path.parent.name, path.stat().st_size) for path in files]
    kept = Path(os.environ.get("QUERYKIN_REPRODUCE") or ROOT / ".reproduce")
    return kept / f"{__version__}-{crc32(repr(sizes).encode()):08x}"


def _build(empty: Workspace) -> None:
    start = time.perf_counter()
    empty.corpus.add(documents())  # one call, one transaction
    seconds = time.perf_counter() - start
    opened = empty.reopen()
    opened.repository.add((query, count) for query, count, _ in read_queries(str(list_file(QUERIES)), print))
    opened = opened.reopen()
    opened.update_derived("distributional")
    opened.update_derived("latent")
    opened.update_derived("hybrid-static")  # the document vectors of the default measure too
    facts = {
        "documents": len(opened.corpus),
        "tokens": opened.corpus.statistics.tokens,
        "queries": opened.query_frequencies.queries,  # counts the words of the past queries
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "cores": os.cpu_count(),
    }
    (cache_folder() / "build.json").write_text(json.dumps(facts), "utf-8")


def documents() -> Iterator[Document]:
    """The documents of both corpora; ids are prefixed with the name of the corpus because they overlap."""
    for name in CORPORA:
        for document in read_documents([corpus_file(name)], print):
            yield replace(document, id=f"{name}:{document.id}")
