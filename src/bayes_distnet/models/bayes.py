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
        hidden_layer_sizes: units of the hidden layers.
        n_members: networks trained side by side, member j without a fifth (or 1/members) of the instances.
        n_draws: weight draws a member in prediction; with runtime outputs it is 16, or 64 if they learn
            from more than 512 instances, in training too.
        max_iter: training steps, in fifties; None chooses by the amount of data.
        learning_rate: of Adam, at its peak.
        kl_weights: weights of the KL term; below 1 is a cold posterior. Networks are trained for each, and pooled by
            how well they predict instances they have not seen: little data wants a large weight, much data a small one.
            None: 1.5, 0.3, 0.04 and 0.005, with runtime outputs three times as much.
        random_state: fixes the result.
        verbose: show a progress bar; None only on a terminal.

    Example:
        >>> from bayes_distnet import BayesDistNet, make_runs
        >>> data = make_runs(n_instances=60, n_runs=4, random_state=0)
        >>> model = BayesDistNet(max_iter=100, random_state=0).fit(data.features, data.seconds)
        >>> rtd = model.predict_distribution(data.features)
        >>> rtd.quantile([0.1, 0.5, 0.9]).shape
        (60, 3)
    """

    def __init__(
        self,
        family: str = "lognormal",
        output: str = "parameters",
        preset: str | None = None,
        hidden_layer_sizes: tuple[int, ...] = (16, 16),
        n_members: int = 5,
        n_draws: int = 6,
        max_iter: int | None = None,
        learning_rate: float = 2e-2,
        kl_weights: tuple[float, ...] | None = None,
        random_state: int = 0,
        verbose: bool | None = None,
    ) -> None:
        self.family = family
        self.output = output
        self.preset = preset
        self.hidden_layer_sizes = hidden_layer_sizes
        self.n_members = n_members
        self.n_draws = n_draws
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.kl_weights = kl_weights
        self.random_state = random_state
        self.verbose = verbose

    def _settings(self) -> Settings:
        check_choice("preset", self.preset, PRESETS)
        if self.preset == "paper":
            paper = Settings(self.family, "runtimes", published=True, n_members=1, n_draws=16, kl_weights=(0.1,))
            return replace(paper, verbose=self.verbose)
        check_choice("output", self.output, OUTPUTS)
        return Settings(
            family=self.family,
            output=self.output,
            hidden_layer_sizes=as_tuple(self.hidden_layer_sizes),
            n_members=self.n_members,
            n_draws=self.n_draws,
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            kl_weights=KL_WEIGHTS[self.output] if self.kl_weights is None else as_tuple(self.kl_weights),
            verbose=self.verbose,
        )
