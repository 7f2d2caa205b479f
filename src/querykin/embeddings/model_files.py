"""The files of a sentence model and their settings: maximum length and pooling."""

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from querykin.embeddings.packaged_files import SENTENCE_ENCODER, SENTENCE_TOKENIZER
from querykin.errors import InputError, MissingExtra
from querykin.untrusted_json import read_json

PACKAGED_MAX_TOKENS = 256  # max_seq_length of all-MiniLM-L6-v2; its tokenizer.json says 128

POOLINGS = {"mean": False, "mean_tokens": False, "cls": True, "cls_token": True}  # whether of the first token


@dataclass(frozen=True)
class SentenceFiles:
    """The files of a sentence model and its settings."""

    network: Path
    tokenizer: Path
    max_tokens: int | None = None  # longer texts are truncated; None: as tokenizer.json says
    first_token: bool = False  # pooling: the vector of the first token ([CLS]) instead of the mean

    @property
    def identity(self) -> str:
        """The checksums of both files, and the settings that vectors depend on."""
        pooling = "cls" if self.first_token else "mean"
        files = f"{_crc32(self.network):08x} {_crc32(self.tokenizer):08x}"
        return f"onnx {files} pooling={pooling} max_tokens={self.max_tokens}"


def _crc32(path: Path) -> int:
    value = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            value = zlib.crc32(piece, value)
    return value


def packaged(missing: MissingExtra) -> SentenceFiles:
    """all-MiniLM-L6-v2 from two installed packages."""
    return SentenceFiles(
        SENTENCE_ENCODER.verified(missing), SENTENCE_TOKENIZER.verified(missing), PACKAGED_MAX_TOKENS
    )


def in_folder(folder: Path) -> SentenceFiles:
    """The model in a folder with the layout of model hubs: model.onnx or onnx/model.onnx, tokenizer.json."""
    networks = [path for path in (folder / "model.onnx", folder / "onnx" / "model.onnx") if path.is_file()]
    tokenizer = folder / "tokenizer.json"
    if not networks or not tokenizer.is_file():
        raise InputError(
            f"{folder} is not a sentence model: it needs model.onnx (or onnx/model.onnx) and tokenizer.json, "
            f"has {_listed(folder)}"
        )
    return SentenceFiles(networks[0], tokenizer, _max_tokens(folder), _first_token(folder))


def _max_tokens(folder: Path) -> int | None:
    length = _settings(folder / "sentence_bert_config.json").get("max_seq_length")
    return length if isinstance(length, int) else None


def _first_token(folder: Path) -> bool:
    """Whether the model pools by the first token; raises for models that would be computed incorrectly."""
    modules = _settings(folder / "modules.json").values()
    if any(str(module.get("type")).endswith(".Dense") for module in modules if isinstance(module, dict)):
        raise InputError(f"{folder} has a dense layer after its network, which is not supported as ONNX")
    settings = _settings(folder / "1_Pooling" / "config.json")
    modes = [key.removeprefix("pooling_mode_") for key, on in settings.items() if on is True]
    modes = [str(settings["pooling_mode"])] if "pooling_mode" in settings else modes
    modes = [mode for mode in modes if mode != "include_prompt"] or ["mean"]
    if len(modes) > 1 or modes[0] not in POOLINGS:
        raise InputError(f"{folder} asks for the pooling {modes}; supported: mean, cls")
    return POOLINGS[modes[0]]


def _settings(path: Path) -> dict[str, Any]:
    """The settings of a JSON file, a list by its indices; empty if there is no file."""
    if not path.is_file():
        return {}
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if isinstance(content, list):
        return {str(index): item for index, item in enumerate(content)}
    return content if isinstance(content, dict) else {}


def _listed(folder: Path) -> str:
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    return ", ".join(names[:8]) + (" ..." if len(names) > 8 else "") if names else "nothing"
