"""Labels of models and scores, as their registries have them."""

from __future__ import annotations

from bayes_distnet.models.registry import MODELS
from bayes_distnet.models.registry import RECOMMENDED as KEY
from bayes_distnet.scoring.registry import SCORES, Better

LABELS = {key: score.label for key, score in SCORES.items()}
UNRANKED = tuple(key for key, score in SCORES.items() if score.better is Better.NEITHER)
COVERED = SCORES["coverage"].target or 0.0
MAIN = tuple(entry.label for entry in MODELS.values() if entry.main)
RECOMMENDED = MODELS[KEY].label
LIMITS = tuple(entry.label for entry in MODELS.values() if entry.is_limit)
