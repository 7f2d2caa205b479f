"""Messages of errors are shown to users."""

from querykin import InputError
from querykin.errors import UnknownName


def test_a_message_that_quotes_a_hostile_name_is_cut_in_the_middle():
    message = str(UnknownName("section", "measure" + "sure" * 10_000, ["measures", "text"]))
    assert message.startswith("unknown section 'measuresure")
    assert message.endswith("Known: measures, text")
    assert " [...] " in message
    assert len(message) < 4_000


def test_an_ordinary_message_is_whole():
    assert str(InputError("a" * 3_900)) == "a" * 3_900
