"""A parser for the instructions of our Dockerfile, and a builder that runs them in a folder without a daemon.

Paths of the image are folders below a prefix, and its Python is the one that runs the tests. What needs a
daemon or another user is not run; `Builder.not_run` lists it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

IMAGE_FOLDERS = ("/opt/querykin", "/source", "/var/cache/querykin", "/data", "/documents")
NOT_RUN = {
    "FROM": "base images are not pulled",
    "USER": "steps run as the user of the tests",
    "VOLUME": "no volumes are created",
    "EXPOSE": "no network namespace",
}


@dataclass(frozen=True)
class Instruction:
    """One instruction with its options and the rest of the line."""

    name: str
    options: dict[str, str]
    value: str

    @property
    def words(self) -> list[str]:
        """The arguments of the exec form, or the words of the line."""
        return json.loads(self.value) if self.value.startswith("[") else self.value.split()


def parse(text):
    """The instructions of a Dockerfile: comments left out, continued lines joined, options apart."""
    lines = re.sub(r"^\s*#.*\n", "", text, flags=re.M)
    for line in re.sub(r"\\\n", " ", lines).splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            options = dict(re.findall(r"--([a-z-]+)=(\S+)\s", rest.partition("CMD")[0].partition("[")[0]))
            value = re.sub(r"^(--[a-z-]+=\S+\s+)+", "", rest.strip())
            yield Instruction(name.upper(), options if value != rest.strip() else {}, value)


@dataclass
class Builder:
    """Runs instructions with the folders of the image below a prefix."""

    context: Path
    prefix: Path
    port: int
    env: dict[str, str] = field(default_factory=dict)
    working: str = "/"
    not_run: dict[str, str] = field(default_factory=dict)
    start: dict[str, list[str]] = field(default_factory=dict)  # ENTRYPOINT, CMD and HEALTHCHECK

    def inside(self, text):
        """A text with the paths and the port of the image replaced by those of the prefix."""
        for folder in IMAGE_FOLDERS:
            text = re.sub(rf"(?<![\w.]){folder}(?![\w.-])", str(self.prefix) + folder, text)
        return text.replace("8000", str(self.port))

    @property
    def variables(self):
        """The environment of a step: that of the tests for pip's settings, without its Python packages."""
        base = {
            name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
        }
        path = f"{Path(sys.executable).parent}{os.pathsep}{base['PATH']}"
        given = {name: self.inside(value).replace("${PATH}", path) for name, value in self.env.items()}
        return {**base, "PATH": path, **given}

    def build(self, instructions):
        """Run all instructions; an environment belongs to its stage."""
        for each in instructions:
            if each.name == "FROM":
                self.env, self.working = {}, "/"
            if each.name in NOT_RUN:
                self.not_run[each.name] = NOT_RUN[each.name]
            elif each.name in ("ENTRYPOINT", "CMD", "HEALTHCHECK"):
                words = each.value.removeprefix("CMD ") if each.name == "HEALTHCHECK" else each.value
                self.start[each.name] = [self.inside(word) for word in json.loads(words)]
            elif each.name != "ARG":
                {"RUN": self.run, "COPY": self.copy, "ENV": self.set, "WORKDIR": self.enter}[each.name](each)

    def run(self, each):
        """A shell command; its changes of owners are left out."""
        command = re.sub(r" && chown [^&]+", "", each.value)
        if command != each.value:
            self.not_run["chown"] = "the files belong to the user of the tests"
        done = self.shell(self.inside(command))
        assert done.returncode == 0, f"{each.value}\n{done.stdout}\n{done.stderr}"

    def shell(self, command):
        """The finished process of a shell command in the image."""
        folder = self.prefix / self.working.lstrip("/")
        arguments = ["sh", "-c", command]
        return subprocess.run(
            arguments, cwd=folder, env=self.variables, capture_output=True, text=True, timeout=1800
        )

    def copy(self, each):
        """Files of the context, or of an earlier stage: all stages share the prefix."""
        *sources, target = each.words
        if "from" in each.options:
            assert all((self.prefix / source.lstrip("/")).exists() for source in sources)
            return
        place = self.prefix / (target if target.startswith("/") else f"{self.working}/{target}").lstrip("/")
        for source in map(self.context.joinpath, sources):
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            if source.is_dir():
                shutil.copytree(source, place, dirs_exist_ok=True, ignore=ignored)
            else:
                into = target.endswith("/")
                (place if into else place.parent).mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, place / source.name if into else place)

    def set(self, each):
        """Variables of this stage."""
        self.env |= dict(re.findall(r"(\w+)=(\S+)", each.value))

    def enter(self, each):
        """The folder of the next steps."""
        self.working = each.value
        (self.prefix / self.working.lstrip("/")).mkdir(parents=True, exist_ok=True)
