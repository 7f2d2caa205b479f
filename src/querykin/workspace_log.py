"""The search log of a workspace: added, removed, and its queries offered as candidates."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from querykin.storage.source_names import DEFAULT_SOURCE, LOG_SOURCE
from querykin.types import Change
from querykin.validation import Flag, Text, validated
from querykin.workspace_resources import WorkspaceResources

if TYPE_CHECKING:
    from querykin.io.log_files import LogRecord
    from querykin.logs.log import LogChange


class WorkspaceLog(WorkspaceResources):
    """The resources of a workspace with its search log."""

    @validated
    def add_log(
        self,
        records: "Iterable[LogRecord]",
        source: Text = DEFAULT_SOURCE,
        *,
        replace: Flag = False,
        dry_run: Flag = False,
    ) -> "LogChange":
        """Count sessions, clicks and reformulations; queries of enough sessions become candidates.

        Sessions are dropped when they are counted; records of one session belong into one call.

        >>> from querykin import Workspace
        >>> workspace = Workspace.open(getfixture("tmp_path"))
        >>> from querykin.io import LogRecord
        >>> asked = [LogRecord("apple pie", session=str(n)) for n in range(3)]
        >>> workspace.add_log([*asked, LogRecord("my secret", session="1")]).totals.sessions
        3
        >>> list(workspace.repository.all_queries())
        ['apple pie']
        """
        change = self.log.add(records, source, replace=replace, dry_run=dry_run)
        if not dry_run:
            self.offer_logged()
        return change

    def remove_log(self, source: str) -> int:
        """Remove what a source has added to the log, and from graphs; returns the number of its additions.

        A removal that was interrupted before the repository followed is finished: 0 additions.
        """
        is_unfinished = self.log.offered_from == 0 and source not in self.log.sources()
        removed = 0 if is_unfinished else self.log.remove_source(source)
        self._log_resources.clear()
        self.offer_logged()
        return removed

    def log_info(self) -> dict[str, int]:
        """The number of sessions, of queries, and of those that enough sessions asked to be offered."""
        min_sessions = self.settings.log.min_sessions
        _, asked = self.log.sessions_by_query()
        return {
            "sessions": self.log.sessions,
            "queries": len(asked),
            "offered": int((asked >= min_sessions).sum()),
            "min_sessions": min_sessions,
        }

    def offer_logged(self) -> Change:
        """Bring the source "search-log" of the repository in step with the log and with `min_sessions`.

        A workspace beside another one, as for a keyword list, has other candidates than the log.
        """
        min_sessions = self.settings.log.min_sessions
        is_beside = self.path != self._resources.path
        if is_beside or self.log.offered_from in (None, min_sessions):
            return Change()
        seen = self.log.seen_queries(min_sessions)
        change = self.repository.add(seen, source=LOG_SOURCE, replace=True)
        self.log.note_offered(min_sessions)
        return change
