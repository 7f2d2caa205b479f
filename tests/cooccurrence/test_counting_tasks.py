"""Co-occurrences counted in tasks: the counts of one pass."""

import numpy as np
import pytest

from pickled_tasks import PickledTasks
from querykin import Document, Workspace
from querykin.cooccurrence import counting_tasks
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases
from recorded_progress import Recorded


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Documents in two segments: frequent and rare words, a long document, an empty and a removed one."""
    rng = np.random.default_rng(3)
    words = [f"word{n}" for n in range(200)]
    texts = [" ".join(rng.choice(words[: 3 + n], 30)) for n in range(150)]
    texts += [" ".join(rng.choice(words, 3000)), ""]
    corpus = Workspace.open(tmp_path_factory.mktemp("corpus")).corpus
    documents = [Document(str(n), "the title", text) for n, text in enumerate(texts)]
    corpus.add(documents[:80])
    corpus.add(documents[80:])
    corpus.remove(["3", "100"])
    return corpus


@pytest.mark.parametrize("max_pairs", [400, 1 << 20])
def test_counts_in_tasks_have_the_checksums_of_one_pass(tmp_path, monkeypatch, corpus, max_pairs):
    monkeypatch.setattr(counting_tasks, "_MIN_RUN", 500)
    monkeypatch.setattr(counting_tasks, "MAX_PAIRS", max_pairs)
    manifests = []
    for name, runner in (("one", None), ("tasks", PickledTasks())):
        counts = CooccurrenceCounts(tmp_path / name)
        options = {} if runner is None else {"runner": runner}
        counts.update(corpus, lambda: Phrases.of(["the title", "word1 word2", "unheard of"]), **options)
        manifests.append([files for _, files in sorted(counts._store.manifest().parts.items())])
        left = {folder.name for folder in (tmp_path / name / "parts").iterdir()}
        assert left == set(counts._store.manifest().parts)
    assert manifests[0] == manifests[1]


def test_a_unit_with_many_pairs_is_shared_out(tmp_path, monkeypatch, corpus):
    monkeypatch.setattr(counting_tasks, "_MIN_RUN", 500)
    sums = []

    class Recording(PickledTasks):
        def results(self, function, tasks):
            sums.extend(task for task in tasks if isinstance(task, counting_tasks.Pairs))
            return super().results(function, tasks)

    monkeypatch.setattr(counting_tasks, "MAX_PAIRS", 300)
    CooccurrenceCounts(tmp_path).update(corpus, lambda: Phrases.of([]), runner=Recording())
    shared = [pairs for pairs in sums if pairs.first_context > 0]
    assert shared
    assert all(pairs.high == pairs.low + 1 for pairs in shared)


def test_the_time_of_tasks_is_told(tmp_path, corpus):
    progress = Recorded()
    CooccurrenceCounts(tmp_path).update(
        corpus, lambda: Phrases.of([]), runner=PickledTasks(), progress=progress
    )
    assert [line.split(":")[0] for line in progress.lines] == [
        "counting co-occurrences",
        "summing the counts of words",
    ]
    assert "tasks, " in progress.lines[0]
