"""What is looked at afterwards: runs as experiments, their cost and rating, comparison, export."""

from dure.records.experiment import Experiment as Experiment
from dure.records.figures import Prices as Prices
from dure.records.group import Group as Group
from dure.records.group import current as current
from dure.records.records import Records as Records
