"""Megabytes that pip installs, with and without extras: `python -m bench.installed_size`, some minutes.

Each row is a fresh environment in a temporary folder; compiled bytecode counts, pip itself does not.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXTRAS = ("", "[dense]", "[server]", "[server,dense]")
LARGEST = 8  # packages listed


def main() -> None:
    """Print the size of each installation and what takes most of it."""
    print("| installed | MB | packages | largest, MB |\n|---|---|---|---|")
    for extras in EXTRAS:
        with tempfile.TemporaryDirectory() as folder:
            packages = _install(Path(folder), extras)
            sizes = {path.name: _bytes(path) / 1e6 for path in packages.iterdir()}
            count = sum(name.endswith(".dist-info") for name in sizes)
        largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:LARGEST]
        listed = ", ".join(f"{name} {sizes[name]:.0f}" for name in largest)
        print(f"| `.{extras}` | {sum(sizes.values()):.0f} | {count} | {listed} |", flush=True)


def _install(folder: Path, extras: str) -> Path:
    """Install the checkout into a fresh environment; the folder with its packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(folder)]
    subprocess.run([*pip, "install", "--quiet", f"{ROOT}{extras}"], check=True)
    return next(folder.glob("lib/python*/site-packages"))


def _bytes(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


if __name__ == "__main__":
    main()
