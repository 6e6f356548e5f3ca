"""What is looked at afterwards: runs as experiments, their cost and rating, comparison, export."""

from dure.records.experiment import Experiment as Experiment
from dure.records.figures import Prices as Prices
from dure.records.records import Group as Group
from dure.records.records import Records as Records
from dure.records.records import current as current
