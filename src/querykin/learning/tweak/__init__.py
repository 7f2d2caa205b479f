"""Term weights learned from judged pairs: TWEAK (Yih 2009)."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.learning.tweak.training import TweakTask, train_tweak

__all__ = ["TweakTask", "train_tweak"]

__getattr__ = lazy_imports(
    __name__,
    {"TweakTask": "training", "train_tweak": "training"},
)
