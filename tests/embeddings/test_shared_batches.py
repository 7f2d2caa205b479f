"""Batches that threads share: who runs, who waits, and that nobody waits for ever."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
import pytest

from querykin.embeddings.shared_batches import SharedBatches, _Waiting

SECONDS = 30  # until a test that hangs fails


class Network:
    """A network whose first run lasts until it is released; it gives a text its first token twice."""

    def __init__(self):
        self.batches, self.started, self.released = [], Event(), Event()

    def __call__(self, texts):
        self.batches.append([text[0] for text in texts])
        if not self.started.is_set():
            self.started.set()
            assert self.released.wait(SECONDS)
        if -1 in self.batches[-1]:
            raise ValueError("a text that cannot be run")
        return np.array([[text[0], text[0]] for text in texts], np.float32)


@pytest.fixture
def network():
    return Network()


@pytest.fixture
def shared():
    return SharedBatches()


@pytest.fixture
def pool():
    with ThreadPoolExecutor(8) as threads:
        yield threads


def _queued(shared, length, count):
    """Wait until so many parts are in the queue of a length."""
    while len(shared._queues.get(length, ())) < count:
        Event().wait(0.001)


def _started_with_queue(shared, network, pool, waiting, bound=16):
    """A run that has started, and threads that arrived one after another and wait for it."""
    first = pool.submit(shared.run, network, [[0, 0]], lambda length: bound)
    assert network.started.wait(SECONDS)
    rest = []
    for texts in waiting:
        rest.append(pool.submit(shared.run, network, texts, lambda length: bound))
        _queued(shared, 2, len(rest))
    return first, rest


def test_a_text_that_is_alone_runs_alone_and_leaves_no_queue(shared, network):
    network.released.set()
    assert shared.run(network, [[7, 1]], lambda length: 16).tolist() == [[7, 7]]
    assert network.batches == [[7]]
    assert not shared._queues


def test_texts_that_wait_for_a_run_go_together_and_each_thread_gets_its_own(shared, network, pool):
    waiting = [[[number, 0], [10 * number, 0]] for number in (1, 2, 3)]
    first, rest = _started_with_queue(shared, network, pool, waiting)
    network.released.set()
    assert first.result(SECONDS).tolist() == [[0, 0]]
    assert [each.result(SECONDS)[:, 0].tolist() for each in rest] == [[1, 10], [2, 20], [3, 30]]
    assert network.batches == [[0], [1, 10, 2, 20, 3, 30]]
    assert not shared._queues


def test_a_batch_is_bounded(shared, network, pool):
    _, rest = _started_with_queue(shared, network, pool, [[[n, 0]] for n in range(1, 6)], bound=2)
    network.released.set()
    assert [each.result(SECONDS)[0, 0] for each in rest] == [1, 2, 3, 4, 5]
    assert network.batches == [[0], [1, 2], [3, 4], [5]]


def test_texts_of_another_length_do_not_wait(shared, network, pool):
    first, _ = _started_with_queue(shared, network, pool, [])
    assert shared.run(network, [[5, 0, 0]], lambda length: 16).tolist() == [[5, 5]]
    network.released.set()
    first.result(SECONDS)


def test_an_error_reaches_all_of_its_batch_and_nobody_after_it(shared, network, pool):
    _, rest = _started_with_queue(shared, network, pool, [[[1, 0]], [[-1, 0]], [[3, 0]]], bound=2)
    network.released.set()
    for each in rest[:2]:
        with pytest.raises(ValueError, match="cannot be run"):
            each.result(SECONDS)
    assert rest[2].result(SECONDS).tolist() == [[3, 3]]


class Interrupted(BaseException):
    """As Ctrl-C in a thread that waits."""


@pytest.mark.parametrize("late", [False, True])
def test_a_thread_that_gives_up_does_not_keep_others_waiting(shared, network, pool, late):
    """Before its turn, or when its turn has just come."""

    class Turn(Event):
        def wait(self, timeout=None):
            if late:
                super().wait(SECONDS)
            raise Interrupted

    def give_up():
        own = _Waiting([[8, 0]], Turn())
        assert not shared._starts(own, 2)
        with pytest.raises(Interrupted):
            shared._wait(own, 2)

    first, _ = _started_with_queue(shared, network, pool, [])
    gone = pool.submit(give_up)
    if late:
        _queued(shared, 2, 1)
    else:
        gone.result(SECONDS)
    last = pool.submit(shared.run, network, [[9, 0]], lambda length: 16)
    _queued(shared, 2, 1 + late)
    network.released.set()
    assert last.result(SECONDS).tolist() == [[9, 9]]
    assert first.result(SECONDS).tolist() == [[0, 0]]
    gone.result(SECONDS)
    assert not shared._queues


def test_threads_get_the_vectors_that_their_texts_have_alone(minilm):
    """Bit for bit, whoever else asks; many threads, texts of few lengths."""
    words = ["car", "hire", "cheap", "flight", "rome", "bread", "oven", "lake"]
    texts = [f"{a} {b}" for a in words for b in words] + [f"{a} {b} museum" for a in words for b in words]
    alone = np.vstack([minilm.run([minilm._tokens(text)]) for text in texts])
    start = Barrier(8)

    def ask(number):
        start.wait(SECONDS)
        return [(row, minilm([texts[row]])[0]) for row in range(number, len(texts), 8)]

    with ThreadPoolExecutor(8) as threads:
        found = [each for part in threads.map(ask, range(8)) for each in part]
    assert len(found) == len(texts)
    assert all(np.array_equal(vector, alone[row]) for row, vector in found)
