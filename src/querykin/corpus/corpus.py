"""The corpus on disk: immutable segments with tombstones for deletions, as in Lucene."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.corpus.additions import Additions
from querykin.corpus.corpus_snapshot import CorpusSnapshot
from querykin.corpus.languages import first_documents, new_analyzer
from querykin.corpus.limits import CorpusLimits
from querykin.corpus.segment import DEFERRED, Indexer, batches, id_hash
from querykin.corpus.segment_sequence import SegmentSequence
from querykin.corpus.statistics import MAX_COUNT, Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.counted_nouns import counted
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner
from querykin.errors import InputError
from querykin.io.columns import NO_MAPPING, ColumnMapping, ColumnsRead
from querykin.progress import SILENT, Progress
from querykin.storage.source_names import known_source, source_name
from querykin.storage.store import Files, Store
from querykin.text.language_recognition import Recognition, recognize, recognize_each
from querykin.text.languages import parse_languages
from querykin.types import Change, Document, SkippedRecord

if TYPE_CHECKING:
    from querykin.corpus.two_passes import TwoPasses
    from querykin.io.documents import DocumentSources
    from querykin.io.documents.reading_report import ReadingReport, Report

_DEFAULT_LIMITS = CorpusLimits()
_TEXTS_TOGETHER = 4096  # of which words are added: bounds memory


def _no_progress(_: int) -> None:
    """Ignore progress."""


def _no_report(_: SkippedRecord) -> None:
    """Ignore what is reported when the documents are read again."""


def _nothing_more(_: "Corpus") -> None:
    """Leave it at the change of the corpus."""


class Corpus(CorpusSnapshot):
    """Documents as token ids, with their statistics; open one with `Corpus(path, indexer)`.

    `indexer` creates the search index of a new segment in a given folder. A corpus object is a snapshot:
    after `add` or `remove` it shows the new state, other objects continue with the old one. The languages of
    a corpus are those given in `language`, or are recognized from its first documents; they never change.
    """

    def __init__(
        self,
        path: Path,
        indexer: Callable[[Path], Indexer],
        language: str = "",
        limits: CorpusLimits = _DEFAULT_LIMITS,
    ) -> None:
        self._store = Store(path, "corpus", deferred=DEFERRED)
        self.indexer, self.limits = indexer, limits
        self._given_languages = parse_languages(language) if language else ()
        self.recognition: Recognition | None = None  # set when documents decide the language
        self.on_change: Callable[[Corpus], Any] = _nothing_more  # called after an addition or a removal
        self._store.read(self._load)

    def add(
        self,
        documents: Any,
        progress: Callable[[int], None] = _no_progress,
        *,
        columns: Mapping[str, str] | None = None,
        source: str | None = None,
        replace: bool = False,
        dry_run: bool = False,
    ) -> Change:
        """Add documents, all or none; one with a known id replaces its predecessor.

        Documents are a data frame (pandas, Polars, anything with an Arrow stream), or any mix of `Document`s,
        dicts and texts; `columns` names the columns of roles, as in {"title": "Name"}.

        They belong to `source`; by default each to the source it names, or to "default". A document that is
        there already, with the same content and source, is left alone. With `replace` the documents are the
        whole of their sources: other documents of these sources are removed. `dry_run` only reports.
        """
        from querykin.io.python_objects import as_documents

        given = iter(as_documents(documents, columns))
        return self._add([given], source, replace, dry_run, progress)

    def add_files(
        self,
        sources: "DocumentSources",
        report: "Report",
        *,
        columns: ColumnMapping = NO_MAPPING,
        noted: Callable[[ColumnsRead], None] = lambda columns: None,
        source: str | None = None,
        replace: bool = False,
        dry_run: bool = False,
        runner: TaskRunner = THIS_PROCESS,
        progress: Progress = SILENT,
    ) -> Change:
        """Add the documents of files, as `add` does; records that are skipped go to `report`.

        The tasks of a runner read the files twice and write segments; the result is the same. A dry run
        reads them in this process.
        """
        from querykin.corpus.two_passes import TwoPasses
        from querykin.io.documents.reading_report import ReadingReport

        max_bytes, max_tokens = self.limits.split_bytes, self.limits.segment_tokens
        if dry_run or runner is THIS_PROCESS:
            with progress.task("reading", sources.size) as advance:
                listener = ReadingReport(sources.sources, report, advance, noted)
                splits = sources.read_splits(listener, columns, max_bytes=max_bytes)
                return self._add(splits, source, replace, dry_run)
        source = None if source is None else source_name(source)
        planned = list(sources.splits(max_bytes))
        passes = TwoPasses(self._store, planned, columns, source, self.indexer, max_tokens, runner, progress)
        first, _ = first_documents(sources.read_splits(ReadingReport(sources.sources, _no_report), columns))
        return self._add_in_tasks(
            passes, first, ReadingReport(sources.sources, report, noted=noted), source, replace
        )

    def _add(
        self,
        splits: Iterable[Iterable[Document]],
        source: str | None,
        replace: bool,
        dry_run: bool,
        progress: Callable[[int], None] = _no_progress,
    ) -> Change:
        """Add the documents of splits in one pass."""
        _, splits = first_documents(splits, 1)  # input that cannot be read at all does not make a corpus
        with self._store.changing(self._load, dry_run=dry_run):
            self._check_counted()
            first, splits = first_documents(splits)
            self._recognize_language(first)
            additions = Additions(self._live(), self._source_names, source, self.next_doc_id)
            with SegmentSequence(
                self._store, self.vocabulary, self.indexer, self.limits.segment_tokens
            ) as segments:
                for documents in splits:
                    for batch in batches(documents):
                        doc_id, new = additions.next_doc_id, additions.take(batch)
                        if not dry_run:
                            segments.add(new, doc_id)
                        progress(len(batch))
                    segments.end_split()
            outcome = additions.outcome(replace)
            if outcome.change and not dry_run:
                stems = self.vocabulary.stems()
                for new_segment in map(self._segment, segments.names):
                    ordinals = np.arange(len(new_segment))
                    self.statistics.count(new_segment.tokens.whole(), new_segment.indptr, ordinals, stems)
                if segments.names:
                    self._save_vocabulary()
                self._apply(outcome, segments.names)
        if outcome.change and not dry_run:
            self.on_change(self)
        return outcome.change

    def _add_in_tasks(
        self,
        passes: "TwoPasses",
        first: Sequence[Document],
        listener: "ReadingReport",
        source: str | None,
        replace: bool,
    ) -> Change:
        """Add the documents of files in two passes of tasks."""
        with self._store.changing(self._load):
            self._check_counted()
            self._recognize_language(first)
            live = self._live()
            additions = Additions(live, self._source_names, source, self.next_doc_id)
            known = self._parts.get("vocabulary", "")
            scanned = passes.scan(self.vocabulary, known, live, additions, listener)
            outcome = additions.outcome(replace)
            names: list[str] = []
            sealed: dict[str, Files] = {}
            if len(outcome.new_sources):
                self._save_vocabulary()
                written = passes.write(scanned, self.vocabulary, self._parts["vocabulary"])
                names = [name for segments in written for name in segments.names]
                sealed = {name: files for segments in written for name, files in segments.sealed.items()}
                counts = (self._store.part(segments.counts) for segments in written)
                self.statistics.add_counts(counts, self.vocabulary.count)
            if outcome.change:
                self._apply(outcome, names, sealed)
        if outcome.change:
            self.on_change(self)
        return outcome.change

    def remove(self, ids: Sequence[str]) -> Change:
        """Remove documents; if any id is unknown, nothing changes."""
        with self._store.changing(self._load):
            names = {id_hash(name): name for name in ids}
            doc_ids: dict[int, int] = {}
            for segment in self.segments:
                ordinals = segment.find(np.array(list(names), np.int64))
                ordinals = ordinals[segment.live(self.tombstones)[ordinals]]
                hashes = segment.id_hashes[ordinals].tolist()
                doc_ids |= dict(zip(hashes, segment.doc_ids[ordinals].tolist(), strict=True))
            unknown = [name for hashed, name in names.items() if hashed not in doc_ids]
            if unknown:
                raise InputError(
                    f"no document {unknown[0]!r} in the corpus (unknown: {len(unknown):,} of "
                    f"{counted(len(ids), 'id')}); nothing was removed"
                )
            self._delete(np.array(sorted(doc_ids.values()), np.int64))
            self._commit()
        self.on_change(self)
        return Change(removed=len(doc_ids))

    def remove_source(self, source: str, *, dry_run: bool = False) -> Change:
        """Remove all documents of a source."""
        self._store.read(self._load)
        return self.add([], source=known_source(source, self.sources()), replace=True, dry_run=dry_run)

    def add_words(self, texts: Iterable[str]) -> int:
        """Add the words of texts that are not documents of the corpus; returns how many were new.

        The statistics and their version stay as they are.
        """
        given = iter(texts)
        with self._store.changing(self._load):
            before = self.vocabulary.count
            while batch := list(islice(given, _TEXTS_TOGETHER)):
                if not self.vocabulary.count:
                    self._recognize_language([Document("", text=text) for text in batch])
                tokens = self.analyzer.tokenize(batch)
                languages = recognize_each(batch, self.analyzer.languages)
                self.vocabulary.add(tokens, np.repeat(languages, np.diff(tokens.indptr)))
            if self.vocabulary.count > before:
                self._save_vocabulary()
                self.statistics = self.statistics.padded(self.vocabulary.count)
                self._commit(recounted=False)
        return self.vocabulary.count - before

    def set_frequencies(self, documents: int, df: Int64Array) -> None:
        """Take document frequencies that a search engine reports, in place of those of documents.

        `df` has one for each word of the vocabulary, up to where it was read. Collection frequencies, which
        engines do not report, are the same.
        """
        with self._store.changing(self._load):
            if self.segments:
                raise InputError(
                    f"the corpus in {self.path.parent} has documents, whose frequencies are known; next: "
                    'frequencies = "corpus" in [engine], or another --workspace'
                )
            reported = Statistics.empty()
            reported.documents = documents
            reported.tokens = min(max(documents, int(df.sum())), MAX_COUNT - 1)
            reported.df = np.minimum(df, documents)
            reported.cf = reported.df.copy()
            reported.stem_df = np.zeros(len(df), np.int64)
            np.maximum.at(reported.stem_df, self.vocabulary.stems()[: len(df)], reported.df)
            self.statistics = reported.padded(self.vocabulary.count)
            self._commit()

    @property
    def lacks_postings(self) -> bool:
        """Whether some segments have no posting lists, since an earlier version wrote them."""
        return not all(segment.has_postings for segment in self.segments)

    def add_postings(self) -> None:
        """Add posting lists to the segments that have none; the documents and their statistics stay."""
        with self._store.changing(self._load):
            self._commit(recounted=False, sealed=self._add_postings())

    def _check_counted(self) -> None:
        """Refuse documents beside frequencies that a search engine has reported."""
        if self.statistics.documents and not self.segments:
            raise InputError(
                f"a search engine has reported the document frequencies in {self.path.parent}; next: add "
                "documents to another --workspace"
            )

    def _recognize_language(self, first: Sequence[Document]) -> None:
        """Decide the language of a new corpus from its first documents."""
        if not self._parts and not self._given_languages:
            self.recognition = recognize([f"{document.title}\n{document.text}" for document in first])
            self.vocabulary = Vocabulary.empty(new_analyzer(self.recognition.languages))
