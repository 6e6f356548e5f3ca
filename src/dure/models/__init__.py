"""Models: the chat client, the bundled model, embeddings, and what a model server can do."""

from dure.models.bundled.weights import WEIGHTS, Weights, missing, path_of, pull
from dure.models.client import ChatClient, Client
from dure.models.compare import TASKS, Score, compare, recommended
from dure.models.embeddings import Embedder, open_embedder
from dure.models.facts import Facts
from dure.models.model import Asked, Model
from dure.models.opening import model_of, open_model

__all__ = [
    "TASKS",
    "WEIGHTS",
    "Asked",
    "ChatClient",
    "Client",
    "Embedder",
    "Facts",
    "Model",
    "Score",
    "Weights",
    "compare",
    "missing",
    "model_of",
    "open_embedder",
    "open_model",
    "path_of",
    "pull",
    "recommended",
]
