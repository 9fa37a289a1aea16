"""Models that learn runtime distributions from runs and features.

Takes features and `Observations`; gives estimators with scikit-learn's face whose `predict_distribution` returns a
`RuntimeDistribution`, and folders of saved models. `registry` names them all, peers and limits included. It must not
know scores, experiments or how runs were collected.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
