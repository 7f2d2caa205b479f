"""Stems are stored with the words of a corpus: a release of Snowball that changes them needs a new format."""

import pytest

from querykin.text.languages import LANGUAGES
from querykin.text.stemming import stems


@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        ("en", "internals generalization mariners", "intern gener marin"),
        ("it", "internazionali città bellissime", "internazional citt bellissim"),
        ("de", "häuser gießkannen versicherungen", "haus giesskann versicher"),
        ("fr", "continuellement chevaux généralités", "continuel cheval général"),
        ("es", "canciones rápidamente generalidades", "cancion rapid general"),
        ("nl", "lichamelijkheden opgavens", "lichamelijk opgaven"),
        ("cs", "nejkrásnějšího městech", "nejkrásnějš měst"),
        ("pl", "najpiękniejszego miastach", "najpiękn miast"),
        ("ru", "важнейшими красивого", "важн красив"),
    ],
)
def test_stems_are_those_that_workspaces_hold(language, words, expected):
    assert " ".join(stems(words.split(), LANGUAGES[language])) == expected
