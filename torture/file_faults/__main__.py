"""Run the attempts of parts in this process, which was started with the library loaded."""

import json
import sys
from importlib import import_module
from pathlib import Path

from torture.figures import Figures

request, result = sys.argv[1:]
parts, scale, seed, commands = json.loads(request)
figures = Figures()
for part in parts:
    found: Figures = import_module(part).attempts(scale, seed, commands)
    figures.attempts += found.attempts
    figures.outcomes += found.outcomes
    figures.failures += found.failures
Path(result).write_text(json.dumps(vars(figures)), "utf-8")
