"""Settings of the Python interpreter for processes that are short and import or compile much."""

import atexit
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_STACK_SLOTS = 1 << 17  # of 8 bytes; pages that are never touched take no memory
_NEW_OBJECTS = 200_000  # between two searches for garbage
_NEW_OBJECTS_OF_COMPILER = 1_000_000  # while compiling: 40 MB more at the peak


def run_short(function: Callable[[], None]) -> None:
    """Run the main function of a process with two costs of the interpreter taken off.

    What imports create lives until the end: looking for garbage among it, by default after every 700
    objects and once more at the end, finds nothing. And the interpreter's stack consists of chunks of 16
    KB, each allocated by the call that needs it and freed on return: a loop of calls at the end of a chunk
    takes several times as long. A frame that asks for more stack than it uses gets a chunk that has room
    for all calls below it.
    """
    gc.set_threshold(_NEW_OBJECTS)
    atexit.register(gc.freeze)
    function()


run_short.__code__ = run_short.__code__.replace(co_stacksize=_STACK_SLOTS)


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Search for garbage less often, while code is compiled: a twentieth of that time."""
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS_OF_COMPILER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
