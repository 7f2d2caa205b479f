"""The child process of `fuzz`: makes inputs by their numbers and reads them; prints what came of them as JSON."""

import json
import os
import resource
import signal
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import format_exc
from types import FrameType

from torture.fuzz_inputs import make_input, seeds_of
from torture.fuzz_targets import TARGETS

SECONDS = 10  # for one input
MEBIBYTES = 4096  # of address space beyond what the libraries reserve


class OverLimit(BaseException):
    """An input took longer than it may."""


def _stop(signal_number: int, frame: FrameType | None) -> None:
    raise OverLimit


def attempt(target: str, data: bytes, folder: Path, watched: bool = True) -> tuple[str, str]:
    """The outcome of one input, and the end of the traceback if there is one; `watched` bounds its time."""
    from querykin.errors import QuerykinError

    if watched:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        TARGETS[target](data, folder)
    except QuerykinError as error:
        is_clear = 0 < len(str(error)) < 5000 and "\n" not in str(error).strip()
        return (
            ("refused", "") if is_clear else ("traceback", f"a message that is not one line: {error!s:.200}")
        )
    except OverLimit:
        return "over limit", f"more than {SECONDS} s"
    except MemoryError:
        return "over limit", f"more than {MEBIBYTES} MiB"
    except BaseException:
        return "traceback", format_exc()[-400:]
    finally:
        if watched:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return "accepted", ""


def main() -> None:
    """Read `count` inputs from a number on."""
    seed, begin, count, progress = (*map(int, sys.argv[1:4]), sys.argv[4])
    signal.signal(signal.SIGALRM, _stop)
    names = list(TARGETS)
    with TemporaryDirectory() as folder:
        for name in names:
            # Imports and compiled code are not an input's.
            attempt(name, seeds_of(name)[0], Path(folder), watched=False)
        reserved = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        bound = reserved + MEBIBYTES * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
        counts: Counter[str] = Counter()
        place = os.open(progress, os.O_WRONLY | os.O_CREAT) if progress != "-v" else -1
        for number in range(begin, begin + count):
            if place >= 0:
                os.pwrite(place, f"{number:<20}".encode(), 0)
            target, data = make_input(seed, number, names)
            outcome, detail = attempt(target, data, Path(folder))
            if place < 0:
                print(target, data, outcome, detail)
            elif outcome in ("accepted", "refused"):
                counts[outcome] += 1
                if not number % 100:  # so that a crash loses few of them
                    print(json.dumps({"counts": counts}), flush=True)
                    counts.clear()
            else:
                found = {"input": number, "target": target, "outcome": outcome, "detail": detail}
                print(json.dumps(found), flush=True)
    print(json.dumps({"counts": counts}))


if __name__ == "__main__":
    main()
