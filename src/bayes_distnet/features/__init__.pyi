from .apart import features_apart as features_apart
from .base import Features as Features
from .cnf import cnf_features as cnf_features
from .pddl import pddl_features as pddl_features
from .registry import FEATURE_SETS as FEATURE_SETS
from .registry import FeatureSet as FeatureSet
from .table import FeatureTable as FeatureTable
from .table import extract_features as extract_features
