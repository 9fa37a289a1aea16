from .cutoffs import Cutoffs as Cutoffs
from .cutoffs import ExpectedTime as ExpectedTime
from .law_table import LawTable as LawTable
from .restart_learning import learn_rule as learn_rule
from .restart_replay import RecordedRuns as RecordedRuns
from .restart_rule import RestartRule as RestartRule
from .restarts import best_cutoff as best_cutoff
from .restarts import expected_time as expected_time
