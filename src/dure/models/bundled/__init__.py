"""The bundled model: its weights, the engine that runs it, and the client that asks it."""
