"""Models in notebooks: scikit-learn's diagram, and below it what the model was fitted to."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr

from bayes_distnet.notebook import table


def model_html(model: Any) -> str:
    """Return a model as HTML.

    Parameters
    ----------
    model : RuntimeEstimator
        A model, fitted or not.

    Returns
    -------
    str
        The diagram of scikit-learn; for a fitted model followed by counts of its training runs.
    """
    diagram: str = estimator_html_repr(model)
    runs = getattr(model, "training_runs_", None)
    if runs is None or not hasattr(model, "fitted_params_"):
        return diagram
    cells = [f"{runs.instances:,}", f"{runs.runs:,}", f"{runs.cut_off / runs.runs:.0%}", f"{model.n_features_in_:,}"]
    return diagram + table("fitted to", ["instances", "runs", "cut off", "features"], [cells])


class ShownModel:
    """The face of a model in notebooks."""

    @property
    def _repr_html_(self) -> Any:
        if get_config()["display"] != "diagram":
            raise AttributeError("scikit-learn is set to show models as text")
        return lambda: model_html(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        text = {"text/plain": repr(self)}
        return text | {"text/html": model_html(self)} if get_config()["display"] == "diagram" else text
