"""What is looked at afterwards: runs as experiments, their cost and rating, comparison, export."""

from dure.records.cost import Prices
from dure.records.experiment import Experiment
from dure.records.group import Group, current
from dure.records.records import Records

__all__ = ["Experiment", "Group", "Prices", "Records", "current"]
