"""The web kernel through MediaWiki's search and through the embedded engine, over the same documents.

`python -m reproduce.engines` writes ENGINES.md. It needs MediaWiki (see reproduce/mediawiki.py); the wiki and its replies
are kept, so that a second run asks nothing.
"""

import shutil
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from querykin import Document, Workspace, __version__
from querykin.compute.arrays import Float64Array
from querykin.io.documents import read_documents
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.mediawiki_engine import MediaWikiEngine
from querykin.search.external.reply_cache import REPLIES
from querykin.settings import ExpansionSettings, Settings, TextSettings
from reproduce import data
from reproduce.judged_sets import JudgedSet, auc, read_set
from reproduce.markdown import number, table
from reproduce.mediawiki import MISSING, MediaWiki

DOCUMENTS = 8000
PAIRS = 800  # of each set
SETS = ("uqv100", "neuqs QR")
MEASURE = "web-kernel"
SNIPPET = 200  # characters; a snippet of MediaWiki has about as many
EMBEDDED, SHORT = "embedded (tantivy)", f"embedded, windows of {SNIPPET} characters"
WIKI, SEEN = "MediaWiki, frequencies of the documents", "MediaWiki, frequencies of the snippets"
ENGLISH = TextSettings(language="en")
PAGE = data.ROOT / "reproduce" / "ENGINES.md"


class _WholeTexts(MediaWikiEngine):
    """The same wiki, asked for whole texts only."""

    needs_all_words = False


def report() -> str:
    """The page as Markdown."""
    folder = data.cache_folder() / f"engines-{DOCUMENTS}"
    documents, sections, replayed = _documents(), [], []
    with MediaWiki(folder / "wiki", documents) as wiki:
        workspaces = _workspaces(folder, documents, wiki.api)
        for name in SETS:
            judged = _sample(read_set(name))
            scores = {engine: _scores(workspace, judged) for engine, workspace in workspaces.items()}
            sections.append(f"## {name}\n\n{_table(judged, scores)}")
            offline = Workspace.open(folder / "corpus", _settings(wiki.api, "corpus", offline=True))
            replayed.append(_scores(offline, judged).tobytes() == scores[WIKI].tobytes())
        whole, relaxed = _shares_with_results(workspaces[WIKI])
    head = (
        f"# Engines\n\nWritten by `python -m reproduce.engines`, querykin {__version__}: `{MEASURE}` over the same "
        f"{DOCUMENTS:,} documents of `enwiki-core`, searched by the embedded engine and by MediaWiki 1.39 with SQLite, "
        f"on {PAIRS:,} random pairs of each set. *Both* are the pairs that the engine and the embedded one cover; the "
        "differences are those of the scores of these pairs. A replay of the stored replies, offline, gives the scores "
        f"{'to the last bit' if all(replayed) else 'NOT exactly'}."
    )
    why = (
        "## Why they differ\n\nMediaWiki's own search finds pages with *all* words of a text, stop words included: anything at "
        f"all for {whole:.1%} of the texts. Asked again with fewer words, the longest ones, it finds something for {relaxed:.1%}; "
        "but a text whose results do not match half of its idf mass still counts as not covered, and a pair needs both texts, "
        "which is where the AUC over all pairs is lost. The length of snippets hardly matters, as the embedded engine with "
        "windows of that length shows; the rest is the order of results, which MediaWiki does not rank by relevance, the words "
        "that were left out, and the frequencies, whose effect is that between the last two rows."
    )
    return "\n\n".join([head, *sections, why]) + "\n"


def _scores(workspace: Workspace, judged: JudgedSet) -> Float64Array:
    return workspace.score(list(zip(judged.left, judged.right, strict=True)), [MEASURE])[MEASURE]


def _settings(api: str, frequencies: str, offline: bool = False) -> Settings:
    engine = EngineSettings(
        kind="mediawiki",
        url=api,
        private_hosts=("localhost",),
        rate=1e6,
        max_requests=10**6,
        frequencies=frequencies,  # type: ignore[arg-type]
        offline=offline,
    )
    return Settings(engine=engine, text=ENGLISH)


def _documents() -> list[Document]:
    """Documents with distinct titles, as a wiki has them."""
    by_title: dict[str, Document] = {}
    for each in read_documents([data.corpus_file("enwiki-core")], print):
        by_title.setdefault(each.title[:1].upper() + each.title[1:], each)
    return list(islice(by_title.values(), DOCUMENTS))


def _workspaces(folder: Path, documents: list[Document], api: str) -> dict[str, Workspace]:
    local = folder / "corpus"
    if not local.exists():
        Workspace.open(local, Settings(text=ENGLISH)).corpus.add(documents)
    short = Settings(text=ENGLISH, expansion=ExpansionSettings(window=SNIPPET))
    seen = folder / "snippets"
    shutil.rmtree(seen, ignore_errors=True)  # frequencies are those of the snippets of one run
    seen.mkdir()
    if (local / REPLIES).exists():
        shutil.copy(local / REPLIES, seen / REPLIES)
    return {
        EMBEDDED: Workspace.open(local, Settings(text=ENGLISH)),
        SHORT: Workspace.open(local, short),
        WIKI: Workspace.open(local, _settings(api, "corpus")),
        SEEN: Workspace.open(seen, _settings(api, "snippets")),
    }


def _sample(judged: JudgedSet) -> JudgedSet:
    rows = np.zeros(len(judged.judged), np.bool_)
    rows[Random(0).sample(range(len(rows)), PAIRS)] = True
    return judged.part(rows)


def _table(judged: JudgedSet, scores: Mapping[str, Float64Array]) -> str:
    first, rows = scores[EMBEDDED], []
    for engine, found in scores.items():
        both = np.isfinite(first) & np.isfinite(found)
        difference = np.abs(found[both] - first[both])
        correlation = float(np.corrcoef(found[both], first[both])[0, 1])
        rows.append(
            [
                engine,
                f"{np.isfinite(found).mean():.1%}",
                number(auc(judged.labels, found)),
                f"{both.mean():.1%}",
                number(auc(judged.labels[both], first[both])),
                number(auc(judged.labels[both], found[both])),
                number(float(difference.mean())),
                number(correlation),
            ]
        )
    header = [
        "engine",
        "covered",
        "AUC",
        "both",
        "AUC on both, embedded",
        "AUC on both",
        "mean difference",
        "correlation",
    ]
    return table(header, rows)


def _shares_with_results(workspace: Workspace) -> tuple[float, float]:
    """The share of the texts that the wiki finds pages for: as a whole, and with fewer of their words, too."""
    sides = [side for name in SETS for side in (_sample(read_set(name)),)]
    texts = list(dict.fromkeys(text for side in sides for text in (*side.left, *side.right)))
    engine = workspace.expander.engine
    assert isinstance(engine, MediaWikiEngine)
    relaxed = engine.search_many(texts, 1)
    whole = _WholeTexts(engine.settings, engine.cache).search_many(texts, 1)
    return sum(map(bool, whole)) / len(texts), sum(map(bool, relaxed)) / len(texts)


def main() -> None:
    """Write the page, or say what is missing."""
    lacking = data.missing() or MISSING
    if lacking:
        sys.exit(lacking)
    PAGE.write_text(report(), "utf-8")


if __name__ == "__main__":
    main()
