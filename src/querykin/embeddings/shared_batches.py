"""Batches that threads share: texts of equal length that wait for the network together run together."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TypeAlias

import numpy as np

from querykin.embeddings.base import Float32Matrix

Tokens: TypeAlias = Sequence[int]
Run: TypeAlias = Callable[[Sequence[Tokens]], Float32Matrix]


@dataclass(eq=False)
class _Waiting:
    """Texts of one thread; at its `turn` they have vectors or an error, or the thread is to run them."""

    texts: Sequence[Tokens]
    turn: Event = field(default_factory=Event)
    runs: bool = False
    vectors: Float32Matrix | None = None
    error: Exception | None = None


class SharedBatches:
    """Runs a network for several threads, with at most one run for each length of texts at a time.

    A thread that finds no run for its length starts one without delay. Those that arrive during a run wait
    for its end; the first of them then runs its texts and those of the others.
    """

    def __init__(self) -> None:
        self._queues: dict[int, deque[_Waiting]] = {}  # by length, as long as there is a run for it
        self._lock = Lock()

    def run(self, run: Run, texts: Sequence[Tokens], bound: Callable[[int], int]) -> Float32Matrix:
        """The vectors of texts of equal length, in a batch with those that wait.

        A batch has at most `bound(length)` texts, asked only if others wait. `run` must give a text the same
        vector in every batch.
        """
        own, length = _Waiting(texts), len(texts[0])
        if not self._starts(own, length):
            self._wait(own, length)
        if own.error:
            raise own.error
        if own.vectors is not None:
            return own.vectors
        try:
            return self._run(run, own, self._others(length, len(texts), bound))
        finally:
            self._pass_on(length)

    def _starts(self, own: _Waiting, length: int) -> bool:
        """Whether there is no run for the length; otherwise the texts are put in its queue."""
        with self._lock:
            if length in self._queues:
                self._queues[length].append(own)
                return False
            self._queues[length] = deque()
            return True

    def _wait(self, own: _Waiting, length: int) -> None:
        try:
            own.turn.wait()
        except BaseException:  # as of Ctrl-C: others must not wait for this thread
            with self._lock:
                if own in self._queues.get(length, ()):
                    self._queues[length].remove(own)
            if own.runs:
                self._pass_on(length)
            raise

    def _others(self, length: int, own: int, bound: Callable[[int], int]) -> list[_Waiting]:
        """The first in the queue, as far as their texts fit beside so many of its own."""
        found = list[_Waiting]()
        if not self._queues[length]:
            return found
        room = bound(length) - own
        with self._lock:
            queue = self._queues[length]
            while queue and len(queue[0].texts) <= room:
                room -= len(queue[0].texts)
                found.append(queue.popleft())
        return found

    def _run(self, run: Run, own: _Waiting, others: Sequence[_Waiting]) -> Float32Matrix:
        parts = [own, *others]
        try:
            vectors = run([tokens for part in parts for tokens in part.texts])
            ends = np.cumsum([len(part.texts) for part in parts])
            for part, rows in zip(others, np.split(vectors, ends[:-1])[1:], strict=True):
                part.vectors = rows
            return vectors[: ends[0]]
        except Exception as error:
            for part in others:
                part.error = error
            raise
        finally:
            for part in others:
                part.turn.set()

    def _pass_on(self, length: int) -> None:
        """Have the first in the queue run; without a queue the next text starts without delay."""
        with self._lock:
            queue = self._queues[length]
            if queue:
                following = queue.popleft()
                following.runs = True
                following.turn.set()
            else:
                del self._queues[length]
