"""Journey 4: a table of job records, without any preparation."""

import numpy as np
import pandas as pd
import pytest


def write_jobs(folder):
    """Write 1,200 jobs with a known law, an hour as the limit, and 200 further ones; return the latter's true law."""
    rng = np.random.default_rng(0)
    n = 1400
    jobs = pd.DataFrame(
        {
            "job_id": np.arange(70_000, 70_000 + n),
            "queue": rng.choice(["day", "night", "express"], n),
            "input_mb": rng.lognormal(5, 1, n).round(1),
            "submitted": pd.Timestamp("2026-03-01") + pd.to_timedelta(rng.integers(0, 2_500_000, n), unit="s"),
        }
    )
    typical = 3.0 * jobs["input_mb"] * jobs["queue"].map({"day": 1.0, "night": 4.0, "express": 0.3})
    seconds = typical * rng.lognormal(0, 0.5, n)
    jobs["elapsed"] = np.minimum(seconds, 3600).round(1)
    jobs["state"] = np.where(rng.random(n) < 0.03, "FAILED", np.where(seconds < 3600, "COMPLETED", "TIMEOUT"))
    jobs[:1200].to_csv(folder / "jobs.csv", index=False)
    new = jobs[1200:].drop(columns=["elapsed", "state"])
    new.to_csv(folder / "new.csv", index=False)
    new.assign(age=1800).to_csv(folder / "running.csv", index=False)
    return typical[1200:].to_numpy(), seconds[1200:].to_numpy()


@pytest.mark.slow
def test_limits_chances_and_time_left_come_from_one_table(traveller):
    typical, seconds = write_jobs(traveller.folder)
    fit = "bayes-distnet fit jobs.csv --time elapsed --status state --model forest --holdout 0.2 --out model"
    fitted = traveller.shell(fit)
    assert "job_id" in fitted  # left out, with a note
    assert "FAILED" in fitted  # left out, with a note
    traveller.shell("bayes-distnet predict model new.csv --columns median,q90,within:3600 --out predictions.csv")
    traveller.arrived("operations")
    table = pd.read_csv(traveller.folder / "predictions.csv")
    assert len(table) == 200
    short = typical < 2000  # well below the limit of an hour
    assert np.median(np.abs(np.log(table["median"] / typical))[short]) < 0.25
    assert 0.8 < (seconds <= table["q90"]).mean() < 0.99
    chances = table.filter(like="within").iloc[:, 0]
    assert abs(chances.mean() - (seconds <= 3600).mean()) < 0.06
    evaluated = traveller.shell("bayes-distnet evaluate model jobs.csv --holdout 0.2")
    assert "nllh" in evaluated
    traveller.shell("bayes-distnet predict model running.csv --elapsed-column age --columns median --out left.csv")
    left = pd.read_csv(traveller.folder / "left.csv")["median"]
    quick = typical < 300  # after half an hour a quick job is an exception
    assert (left > 0).all()
    assert left[~quick].median() > 200
