"""Whether a workspace is what was written to it, and what to do if it is not."""

from querykin.integrity.damage import Damage, corrupted_files, find_damage
from querykin.integrity.inventory import unknown_files
from querykin.integrity.repair import repair

__all__ = ["Damage", "corrupted_files", "find_damage", "repair", "unknown_files"]
