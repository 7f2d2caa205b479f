"""The second pass over splits of the input: segments, with a vocabulary that has all of their words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from querykin.corpus.segment import CorpusSegment, DocumentBatch, Indexer, batches
from querykin.corpus.segment_sequence import SegmentLimit, SegmentSequence
from querykin.corpus.split_scan import SplitScan
from querykin.corpus.statistics import Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.errors import InputError
from querykin.io.columns import ColumnMapping, ColumnsRead
from querykin.io.documents.opening import Opener
from querykin.io.documents.split_reading import FileEnd, read_split
from querykin.io.documents.splits import Split, SplitFile
from querykin.storage.store import Files, Store
from querykin.text.analyzer import Analyzer
from querykin.types import SkippedRecord


@dataclass(frozen=True)
class ScannedSplit:
    """A split of the input after the first pass."""

    split: Split
    scan: str  # part
    doc_id: int  # of its first document that is written


@dataclass(frozen=True)
class WrittenSegments:
    """Segments that a task has written, in the order of their documents."""

    names: list[str]
    sealed: dict[str, Files]
    counts: str  # part with the statistics of their documents


def segment_runs(
    splits: Sequence[ScannedSplit], scans: Iterable[SplitScan], max_tokens: int
) -> Iterator[list[ScannedSplit]]:
    """Runs of splits after which a segment ends, each for one task; those without new documents are none."""
    limit, run, documents = SegmentLimit(max_tokens), list[ScannedSplit](), 0
    for number, (each, scan) in enumerate(zip(splits, scans, strict=True), start=1):
        run.append(each)
        documents += int((scan.doc_ids < 0).sum())
        for tokens in scan.batch_tokens.tolist():
            limit.ends_with_batch(tokens)
        if limit.ends_with_split() or number == len(splits):
            if documents:
                yield run
            run, documents = [], 0


@dataclass(frozen=True)
class WriteSegments:
    """The task function: reads a run of splits again and writes their new documents."""

    corpus: Path
    vocabulary: str  # part
    analyzer: Analyzer
    indexer: Callable[[Path], Indexer]
    columns: ColumnMapping
    max_tokens: int

    def __call__(self, splits: Sequence[ScannedSplit]) -> WrittenSegments:
        """Write, seal and count the segments."""
        store = Store(self.corpus, "corpus")
        vocabulary = Vocabulary.open(store.part(self.vocabulary), self.analyzer)
        known = vocabulary.count
        with (
            SegmentSequence(store, vocabulary, self.indexer, self.max_tokens) as segments,
            Opener() as opener,
        ):
            for each in splits:
                doc_id, scan = each.doc_id, SplitScan(store.part(each.scan))
                for new in self._new_documents(each.split, scan, opener):
                    segments.add(new, doc_id)
                    doc_id += len(new)
                segments.end_split()
        if vocabulary.count != known:
            raise RuntimeError(f"{vocabulary.count - known} words were not found by the first pass")
        counts = store.new_part("counts")
        self._count(store, segments.names, vocabulary).save_counts(store.part(counts))
        sealed = {name: store.seal(name) for name in segments.names}
        return WrittenSegments(segments.names, sealed, counts)

    def _new_documents(self, split: Split, scan: SplitScan, opener: Opener) -> Iterator[DocumentBatch]:
        """The documents of a split that are not in the corpus yet, as the first pass has found."""
        at = 0
        for batch in batches(read_split(split, opener, self.columns, _Unheard())):
            own = slice(at, at + len(batch))
            at += len(batch)
            same = np.array_equal(scan.id_hashes[own], batch.id_hashes)
            if not same or not np.array_equal(scan.content_hashes[own], batch.content_hashes):
                raise _changed(split)
            yield batch.select(scan.doc_ids[own] < 0)
        if at != len(scan.doc_ids):
            raise _changed(split)

    @staticmethod
    def _count(store: Store, names: Sequence[str], vocabulary: Vocabulary) -> Statistics:
        statistics = Statistics.empty()
        for name in names:
            segment = CorpusSegment(store.part(name), vocabulary.count)
            ordinals = np.arange(len(segment))
            statistics.count(segment.tokens.whole(), segment.indptr, ordinals, vocabulary.stems())
        return statistics


def _changed(split: Split) -> InputError:
    names = ", ".join(each.file.name for each in split[:3])
    return InputError(f"{names} changed while being read; nothing was added. Next: add the files again")


class _Unheard:
    """What reading has to say was said in the first pass."""

    def progressed(self, size: int) -> None:
        """Dropped."""

    def skipped(self, record: SkippedRecord) -> None:
        """Dropped."""

    def noted(self, columns: ColumnsRead) -> None:
        """Dropped."""

    def ended(self, file: SplitFile, end: FileEnd) -> None:
        """Dropped."""
