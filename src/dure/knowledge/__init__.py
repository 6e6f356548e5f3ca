"""Documents: parse, split, index, embed, search, cite.

Nothing is imported here: a child process that parses a file has no use for the database.
"""
