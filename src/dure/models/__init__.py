"""Models: the chat client, the bundled model, embeddings, and what a model server can do."""

from dure.models.bundled.weights import fetched as fetched
from dure.models.bundled.weights import missing as missing
from dure.models.client import ChatClient as ChatClient
from dure.models.embeddings import Embedder as Embedder
from dure.models.embeddings import for_documents as for_documents
from dure.models.embeddings import open_embedder as open_embedder
from dure.models.model import Asked as Asked
from dure.models.model import Model as Model
from dure.models.opening import Models as Models
from dure.models.opening import model_of as model_of
from dure.models.opening import open_model as open_model
