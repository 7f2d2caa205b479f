"""Every example file comes in as it must, and the reference page shows what is read."""

import pytest

from example_files import all_examples
from example_files.reading import PAGE, page, read

EXAMPLES = all_examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.kind}-{example.name}")
def test_an_example_comes_in_as_it_must(example, tmp_path):
    outcome = read(example, tmp_path)
    if example.kind == "documents":
        ids = [
            None if expected[0] is None else found.id
            for found, expected in zip(outcome.records, example.expected, strict=True)
        ]
        records = [(name, found.title, found.text) for name, found in zip(ids, outcome.records, strict=True)]
    else:
        records = outcome.records
    assert records == list(example.expected)
    assert len(outcome.skipped) == example.skipped
    assert all(example.recognized in str(columns) for columns in outcome.columns)


def test_names_of_examples_are_unique():
    assert len({(example.kind, example.name) for example in EXAMPLES}) == len(EXAMPLES)


def test_equal_documents_of_two_files_have_one_id(tmp_path):
    (example,) = [example for example in EXAMPLES if example.name == "same-twice"]
    ids = [document.id for document in read(example, tmp_path).records]
    assert ids[0] == ids[2] != ids[1]


def test_the_reference_page_shows_what_is_read():
    assert PAGE.read_text("utf-8") == page(EXAMPLES), "next: PYTHONPATH=tests python -m example_files"
