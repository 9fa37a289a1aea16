"""Bayes DistNet."""

from __future__ import annotations

from dataclasses import replace

from bayes_distnet.models.network.estimator import OUTPUTS, PRESETS, NetworkEstimator, as_tuple
from bayes_distnet.models.network.settings import KL_WEIGHTS, Settings
from bayes_distnet.validation import check_choice


class BayesDistNet(NetworkEstimator):
    """Bayes DistNet (Tuero and Buro 2021): a network with distributions for weights, trained by Bayes by Backprop.

    Each weight draw predicts a runtime distribution; the prediction is their mixture. What the draws disagree about
    is what the model does not know (`band`, `epistemic`), what each of them leaves open is the solver's own
    randomness (`aleatoric`).

    Args:
        family: distribution of one weight draw, a name in `bayes_distnet.distributions.families.all.FAMILIES`.
        output: "parameters" (a weight draw predicts the family's parameters) or "runtimes" (the paper's: a weight
            draw predicts one runtime, and the family is fitted to the runtimes of all draws, so that the two kinds of
            uncertainty cannot be told apart).
        preset: None, or "paper" for the published settings, whatever all but family and seed say.
        hidden: units of the hidden layers.
        members: networks trained side by side, member j without a fifth (or 1/members) of the instances.
        draws: weight draws a member in prediction; with runtime outputs it is 16, or 64 if they learn
            from more than 512 instances, in training too.
        steps: training steps, in fifties; None chooses by the amount of data.
        learning_rate: of Adam, at its peak.
        kl_weights: weights of the KL term; below 1 is a cold posterior. Networks are trained for each, and pooled by
            how well they predict instances they have not seen: little data wants a large weight, much data a small one.
            None: 1.5, 0.3, 0.04 and 0.005, with runtime outputs three times as much.
        seed: fixes the result.
        progress: show a progress bar; None only on a terminal.

    Example:
        >>> from bayes_distnet import BayesDistNet, make_runs
        >>> data = make_runs(n_instances=60, n_runs=4, seed=0)
        >>> model = BayesDistNet(steps=100, seed=0).fit(data.features, data.seconds)
        >>> rtd = model.predict_distribution(data.features)
        >>> rtd.quantile([0.1, 0.5, 0.9]).shape
        (60, 3)
    """

    def __init__(
        self,
        family: str = "lognormal",
        output: str = "parameters",
        preset: str | None = None,
        hidden: tuple[int, ...] = (16, 16),
        members: int = 5,
        draws: int = 6,
        steps: int | None = None,
        learning_rate: float = 2e-2,
        kl_weights: tuple[float, ...] | None = None,
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.family = family
        self.output = output
        self.preset = preset
        self.hidden = hidden
        self.members = members
        self.draws = draws
        self.steps = steps
        self.learning_rate = learning_rate
        self.kl_weights = kl_weights
        self.seed = seed
        self.progress = progress

    def _settings(self) -> Settings:
        check_choice("preset", self.preset, PRESETS)
        if self.preset == "paper":
            paper = Settings(self.family, "runtimes", published=True, members=1, draws=16, kl_weights=(0.1,))
            return replace(paper, progress=self.progress)
        check_choice("output", self.output, OUTPUTS)
        return Settings(
            family=self.family,
            output=self.output,
            hidden=as_tuple(self.hidden),
            members=self.members,
            draws=self.draws,
            steps=self.steps,
            learning_rate=self.learning_rate,
            kl_weights=KL_WEIGHTS[self.output] if self.kl_weights is None else as_tuple(self.kl_weights),
            progress=self.progress,
        )
