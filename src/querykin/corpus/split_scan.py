"""The first pass over a split of the input: its words, and the hashes of its documents.

A task writes them into a part of the corpus that is not kept. Once the process that asked has numbered the
words of all splits, the second pass (`segment_tasks`) reads the split again and writes segments.
"""

import json
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, make_indptr
from querykin.corpus.additions import LiveDocuments, sources_of
from querykin.corpus.segment import DocumentBatch, TokenizedBatch, batches, tokenize_batch
from querykin.corpus.vocabulary import Vocabulary
from querykin.corpus.word_table import UNKNOWN, WordTable, words_as_tokens
from querykin.errors import InputError
from querykin.io.columns import ColumnMapping, ColumnsRead
from querykin.io.documents.opening import Opener
from querykin.io.documents.split_reading import FileEnd, ReadingListener, read_split
from querykin.io.documents.splits import Split, SplitFile
from querykin.storage.array_files import load, save
from querykin.storage.shared_folders import wait_for_generation
from querykin.storage.store import Store
from querykin.text.analyzer import Analyzer
from querykin.types import SkippedFile, SkippedRecord


@dataclass(frozen=True)
class ScanSplit:
    """The task function: a split to the name of the part with what was found in it."""

    corpus: Path
    generation: int  # of the corpus
    vocabulary: str  # part with the words that are known already; "" if there are none
    live: str  # part with the live documents
    analyzer: Analyzer
    columns: ColumnMapping
    source: str | None  # of all documents; None: each has its own

    def __call__(self, split: Split) -> str:
        """Read and tokenize a split."""
        wait_for_generation(self.corpus, self.generation)
        store = Store(self.corpus, "corpus")
        name = store.new_part("split")
        known = Vocabulary.open(store.part(self.vocabulary), self.analyzer) if self.vocabulary else None
        scan = _Scan(LiveDocuments.open(store.part(self.live)), known, self.source)
        with Opener() as opener, (store.part(name) / "events.jsonl").open("w", encoding="utf-8") as file:
            for batch in batches(read_split(split, opener, self.columns, _Recorder(file))):
                scan.take(batch, self.analyzer)
        scan.save(store.part(name))
        return name


class _Scan:
    """What is found in a split, batch by batch."""

    def __init__(self, live: LiveDocuments, known: Vocabulary | None, source: str | None) -> None:
        self._live, self._known, self._source = live, known, source
        self._words = WordTable.empty()
        self._languages = [np.zeros(0, np.int64)]
        self._batch_words: list[int] = []
        self._batch_tokens: list[int] = []
        self._sources: dict[str, int] = {}
        self._documents: dict[str, list[Int64Array]] = {
            name: [np.zeros(0, np.int64)] for name in ("id_hashes", "content_hashes", "doc_ids", "source_ids")
        }

    def take(self, batch: DocumentBatch, analyzer: Analyzer) -> None:
        names, source_ids = sources_of(batch, self._source)
        numbers = np.array([self._sources.setdefault(name, len(self._sources)) for name in names], np.int64)
        found = {
            "id_hashes": batch.id_hashes,
            "content_hashes": batch.content_hashes,
            "doc_ids": self._live.doc_ids_with(batch),
            "source_ids": numbers[source_ids],
        }
        for name, values in found.items():
            self._documents[name].append(values)
        new = batch.select(found["doc_ids"] < 0)
        before, tokens = self._words.count, 0
        if len(new):
            tokenized = tokenize_batch(new, analyzer)
            tokens = len(tokenized.tokens.begin)
            self._add_words(tokenized)
        self._batch_words.append(self._words.count - before)
        self._batch_tokens.append(tokens)

    def _add_words(self, tokenized: TokenizedBatch) -> None:
        """Remember the words that are not known yet, each with the language of its first document."""
        tokens, languages = tokenized.tokens, tokenized.languages
        if self._known is not None:
            unknown = self._known.lookup(tokens) == UNKNOWN
            languages = languages[unknown]
            tokens = replace(
                tokens,
                begin=tokens.begin[unknown],
                length=tokens.length[unknown],
                hashes=tokens.hashes[unknown],
            )
        before = self._words.count
        ids, first = np.unique(self._words.add_words(tokens), return_index=True)
        self._languages.append(languages[first[ids >= before]])

    def save(self, folder: Path) -> None:
        words, count = self._words, self._words.count
        save(folder, **{name: np.concatenate(values) for name, values in self._documents.items()})
        save(
            folder,
            arena=words.arena[: words.ends[count]],
            ends=words.ends[: count + 1],
            hashes=words.hashes[:count],
            languages=np.concatenate(self._languages),
            batch_words=np.array(self._batch_words, np.int64),
            batch_tokens=np.array(self._batch_tokens, np.int64),
        )
        (folder / "sources.json").write_text(json.dumps(list(self._sources)), "utf-8")


class SplitScan:
    """What a task found in a split."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.id_hashes: Int64Array = load(folder, "id_hashes")
        self.content_hashes: Int64Array = load(folder, "content_hashes")
        self.doc_ids: Int64Array = load(folder, "doc_ids")  # of the live document with equal content, or -1
        self.source_ids: Int32Array = load(folder, "source_ids").astype(np.int32)
        self.sources: list[str] = json.loads((folder / "sources.json").read_text("utf-8"))
        self.batch_tokens: Int64Array = load(folder, "batch_tokens")

    def add_words(self, vocabulary: Vocabulary) -> None:
        """Add the words of the split to a vocabulary, as its batches of documents would."""
        arena, ends, hashes, languages, batch_words = (
            load(self._folder, name) for name in ("arena", "ends", "hashes", "languages", "batch_words")
        )
        borders = make_indptr(batch_words)
        for begin, end in pairwise(borders.tolist()):
            tokens = words_as_tokens(arena, ends[begin : end + 1], hashes[begin:end])
            vocabulary.add(tokens, languages[begin:end])

    def replay(self, split: Split, listener: ReadingListener) -> None:
        """Tell a listener what reading the split had to say."""
        with (self._folder / "events.jsonl").open(encoding="utf-8") as file:
            ended = iter(split)
            for line in file:
                kind, content = json.loads(line)
                if kind == "noted":
                    content["unread"] = tuple(content["unread"])
                    listener.noted(ColumnsRead(**content))
                elif kind == "ended":
                    error, problem = content.pop("error"), content.pop("problem")
                    end = FileEnd(
                        **content,
                        problem=problem and SkippedRecord(**problem),
                        error=InputError(error) if error else None,
                    )
                    listener.ended(next(ended), end)
                else:
                    listener.skipped((SkippedFile if kind == "file" else SkippedRecord)(**content))


class _Recorder:
    """Writes down what reading has to say, to be replayed in the process that asked."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def _write(self, kind: str, content: dict[str, Any]) -> None:
        self._file.write(json.dumps([kind, content]) + "\n")

    def progressed(self, size: int) -> None:
        """The process that asked counts finished splits."""

    def skipped(self, record: SkippedRecord) -> None:
        self._write("file" if isinstance(record, SkippedFile) else "record", asdict(record))

    def noted(self, columns: ColumnsRead) -> None:
        self._write("noted", asdict(columns))

    def ended(self, file: SplitFile, end: FileEnd) -> None:
        problem = end.problem and asdict(end.problem)
        content = {"documents": end.documents, "lines": end.lines, "problem": problem}
        self._write("ended", {**content, "error": str(end.error) if end.error else ""})
