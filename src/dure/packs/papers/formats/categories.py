"""arXiv's subject classes (https://arxiv.org/category_taxonomy) as fields of research."""

_FIELDS = {
    "cs.cl": "nlp",
    "cmp-lg": "nlp",
    "cs.cv": "vision",
    "eess.iv": "vision",
    "cs.ro": "robotics",
    "cs.ir": "retrieval",
    "cs.sd": "speech",
    "eess.as": "speech",
    "cs.si": "graph",
    "cs.mm": "multimodal",
    "cs.dc": "systems",
    "cs.ar": "systems",
    "cs.pf": "systems",
    "cs.os": "systems",
    "cs.cr": "safety",
}


def field_of(category: str) -> str:
    """The field of a subject class; the class itself where it is none of those that have one here."""
    category = category.strip().lower()
    return _FIELDS.get(category, category)
