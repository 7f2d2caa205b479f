"""Run the attempts of a part in this process, which was started with the library loaded."""

import json
import sys
from importlib import import_module
from pathlib import Path

module, scale, seed, result = sys.argv[1:]
figures = import_module(module).attempts(float(scale), int(seed))
Path(result).write_text(json.dumps(vars(figures)), "utf-8")
