"""Small embedding models in place of the packaged ones."""

import pytest

from querykin.corpus_resources import CorpusResources
from querykin.embeddings.document_vectors import DocumentVectors
from word_model import WordModel

LEAD = 7  # words of a document that are embedded


def use_small_models(patch: pytest.MonkeyPatch) -> dict[str, WordModel]:
    """Replace the models by small ones; they may be exchanged in what is returned."""
    models = {"static": WordModel("static"), "dense": WordModel("dense")}

    def opened(self, model):
        folder = self.path / "document-vectors" / model
        vectors = DocumentVectors(folder, lambda: models[model], LEAD, self.corpus.store_id)
        return self._document_vectors.setdefault(model, vectors)

    patch.setattr(CorpusResources, "document_vectors", opened)
    for module in ("embedding", "hybrid"):
        patch.setattr(f"querykin.measures.{module}.sentence_model", lambda model="": models["dense"])
    patch.setattr("querykin.measures.hybrid.encoder_problem", lambda languages: None)
    return models
