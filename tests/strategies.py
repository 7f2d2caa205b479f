"""Random texts: words of every kind of script, punctuation, and unusual characters."""

from hypothesis import strategies as st

ALPHABET = "abzABZ019'’＇.!?…。\n\u2028 -,_éÉßİǅŉ漢字かなカナ한글אب½²ªＡ１𝐀😀👍🏽"
ALPHABET += "ーｶﾞ々〇กาแฟที่ລາວខ្មែรမြន်မာœłøñδςё"
ALPHABET += "\u0301\u0308\u3099\u200d\u00ad\ud800\0"  # marks, joiners, a surrogate
PIECES = [
    "valentine's",
    "rock 'n' roll",
    "example.org",
    "3.14",
    "U.S.A.",
    "running",
    "Mariners",
    "x" * 70,
    "ingeniously",
    "o'ing",
    "e\u0301te\u0301",
    "東京 Tokyo",
    "informação",
    "informacao",
    "เครื่องชงกาแฟ",
]


def texts(max_size: int = 60) -> st.SearchStrategy[str]:
    """Text of any characters, with characters special to a tokenizer more often than others."""
    anything = st.text(st.characters(codec=None), max_size=max_size)
    special = st.text(st.sampled_from(ALPHABET), max_size=max_size)
    phrases = st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join)
    mixed = st.lists(st.one_of(anything, special, phrases), max_size=3).map("".join)
    return st.one_of(anything, special, phrases, mixed)
