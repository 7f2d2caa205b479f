"""Backups of a workspace, and their restoration."""

from querykin.backup.backup import Backup, back_up
from querykin.backup.restore import Restored, restore

__all__ = ["Backup", "Restored", "back_up", "restore"]
