"""Questions about numbers: described data, a query object that a model fills in, its check by code, SQL, and words.

description -> links (what of the question is known) -> query (filled in under a schema) -> faults -> SQL -> reading
"""
