"""arXiv's subject classes (https://arxiv.org/category_taxonomy) as fields of research."""

_CLASSES = {
    "nlp": "cs.cl cmp-lg",
    "vision": "cs.cv eess.iv",
    "robotics": "cs.ro",
    "retrieval": "cs.ir",
    "speech": "cs.sd eess.as",
    "graph": "cs.si",
    "multimodal": "cs.mm",
    "systems": "cs.dc cs.ar cs.pf cs.os",
    "safety": "cs.cr",
}
_FIELDS = {name: field for field, names in _CLASSES.items() for name in names.split()}


def field_of(category: str) -> str:
    """The field of a subject class; the class itself where it is none of those that have one here."""
    category = category.strip().lower()
    return _FIELDS.get(category, category)
