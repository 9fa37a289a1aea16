from .base import Features as Features
from .cnf import cnf_features as cnf_features
from .pddl import pddl_features as pddl_features
from .table import FeatureTable as FeatureTable
from .table import extract as extract
