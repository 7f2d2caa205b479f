"""Adding files in tasks, in two passes over splits of the input.

The tasks of the first pass find the words of splits and the hashes of documents. The process that asked
numbers the words in the order of the splits, as one pass over all of them would, and decides which documents
are new. The tasks of the second pass write these into segments.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from querykin.corpus.additions import Additions, LiveDocuments
from querykin.corpus.segment import Indexer
from querykin.corpus.segment_tasks import ScannedSplit, WriteSegments, WrittenSegments, segment_runs
from querykin.corpus.split_scan import ScanSplit, SplitScan
from querykin.corpus.vocabulary import Vocabulary
from querykin.distributed.task_progress import ordered_results
from querykin.distributed.task_runner import TaskRunner
from querykin.errors import InputError
from querykin.io.columns import ColumnMapping
from querykin.io.documents.split_reading import ReadingListener
from querykin.io.documents.splits import Split
from querykin.progress import Progress
from querykin.storage.store import Store


@dataclass(frozen=True)
class TwoPasses:
    """The two passes over the splits of files that are added to a corpus."""

    store: Store  # of the corpus
    splits: Sequence[Split]
    columns: ColumnMapping
    source: str | None
    indexer: Callable[[Path], Indexer]
    max_tokens: int  # of a segment
    runner: TaskRunner
    progress: Progress

    def __post_init__(self) -> None:
        if any(each.file.path is None for split in self.splits for each in split):
            raise InputError("tasks cannot read standard input (-); next: name a file, or leave out --on")

    def scan(
        self,
        vocabulary: Vocabulary,
        known: str,
        live: LiveDocuments,
        additions: Additions,
        listener: ReadingListener,
    ) -> list[ScannedSplit]:
        """The first pass; adds new words to the vocabulary, whose part is `known`, and notes documents."""
        table = self.store.new_part("live")
        live.save(self.store.part(table))
        path, generation = self.store.path.absolute(), self.store.manifest().generation
        task = ScanSplit(path, generation, known, table, vocabulary.analyzer, self.columns, self.source)
        sizes = list(map(_size, self.splits))
        scanned: list[ScannedSplit] = []
        reading = ordered_results(self.runner, task, self.splits, self.progress, "reading", sizes)
        with closing(reading) as names:  # input that cannot be used ends the tasks that are still running
            for split, name in zip(self.splits, names, strict=True):
                scan = SplitScan(self.store.part(name))
                scan.replay(split, listener)
                scan.add_words(vocabulary)
                scanned.append(ScannedSplit(split, name, additions.next_doc_id))
                additions.note(scan.id_hashes.copy(), scan.doc_ids, scan.sources, scan.source_ids)
        return scanned

    def write(
        self, scanned: Sequence[ScannedSplit], vocabulary: Vocabulary, part: str
    ) -> list[WrittenSegments]:
        """The second pass, with a vocabulary that was saved in a part; the segments in their order."""
        scans = (SplitScan(self.store.part(each.scan)) for each in scanned)  # one mapped at a time
        runs = list(segment_runs(scanned, scans, self.max_tokens))
        task = WriteSegments(
            self.store.path.absolute(), part, vocabulary.analyzer, self.indexer, self.columns, self.max_tokens
        )
        sizes = [sum(_size(each.split) for each in run) for run in runs]
        title = "writing segments"
        return list(ordered_results(self.runner, task, runs, self.progress, title, sizes))


def _size(split: Split) -> int:
    return sum(each.size for each in split)
