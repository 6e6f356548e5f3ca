"""How the agents of team `papers` work."""
