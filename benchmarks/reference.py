"""How far are variational predictions from the sampled posterior? Prints the tables of docs/reference-posterior.md.

    python benchmarks/reference.py [--folds 2] [--cell clasp-factoring:8:0] [--models out/reference]

Fitted models are kept in a folder: a killed run goes on where it stopped, and tables can be made again in seconds.
Distances are between predictive cdfs of unseen instances, on a grid of log time. The noise floor is the distance
between two halves of the chains of the reference, which have half of its draws each.
"""

from __future__ import annotations

import argparse
import copy
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bayes_distnet import BayesDistNet, load_dataset, load_model
from bayes_distnet.data.observations import observe
from bayes_distnet.data.splits import cut_off, first_runs, folds_by_instance
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import fit_runs
from bayes_distnet.models.network.convergence import effective_draws, r_hat
from bayes_distnet.models.sampled_effect import SampledEffect
from bayes_distnet.scoring.calibration import band_coverage
from bayes_distnet.scoring.likelihood import joint_nllh, nllh

CELLS = [("clasp-factoring", 8, 0.0), ("lpg-zenotravel", 8, 0.0)]
GRID = 400  # points in log time
REFERENCE, INDEPENDENT = "reference", "reference, independent runs"
COLD = 0.1
SAMPLED = {"posterior": "nuts", "n_members": 4, "n_draws": 60}


@dataclass(frozen=True)
class Fold:
    """Runs to learn from, and the runs of the other instances."""

    key: str
    runs: int
    features: object
    seconds: np.ndarray
    finished: np.ndarray
    asked: object
    own: np.ndarray


def folds(name: str, runs: int, fraction: float, count: int) -> list[Fold]:
    data = load_dataset(name).matched()
    found = []
    for i, (train, test) in enumerate(list(folds_by_instance(len(data), 10, 0))[:count]):
        seconds, finished = first_runs(data.seconds[train], data.finished[train], runs, 0)
        seconds, finished = cut_off(seconds, finished, fraction)
        asked, own = data.features.iloc[test], data.seconds[test]
        key = f"{name}-{runs}-{fraction:g}-{i}"
        found.append(Fold(key, runs, data.features.iloc[train], seconds, finished, asked, own))
    return found


def variational(runs: int) -> dict[str, BayesDistNet]:
    """Models with one KL weight each. Runs count by the root of their number: Bayes' rule has the weight 1/√runs."""
    weights = {f"KL weight {weight:g}": weight for weight in (1.5, 1.0)}
    weights |= {f"KL weight {runs**-0.5:.2f} (Bayes' rule)": runs**-0.5}
    weights |= {f"KL weight {weight:g}": weight for weight in (0.3, 0.04, 0.005)}
    return {name: BayesDistNet(output="parameters", kl_weights=(float(weight),)) for name, weight in weights.items()}


def models(runs: int, extra: bool) -> dict[str, BayesDistNet]:
    sampled = {REFERENCE: BayesDistNet(**SAMPLED)}
    if extra:
        sampled |= {INDEPENDENT: BayesDistNet(**SAMPLED)}
        sampled |= {f"reference, cold ({COLD:g})": BayesDistNet(**SAMPLED, kl_weights=(COLD,))}
    return sampled | {"pool of KL weights": BayesDistNet(output="parameters")} | variational(runs)


def independent(model: BayesDistNet, fold: Fold) -> BayesDistNet:
    """The posterior without an instance effect: the target that a single KL weight of Bayes' rule approximates."""
    from bayes_distnet.models.network.sampled_posterior import sample_posterior

    start = fit_runs(
        BayesDistNet(output="parameters", kl_weights=(1.0,), n_members=model.n_members),
        fold.features,
        fold.seconds,
        fold.finished,
    )
    features, observations = observe(fold.features.to_numpy(), fold.seconds, fold.finished)
    sampled = sample_posterior(
        start.ensemble_, features, observations, kl_weight=1.0, draws=model.n_draws, seed=0, shared=False
    )
    fitted = copy.copy(start).set_params(posterior="nuts")
    fitted.ensemble_, fitted.effect_, fitted.r_hat_ = sampled.ensemble, sampled.effect, sampled.r_hat
    fitted.fitted_params_ = fitted.get_params(deep=False)
    return fitted


def fitted(name: str, model: BayesDistNet, fold: Fold, folder: Path) -> BayesDistNet:
    path = folder / fold.key / "".join(c if c.isalnum() or c in ".-" else "_" for c in name)
    if not (path / "model.json").exists():
        if name == INDEPENDENT:
            independent(model, fold).save(path)
        else:
            fit_runs(model, fold.features, fold.seconds, fold.finished).save(path)
    return load_model(path)


def chains(model: BayesDistNet, chosen: slice) -> BayesDistNet:
    """The same model with some of its chains."""
    part, ensemble = copy.copy(model), model.ensemble_
    sizes = model.effect_.fractions.reshape(ensemble.weights.shape[:2])
    part.ensemble_ = replace(ensemble, weights=ensemble.weights[chosen])
    part.effect_ = SampledEffect(sizes[chosen].ravel(), model.effect_.assumed)
    return part


