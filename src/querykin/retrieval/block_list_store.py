"""The block list of a workspace, on disk."""

import json
from collections.abc import Callable
from pathlib import Path

from querykin.errors import DamagedFile
from querykin.retrieval.block_list import BlockList
from querykin.storage.store import Manifest, Store
from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.untrusted_json import InvalidJson, read_json_as
from querykin.validation import Texts, validated

_FILE = "entries.json"


class BlockListStore:
    """Words, queries and patterns that a workspace never suggests; `current` shows the state after a change.

    >>> store = BlockListStore(getfixture("tmp_path") / "block-list")
    >>> store.add(["rocket launch"])
    1
    >>> store.current.entries
    ('rocket launch',)
    """

    def __init__(self, path: Path, analyzer: Analyzer = DEFAULT) -> None:
        self._store, self._analyzer = Store(path, "block-list"), analyzer
        self.current = self._store.read(self._load)

    def _load(self, manifest: Manifest) -> BlockList:
        if not manifest.metadata:
            return BlockList(analyzer=self._analyzer)
        path = self._store.part(manifest.metadata["entries"]) / _FILE
        try:
            content = read_json_as(path, dict[str, list[str]])
            return BlockList(tuple(content["entries"]), tuple(content["patterns"]), self._analyzer)
        except (InvalidJson, KeyError) as error:
            raise DamagedFile(path, repr(error)) from error

    @validated
    def add(self, entries: Texts, patterns: Texts = ()) -> int:
        """Add words, queries and patterns; returns how many are new. If one is invalid, nothing changes."""
        added = BlockList.of(entries, patterns, self._analyzer)
        return self._change(lambda before: before | added)

    @validated
    def remove(self, entries: Texts, patterns: Texts = ()) -> int:
        """Remove words, queries and patterns; returns their number. If one is unknown, nothing changes."""
        removed = BlockList.of(entries, patterns, self._analyzer)
        return self._change(lambda before: before - removed)

    def _change(self, change: Callable[[BlockList], BlockList]) -> int:
        """Replace the list on disk; returns by how many entries and patterns it differs."""
        with self._store.writing():
            before = self._store.read(self._load)
            self.current = change(before)
            if self.current != before:
                self._commit(self.current)
        return abs(len(self.current) - len(before))

    def _commit(self, block_list: BlockList) -> None:
        part = self._store.new_part("entries")
        content = {"entries": block_list.entries, "patterns": block_list.patterns}
        text = json.dumps(content, ensure_ascii=False, indent=1)
        (self._store.part(part) / _FILE).write_text(text, "utf-8")
        self._store.commit({"entries": part}, [part])
