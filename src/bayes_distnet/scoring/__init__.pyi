from . import scores as scores
from .comparison import compare as compare
from .comparison import summary as summary
from .evaluation import evaluate as evaluate
from .family_choice import best_family as best_family
from .registry import SCORES as SCORES
from .registry import Score as Score