def laws(model: BayesDistNet, asked) -> RuntimeDistribution:
    """Instance laws of all weight draws and values of the effect, as components; without the gate of far rows."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(12)
    x, size = model.ensemble_.inputs(asked.to_numpy()), model.effect_.fractions[:, None]
    drawn = model.ensemble_.network(x).components
    location = drawn.loc[..., None] + np.sqrt(size) * drawn.scale[..., None] * nodes
    scale = np.broadcast_to(np.sqrt(1.0 - size) * drawn.scale[..., None], location.shape)
    components = LogNormal(location.reshape(len(x), -1), scale.reshape(len(x), -1))
    return RuntimeDistribution(components, np.tile(weights, len(size)))


def distances(rtd, other) -> tuple[np.ndarray, np.ndarray]:
    """Total variation and KS distance between predictive cdfs, per instance."""
    ends = np.log([rtd.quantile([0.0005, 0.9995]), other.quantile([0.0005, 0.9995])])
    share = np.linspace(0.0, 1.0, GRID)
    low, high = ends[..., 0].min(axis=0), ends[..., 1].max(axis=0)
    times = np.exp(low[:, None] + (high - low)[:, None] * share)
    gap = rtd.cdf(times) - other.cdf(times)
    padded = np.pad(gap, ((0, 0), (1, 1)))  # the mass before and after the grid
    return 0.5 * np.abs(np.diff(padded, axis=1)).sum(axis=1), np.abs(gap).max(axis=1)


def width(rtd) -> np.ndarray:
    low, high = rtd.band(0.9)
    return np.log(high / low)


def measured(rtd, reference, own) -> dict[str, np.ndarray]:
    """Figures per unseen instance."""
    variation, ks = distances(rtd, reference)
    return {
        "tv": variation,
        "ks": ks,
        "ratio": width(rtd) / width(reference),
        "width": width(rtd),
        "nllh": nllh(rtd, own),
        "joint": joint_nllh(rtd, own),
        "half": band_coverage(rtd, own, level=0.5),
        "most": band_coverage(rtd, own, level=0.9),
    }


def row(name: str, parts: list[dict[str, np.ndarray]], references: list[dict[str, np.ndarray]]) -> None:
    figures, known = ({key: np.concatenate([p[key] for p in some]) for key in some[0]} for some in (parts, references))
    spread = [f"{np.median(figures[key]):.3f}, {np.quantile(figures[key], 0.9):.3f}" for key in ("tv", "ks")]
    scores = []
    for key in ("nllh", "joint"):
        gap = figures[key] - known[key]
        error = gap.std(ddof=1) / np.sqrt(gap.size)
        scores.append(f"{figures[key].mean():.3f} ({gap.mean():+.3f} ± {error:.3f})")
    covered = [f"{figures[key].mean():.2f}" for key in ("half", "most")]
    widths = f"{np.median(figures['ratio']):.2f}", f"{np.median(np.exp(figures['width'])):.2f}"
    line(name, *spread, *widths, *scores, *covered)


def convergence(model: BayesDistNet, fold: Fold) -> tuple[float, ...]:
    locations = model.ensemble_.raw(model.ensemble_.inputs(fold.asked.to_numpy()))[..., 0]
    agreement, number = r_hat(locations), effective_draws(locations)
    sizes = model.effect_.fractions.reshape(locations.shape[:2])
    size = (np.nan, np.nan) if not sizes.any() else (float(r_hat(sizes)), float(effective_draws(sizes)))
    return np.quantile(agreement, 0.95), agreement.max(), np.median(number), number.min(), sizes.mean(), *size


def line(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def table(name: str, runs: int, fraction: float, parts: list[Fold], folder: Path, extra: bool) -> list[tuple[str, ...]]:
    """Print the table of one cell; return lines about the convergence of its chains."""
    print(f"\n**{name}, {runs} runs, {fraction:.0%} cut off, {len(parts)} of 10 folds**\n")
    line(
        "model",
        "TV (median, 90 %)",
        "KS (median, 90 %)",
        "width / reference",
        "width",
        "nllh (against reference)",
        "joint (against reference)",
        "in band(0.5)",
        "in band(0.9)",
    )
    line(*["---"] * 9)
    agreement, references, known = [], [], []
    for title, model in models(runs, extra).items():
        found = []
        for i, fold in enumerate(parts):
            one = fitted(title, model, fold, folder)
            rtd = one.predict_distribution(fold.asked)
            if title == REFERENCE:
                references.append(rtd)
            if one.posterior == "nuts":
                figures = convergence(one, fold)
                agreement.append((name, str(i), title, *(f"{value:.3g}" for value in figures)))
            found.append(measured(rtd, references[i], fold.own))
        if title == REFERENCE:
            known = found
        row(title, found, known)
        if title == REFERENCE:
            sampled = [(fitted(title, model, fold, folder), fold) for fold in parts]
            halves = [
                [chains(one, part).predict_distribution(fold.asked) for part in (slice(0, 2), slice(2, 4))]
                for one, fold in sampled
            ]
            floor = [measured(*half, fold.own) for half, fold in zip(halves, parts, strict=True)]
            row("noise floor: two chains against two others", floor, known)
            apart = [
                measured(laws(one, fold.asked), rtd, fold.own)
                for (one, fold), rtd in zip(sampled, references, strict=True)
            ]
            row("reference, effects kept per draw", apart, known)
    return agreement


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=1, help="of ten")
    parser.add_argument("--cell", action="append", help="data:runs:fraction cut off; can be given several times")
    parser.add_argument("--extra", action="store_true", help="also sample without an effect, and a cold posterior")
    parser.add_argument("--models", type=Path, default=Path("out/reference"), help="folder of fitted models")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    cells = [(name, int(runs), float(part)) for name, runs, part in (c.split(":") for c in options.cell or [])] or CELLS
    agreement = []
    for name, runs, fraction in cells:
        parts = folds(name, runs, fraction, options.folds)
        agreement += table(name, runs, fraction, parts, options.models, options.extra)
    print()
    line(
        "data",
        "fold",
        "model",
        "R-hat (95 %)",
        "R-hat (largest)",
        "draws (median)",
        "draws (least)",
        "effect",
        "its R-hat",
        "its draws",
    )
    line(*["---"] * 10)
    for cells_of_line in agreement:
        line(*cells_of_line)


if __name__ == "__main__":
    main()
