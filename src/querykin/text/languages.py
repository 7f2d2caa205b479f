"""Languages: their ISO 639-1 codes, English names and Snowball stemmers."""

from dataclasses import dataclass

from querykin.errors import InputError, UnknownName


@dataclass(frozen=True, slots=True)
class Language:
    """A language; `stemmer` is the name of its Snowball algorithm, empty where Snowball has none."""

    code: str  # ISO 639-1
    name: str  # in English
    stemmer: str = ""

    def __str__(self) -> str:
        return self.name


# English keeps Porter's original algorithm, which the papers use.
_STEMMED = """
ar Arabic arabic, ca Catalan catalan, cs Czech czech, da Danish danish, de German german, el Greek greek,
en English porter, eo Esperanto esperanto, es Spanish spanish, et Estonian estonian, eu Basque basque,
fa Persian persian, fi Finnish finnish, fr French french, ga Irish irish, hi Hindi hindi,
hu Hungarian hungarian, hy Armenian armenian, id Indonesian indonesian, it Italian italian,
lt Lithuanian lithuanian, ne Nepali nepali, nl Dutch dutch, no Norwegian norwegian, pl Polish polish,
pt Portuguese portuguese, ro Romanian romanian, ru Russian russian, sr Serbian serbian, st Sesotho sesotho,
sv Swedish swedish, ta Tamil tamil, tr Turkish turkish, yi Yiddish yiddish
"""
# Recognized, but without a stemmer: their words are folded only.
_UNSTEMMED = """
af Afrikaans, be Belarusian, bg Bulgarian, bn Bengali, bs Bosnian, cy Welsh, gl Galician, gu Gujarati,
he Hebrew, hr Croatian, is Icelandic, ja Japanese, ka Georgian, kk Kazakh, km Khmer, kn Kannada, ko Korean,
lo Lao, lv Latvian, mk Macedonian, ml Malayalam, mr Marathi, ms Malay, my Burmese, pa Punjabi, si Sinhala,
sk Slovak, sl Slovenian, sq Albanian, sw Swahili, te Telugu, th Thai, uk Ukrainian, ur Urdu, uz Uzbek,
vi Vietnamese, zh Chinese
"""

LANGUAGES = {
    code: Language(code, *rest)
    for code, *rest in (entry.split() for entry in f"{_STEMMED},{_UNSTEMMED}".split(","))
}
ENGLISH = LANGUAGES["en"]
MAX_LANGUAGES = 4  # of one corpus: an unknown word of a query is stemmed in each until a stem is known


def parse_languages(given: str) -> tuple[Language, ...]:
    """Languages given by ISO 639-1 code or English name, separated by commas, the main one first.

    >>> [language.name for language in parse_languages("de, English")]
    ['German', 'English']
    """
    found = tuple(dict.fromkeys(_parse(name.strip()) for name in given.split(",")))
    if len(found) > MAX_LANGUAGES:
        raise InputError(
            f"a corpus has at most {MAX_LANGUAGES} languages, got {len(found)}: {given}; "
            "name those of most documents"
        )
    return found


def _parse(name: str) -> Language:
    by_name = {language.name.lower(): language for language in LANGUAGES.values()}
    found = LANGUAGES.get(name.lower()) or by_name.get(name.lower())
    if found is None:
        # Codes are too short to be near a misspelling: the nearest is a name.
        raise UnknownName("language", name, (language.name for language in LANGUAGES.values()))
    return found


def language_names(languages: tuple[Language, ...]) -> str:
    """Languages as people read them.

    >>> language_names(parse_languages("de,en"))
    'German and English'
    """
    names = [language.name for language in languages]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
