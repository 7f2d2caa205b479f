"""Run the attempts of parts in this process, which was started with the library loaded."""

import json
import sys
from importlib import import_module
from pathlib import Path
from random import Random

from torture.figures import Figures
from torture.file_faults.attempts import Laboratory
from torture.file_faults.commands import select

request, result = sys.argv[1:]
parts, scale, seed, names = json.loads(request)
figures = Figures()
with Laboratory() as laboratory:
    for command in select(names):
        for part in parts:
            random = Random(f"{seed} {part} {command.name}")
            for attempt in import_module(part).attempts(laboratory, command, scale, random):
                figures.record(*attempt)
Path(result).write_text(json.dumps(vars(figures)), "utf-8")
