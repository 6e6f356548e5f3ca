"""Whether a venue is the one that was asked for."""

from dure.packs.papers.keys import name_key

_SAME = (
    ("neurips", "nips", "neural information processing systems"),
    ("icml", "international conference on machine learning"),
    ("iclr", "international conference on learning representations"),
    ("acl", "annual meeting of the association for computational linguistics"),
    ("emnlp", "empirical methods in natural language processing"),
    ("naacl", "north american chapter of the association for computational linguistics"),
    ("eacl", "european chapter of the association for computational linguistics"),
    ("tacl", "transactions of the association for computational linguistics"),
    ("cvpr", "computer vision and pattern recognition"),
    ("iccv", "international conference on computer vision"),
    ("eccv", "european conference on computer vision"),
    ("aaai", "aaai conference on artificial intelligence"),
    ("ijcai", "international joint conference on artificial intelligence"),
    ("jmlr", "journal of machine learning research"),
    ("sigir", "research and development in information retrieval"),
    ("kdd", "knowledge discovery and data mining"),
)
"""Short and long names of one venue."""
_LONG = {short: names for names in _SAME for short in names}


def fits(wanted: str, venue: str) -> bool:
    """Whether `venue`, as a source writes it, is the `wanted` one: it holds its words in a row, or those of another of
    its names. "NIPS" fits "Advances in Neural Information Processing Systems 30"; "ACL" does not fit "NAACL"."""
    has = f" {name_key(venue)} "
    key = name_key(wanted)
    names = _LONG.get(key, (key,))
    if any(f" {name} " in has for name in names):
        # A longer name that holds a shorter one is another venue's.
        return not any(f" {other} " in has for name in names for other in _LONG if name in other and other not in names)
    return False
