"""Choice of the backend of a sentence model by its name or folder."""

import os
from pathlib import Path

from querykin.embeddings import onnx, sentence_transformers
from querykin.embeddings.base import EmbeddingModel
from querykin.errors import InputError


def sentence_model(model: str = "") -> EmbeddingModel:
    """The sentence model in a folder or with a name; all-MiniLM-L6-v2 by default.

    onnxruntime runs a folder with an .onnx file, sentence-transformers any other folder or name.
    """
    if not model:
        return onnx.load()
    path = os.path.expanduser(model)
    if os.path.isdir(path):
        folder = Path(path)
        if any(folder.glob("*.onnx")) or any(folder.glob("onnx/*.onnx")):
            return onnx.load(model)
        if not any((folder / name).is_file() for name in ("modules.json", "config.json")):
            raise InputError(
                f"{model} holds no sentence model: neither model.onnx and tokenizer.json nor a model of "
                f"sentence-transformers (modules.json or config.json)"
            )
    elif os.path.isfile(path):
        raise InputError(f"{model} is a file; give the folder that holds the model")
    elif os.path.isabs(path) or model.startswith("."):
        raise InputError(f"there is no folder {model}; give one with model.onnx and tokenizer.json")
    return sentence_transformers.load(model)
