"""The language of a corpus on the command line: printed, set, shown and refused."""

import json

import pytest

from shop import SHOPS

NEW = ("--workspace", "new")


def jsonl(language: str) -> str:
    documents = SHOPS[language]
    lines = ({"id": each.id, "title": each.title, "text": each.text} for each in documents)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def test_the_recognized_language_is_told_and_shown(querykin):
    querykin.write("shop.jsonl", jsonl("fr"))
    messages = querykin("corpus", "add", "shop.jsonl", *NEW).err
    assert "language: French (of 22 documents, 100 % French); set another with --language" in messages
    assert querykin("corpus", "info", *NEW).lines[0].split() == ["language", "French"]
    assert json.loads(querykin("corpus", "info", *NEW, "--format", "json").out)["language"] == "fr"
    assert "language:" not in querykin("corpus", "add", "shop.jsonl", *NEW).err


def test_a_language_without_a_stemmer_is_told(querykin):
    querykin.write("shop.jsonl", jsonl("ja"))
    messages = querykin("corpus", "add", "shop.jsonl", *NEW, "--language", "Japanese").err
    assert "there is no stemmer for Japanese" in messages


def test_a_language_is_set_by_option_or_settings(querykin):
    querykin.write("shop.jsonl", jsonl("en"))
    querykin.write("settings.toml", '[text]\nlanguage = "nl"\n')
    querykin("corpus", "add", "shop.jsonl", *NEW, "--config", "settings.toml")
    assert json.loads(querykin("corpus", "info", *NEW, "--format", "json").out)["language"] == "nl"
    querykin("corpus", "add", "shop.jsonl", "--language", "de,en", "--workspace", "other")
    shown = querykin("corpus", "info", "--workspace", "other").out
    assert "German and English" in shown


@pytest.mark.parametrize("given", ["Germann", "xx", "de,", "\0"])
def test_an_unknown_language_is_refused_and_nothing_is_added(querykin, given):
    querykin.write("shop.jsonl", jsonl("de"))
    error = querykin.refuses("corpus", "add", "shop.jsonl", *NEW, "--language", given)
    assert "unknown language" in error
    assert "German" in error


def test_an_unknown_language_in_the_settings_is_refused(querykin):
    querykin.write("settings.toml", '[text]\nlanguage = "Klingon"\n')
    assert "unknown language 'Klingon'" in querykin.refuses(
        "corpus", "info", *NEW, "--config", "settings.toml"
    )


def test_another_language_is_refused_later(querykin):
    querykin.write("shop.jsonl", jsonl("de"))
    querykin("corpus", "add", "shop.jsonl", *NEW)
    error = querykin.refuses("corpus", "add", "shop.jsonl", *NEW, "--language", "fr")
    assert "is in German and keeps its language; got French" in error
    assert "--workspace NEW --language fr" in error
