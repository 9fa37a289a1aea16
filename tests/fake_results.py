"""A results folder with invented but plausible numbers: every model, experiment and level, shifts, examples."""

import json

import numpy as np
import pandas as pd
from scipy import stats

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.experiments.forms import EXAMPLE_LEVELS
from bayes_distnet.experiments.journal import fold_journal
from bayes_distnet.experiments.registry import EXPERIMENTS, SHIFTS
from bayes_distnet.experiments.results import Results, fingerprint

RUNS, CENSORED = EXPERIMENTS["low-samples"].runs, EXPERIMENTS["censoring"].censored
FAMILIES = ("lognormal", "inverse-gaussian")
# Label: families, nllh with 16 runs, its increase with one run, its increase at 80 % censored.
MODELS = {
    "HybridDistNet": (("",), -0.52, 0.17, 0.25),
    "BayesDistNet": (FAMILIES, -0.50, 0.26, 0.32),
    "BayesDistNet (runtimes)": (FAMILIES, -0.48, 0.32, 0.40),
    "BayesDistNet (paper)": (FAMILIES, 2.6, 1.9, 3.0),
    "DistNet": (FAMILIES, -0.47, 0.78, 0.9),
    "DistNet (paper)": (FAMILIES, 3.1, 4.6, 3.0),
    "RandomForest": (("",), -0.51, 0.155, 0.34),
    "Ridge": (("",), -0.40, 0.2, 0.5),
    "KNearest": (("",), 0.30, 0.2, 0.3),
    "Marginal": (FAMILIES, 0.36, 0.02, 0.2),
    "NGBoost": (("",), -0.43, 0.4, 0.6),
    "XGBoost AFT": (("",), -0.41, 0.5, 0.4),
    "log-normal AFT": (("",), -0.38, 0.25, 0.45),
    "QuantileForest": (("",), -0.35, 0.5, 0.7),
    "limit: lognormal": (("",), -0.66, 0.0, 0.0),
    "limit: empirical": (("",), -0.75, 0.0, 0.0),
}
VERSIONS = {"python": "3.11.7", "jax": "0.6.0", "numpy": "2.2.0"}


