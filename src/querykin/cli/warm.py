"""`querykin warm`: compile beforehand."""

from querykin.cli.options import QuietOption, TerminalProgress
from querykin.errors import InputError


def warm(quiet: QuietOption = False) -> None:
    """Compile all loops, so that no later command has to: for images, CI and read-only installations.

    Compiled code is written to NUMBA_CACHE_DIR, or beside the program, or in the home directory.
    """
    from querykin.compute.code_cache import code_cache_works
    from querykin.compute.compilation import compile_kernels
    from querykin.compute.kernel_table import kernels

    if not code_cache_works():
        raise InputError("no folder for compiled code is writable; next: set NUMBA_CACHE_DIR to one that is")
    progress = TerminalProgress(quiet)
    if not compile_kernels(kernels(), progress):
        progress.message("everything is compiled already")
