"""The web kernel through MediaWiki's search and through the embedded engines, over the same documents.

`python -m reproduce.engines [PAIRS]` writes ENGINES.md, with all judged pairs or with so many of each set, drawn at
random. It needs MediaWiki (see reproduce/mediawiki.py); the wiki and its replies are kept, so that a second run asks
only what it did not ask before.
"""

import shutil
import sys
from itertools import islice
from pathlib import Path

import numpy as np

from querykin import Document, Workspace
from querykin.compute.arrays import Float64Array
from querykin.io.documents import read_documents
from querykin.measures.web_kernel import WebKernel
from querykin.search.engine import SearchEngine
from querykin.search.engine_settings import EngineSettings
from querykin.search.expansion import Expander
from querykin.search.external.reply_cache import REPLIES, problems
from querykin.settings import Settings
from querykin.settings_sections import TextSettings
from querykin.storage.sqlite_files import copy_database
from reproduce import data
from reproduce.engine_report import Step, Study, markdown
from reproduce.engine_steps import AllWords, ChosenDocuments, FoundElsewhere
from reproduce.judged_sets import JudgedSet, read_set
from reproduce.mediawiki import MISSING, MediaWiki, page_title

DOCUMENTS = 8000
SETS = ("uqv100", "neuqs QR", "neuqs QAC")
MEASURE = "web-kernel"
SNIPPET = 200  # characters; a snippet of MediaWiki has about as many
ENGLISH = TextSettings(language="en")
PAGE = data.ROOT / "reproduce" / "ENGINES.md"


def report(pairs: int | None = None) -> str:
    """The page as Markdown."""
    folder = data.cache_folder() / f"engines-{DOCUMENTS}"
    documents, studies = _documents(), []
    with MediaWiki(folder / "wiki", documents) as wiki:
        local = _local(folder / "corpus", documents)
        for name in SETS:
            judged = _sample(read_set(name), pairs)
            studies.append(_study(folder, local, wiki.api, judged))
    return markdown(studies, DOCUMENTS, MEASURE, SNIPPET)


def _study(folder: Path, local: Workspace, api: str, judged: JudgedSet) -> Study:
    """All scores of a set: those of both engines, and those of the steps between them."""
    asked = _on_wiki(folder / "wiki-corpus", local, _settings(api, "corpus"))
    elsewhere = _scored(asked, judged)
    seen = _on_wiki(folder / "wiki-snippets", None, _settings(api, "snippets"), asked.path)
    texts = list(dict.fromkeys([*judged.left, *judged.right]))
    found = FoundElsewhere(local.corpus, asked.expander.engine, page_title)
    expanders: dict[Step, Expander] = {
        Step.EMBEDDED: local.expander,
        Step.WINDOWS: _expander(local, local.expander.engine),
        Step.STRICT: _expander(local, ChosenDocuments(local.corpus, AllWords(local.corpus, False), True)),
        Step.RELAXED: _expander(local, ChosenDocuments(local.corpus, AllWords(local.corpus), True)),
        Step.DOCUMENTS: _expander(local, ChosenDocuments(local.corpus, found, True)),
        Step.ORDER: _expander(local, ChosenDocuments(local.corpus, found, False)),
    }
    scores = {step: _kernel(expander, judged) for step, expander in expanders.items()}
    scores |= {Step.SNIPPETS: elsewhere, Step.FREQUENCIES: _scored(seen, judged)}
    expanders |= {Step.SNIPPETS: asked.expander, Step.FREQUENCIES: seen.expander}
    offline = Workspace.open(asked.path, _settings(api, "corpus", offline=True))
    tantivy = Workspace.open(local.path, Settings(engine=EngineSettings(kind="tantivy"), text=ENGLISH))
    return Study(
        judged,
        scores,
        {step: _text_shares(expander, texts) for step, expander in expanders.items()},
        _scored(offline, judged).tobytes() == elsewhere.tobytes(),
        _kernel(tantivy.expander, judged).tobytes() == scores[Step.EMBEDDED].tobytes(),
        found.known / max(1, found.results),
    )


def _scored(workspace: Workspace, judged: JudgedSet) -> Float64Array:
    return workspace.score(list(zip(judged.left, judged.right, strict=True)), [MEASURE])[MEASURE]


def _kernel(expander: Expander, judged: JudgedSet) -> Float64Array:
    return WebKernel(expander).score_pairs(judged.left, judged.right)


def _expander(local: Workspace, engine: SearchEngine) -> Expander:
    return Expander(local.corpus, engine, SNIPPET, local.expander.idf_coverage)


def _text_shares(expander: Expander, texts: list[str]) -> tuple[float, float]:
    """The share of texts with results, and of those that these cover."""
    results, covered = zip(
        *(expander.search(texts[at : at + 256])[1:] for at in range(0, len(texts), 256)), strict=True
    )
    having = np.concatenate([np.diff(each.indptr) > 0 for each in results])
    return float(having.mean()), float(np.concatenate(covered).mean())


def _settings(api: str, frequencies: str, offline: bool = False) -> Settings:
    engine = EngineSettings(
        kind="mediawiki",
        url=api,
        private_hosts=("localhost",),
        rate=1e6,
        max_requests=10**6,
        timeout=600,
        frequencies=frequencies,  # type: ignore[arg-type]
        offline=offline,
    )
    return Settings(engine=engine, text=ENGLISH)


def _documents() -> list[Document]:
    """Documents with distinct titles, as a wiki has them."""
    by_title: dict[str, Document] = {}
    for each in read_documents([data.corpus_file("enwiki-core")], print):
        by_title.setdefault(page_title(each.title), each)
    return list(islice(by_title.values(), DOCUMENTS))


def _local(folder: Path, documents: list[Document]) -> Workspace:
    if not folder.exists():
        Workspace.open(folder, Settings(text=ENGLISH)).corpus.add(documents)
    return Workspace.open(folder, Settings(text=ENGLISH))


def _on_wiki(
    folder: Path, local: Workspace | None, settings: Settings, replies: Path | None = None
) -> Workspace:
    """A workspace on the wiki, as new: over the documents of another one, or with the replies of another one."""
    shutil.rmtree(folder / "corpus", ignore_errors=True)  # words and frequencies are those of one set
    if replies:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        copy_database(replies / REPLIES, folder / REPLIES, problems)
    folder.mkdir(exist_ok=True)
    if local:
        shutil.copytree(local.path / "corpus", folder / "corpus")
    return Workspace.open(folder, settings)


def _sample(judged: JudgedSet, pairs: int | None) -> JudgedSet:
    """A sample; a larger one contains it, so that replies are used again."""
    rows = np.zeros(len(judged.judged), np.bool_)
    rows[np.random.default_rng(0).permutation(len(rows))[:pairs]] = True
    return judged.part(rows)


def main() -> None:
    """Write the page, or say what is missing."""
    lacking = data.missing() or MISSING
    if lacking:
        sys.exit(lacking)
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else None
    PAGE.write_text(report(pairs), "utf-8")


if __name__ == "__main__":
    main()
