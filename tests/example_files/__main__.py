"""Write the reference page of the example files: PYTHONPATH=tests python -m example_files."""

from . import all_examples
from .reading import PAGE, page

PAGE.write_text(page(all_examples()), "utf-8")
