"""Jobs of uncertainty: a model predicts an instance whose features are shifted away from the training data."""

from __future__ import annotations

import numpy as np

from bayes_distnet.data import splits
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.experiments.jobs import Job, instance_names, rounded, split_data
from bayes_distnet.experiments.results import Record
from bayes_distnet.experiments.tasks import fit_of


def shift_features(job: Job, data: Dataset) -> Record:
    """Predict the middle test instance with all features shifted: the paper's adversarial figure.

    Parameters
    ----------
    job : Job
        Job to do.
    data : Dataset
        All instances. Per fold, the test instance with the middle of the median runtimes is taken.

    Returns
    -------
    dict
        Mean and quartiles of the predicted runtime per shift.
    """
    split = split_data(job, data)
    model = fit_of(job, split).model
    middle = np.nanmedian(split.test.seconds, axis=1)
    chosen = split.test_rows[np.argsort(middle)[len(middle) // 2]]
    rtd = model.predict_distribution(splits.shifted(data.features, int(chosen), among=split.train_rows))
    low, median, high = rtd.quantile([0.25, 0.5, 0.75]).T
    rows = zip(splits.SHIFTS, rtd.mean(), low, median, high, strict=True)
    columns = ("shift", "mean", "low", "median", "high")
    name = instance_names(data, [chosen])[0]
    return {"shifts": [{"instance": name} | dict(zip(columns, map(rounded, row), strict=True)) for row in rows]}