def fake_results(
    folder,
    *,
    folds=3,
    seeds=2,
    models=MODELS,
    data="clasp-factoring",
    experiments=None,
    keep=1.0,
    slow=(),
    tables=False,
):
    """Write a results folder and load it.

    keep: fraction of the jobs that were done before the experiment was killed. slow: models that have one seed only.
    tables: whether the experiment has ended, so that the journal has become tables.
    """
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    dataset = fake_data()
    dataset.save(folder / "data")
    scored = [name for name, entry in EXPERIMENTS.items() if not entry.decides]
    plans = {name: _plan(name, models, folds, seeds, slow) for name in (experiments or scored)}
    session = {"started": "2026-11-16T01:39:25+00:00", "seconds": 812.0, "jobs": 1200, "processes": 2, "where": "local"}
    about = {
        "format": 1,
        "data": data,
        "fingerprint": fingerprint(dataset),
        "folds": folds,
        "preset": None,
        "experiments": plans,
        "sessions": [session],
        "machine": "x86_64, 2 cores",
        "versions": VERSIONS,
    }
    (folder / "about.json").write_text(json.dumps(about))
    records = list(_records(plans, models, folds, seeds, slow, dataset, rng))
    records = records[: round(keep * len(records))]
    (folder / "journal.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return fold_journal(folder) if tables else Results.load(folder)


def is_network(model):
    """Whether a model takes part in uncertainty."""
    return "DistNet" in model


def _plan(experiment, models, folds, seeds, slow):
    entry = EXPERIMENTS[experiment]
    chosen = [name for name in models if entry.kind != SHIFTS or is_network(name)]
    plan = {
        "models": chosen,
        "families": list(FAMILIES),
        "runs": list(entry.runs),
        "censored": list(entry.censored),
        "folds_done": folds,
    }
    calls = []
    for names, times in (([n for n in chosen if n not in slow], seeds), ([n for n in chosen if n in slow], 1)):
        if names:
            jobs = [[name, family] for name in names for family in models[name][0]]
            calls.append(plan | {"models": names, "cutoffs": "global", "seeds": times, "jobs": jobs})
    return plan | {"cutoffs": ["global"], "seeds": seeds, "calls": calls}


def _records(plans, models, folds, seeds, slow, dataset, rng):
    """Jobs in the order in which they are done: seed, fold, condition, model."""
    cells = [(runs, "none", 0.0) for runs in RUNS if "low-samples" in plans]
    if "censoring" in plans:
        cells += [(8, "none", 0.0)] * ("low-samples" not in plans) + [(8, "global", cut) for cut in CENSORED[1:]]
    rows = [(model, family) for model, settings in models.items() for family in settings[0]]
    for seed in range(seeds):
        taking_part = [(model, family) for model, family in rows if seed == 0 or model not in slow]
        for fold in range(folds):
            for cell in cells:
                for model, family in taking_part:
                    yield _record(cell, model, family, fold, seed, models[model], dataset, rng)
            for model, family in taking_part:
                if "uncertainty" in plans and is_network(model):
                    yield _shifts(model, family, fold, seed, dataset)


def fake_data():
    """Runs of clasp on 24 instances, and features."""
    rng = np.random.default_rng(1)
    names = [f"factoring-{i:03d}" for i in range(24)]
    seconds = np.exp(rng.normal(0, 1, (24, 1)) + rng.normal(0, 0.6, (24, 30)))
    frame = pd.DataFrame(
        {
            "instance": np.repeat(names, 30),
            "solver": "clasp",
            "seed": np.tile(np.arange(30), 24),
            "seconds": seconds.ravel(),
            "status": "solved",
            "cutoff": 60.0,
        }
    )
    features = pd.DataFrame(rng.normal(size=(24, 5)), index=names, columns=[f"f{i}" for i in range(5)])
    return Dataset(RunTable.from_frame(frame), features, provenance={"sessions": [{"cores": 2}]})


def _key(cell, model, family, fold, seed):
    return dict(zip(("runs", "cutoffs", "censored"), cell, strict=True)) | {
        "model": model,
        "family": family,
        "fold": fold,
        "seed": seed,
    }


def _record(cell, model, family, fold, seed, settings, dataset, rng):
    runs, _, censored = cell
    _, base, few, cut = settings
    nllh = base + few * (1 - np.log2(runs) / 4) ** 1.5 + cut * (censored / 0.8) ** 2
    nllh += 0.02 * (family == "inverse-gaussian") + 0.03 * rng.normal() + 0.08 * np.sin(3 * fold + seed)
    gap = max(nllh + 0.8, 0.01)
    wide = 1 + 0.25 * np.tanh(gap - 0.3)
    scores = {
        "nllh": nllh,
        "kld": 0.6 * gap,
        "ks": 1 - np.exp(-0.6 * gap),
        "mass": 0.02 * gap,
        "crps": 0.1 + 0.2 * gap,
        "coverage": 2 * stats.norm.cdf(1.645 / wide) - 1,
        "band_coverage": np.nan if model == "Marginal" or "limit" in model else 0.9 - 0.2 * np.tanh(gap / 3),
        "joint_nllh": nllh - 0.05,
        "calibration": 0.05 * gap,
        "nllh_published": nllh + 0.1,
        "kld_published": 0.5 * gap,
        "ks_published": 1 - np.exp(-0.6 * gap),
    }
    edges = np.linspace(0, 1, 21)[1:-1]
    pit = np.diff(np.r_[0, stats.norm.cdf(stats.norm.ppf(edges) / wide), 1])
    key = _key(cell, model, family, fold, seed)
    record = {"kind": "scores", "key": key, "scores": {k: float(v) for k, v in scores.items()}, "instances": 8}
    record |= {"fit_seconds": 0.2 + 3 * ("Bayes" in model), "predict_seconds": 0.01}
    record["familiarity"] = [
        {"verdict": "familiar", "instances": 7, "nllh": float(nllh), "coverage": 0.9},
        {"verdict": "unusual", "instances": 1, "nllh": float(nllh) + 1.0, "coverage": 0.8},
    ]
    record["pit"] = np.round(240 * pit).astype(int).tolist()
    if fold == seed == 0 and (runs, censored) in ((8, 0.0), (8, 0.6)):
        record["examples"] = [_example(dataset, row, wide) for row in range(8)]
    return record


def _example(dataset, row, wide):
    logs = np.log(dataset.seconds[row])
    at = logs.mean() + 0.4 * (row % 5 - 2) * wide
    quantiles = np.exp(at + 0.6 * wide * stats.norm.ppf(EXAMPLE_LEVELS))
    nllh = float(0.1 * row - 0.4 + 0.2 * wide)
    trust = {"familiar": "unusual" if row == 3 else "familiar", "ignorance": 1.2 + 0.1 * row, "luck": 2.5}
    return {"instance": dataset.features.index[row], "nllh": nllh, "quantiles": quantiles.tolist(), **trust}


def _shifts(model, family, fold, seed, dataset):
    rows = []
    for shift in range(-8, 9):
        width = 0.5 + (0.25 * abs(shift) if "Bayes" in model or "Hybrid" in model else 0.0)
        at = 0.35 * shift * ("paper" not in model)
        low, median, high = np.exp(at - 0.67 * width), np.exp(at), np.exp(at + 0.67 * width)
        mean = float(np.exp(at + width**2 / 2))
        place = {"instance": dataset.features.index[fold], "shift": float(shift)}
        rows.append(place | {"mean": mean, "low": float(low), "median": float(median), "high": float(high)})
    return {"kind": "shifts", "key": _key((8, "none", 0.0), model, family, fold, seed), "shifts": rows}
