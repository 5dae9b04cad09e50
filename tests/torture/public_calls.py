"""Every public callable outside the spiking engine, with arguments that work, and their kinds.

A kind names the values of `BAD` that no such argument may take; what an argument does take, though
others of its kind do not, stands in ``takes``.
"""

# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np

import synsamp as ss
from synsamp.analysis import (
    codes,
    decoder,
    distance,
    intervals,
    manifold,
    ornstein_uhlenbeck,
    peth,
    rbm_annealing,
    rbm_likelihood,
    reconstruction,
    survival,
    survival_models,
    tuning,
)
from synsamp.models.landscape import Landscape
from synsamp.models.rbm import RBM


class Odd:
    """An unexpected object."""


RAGGED = [[1.0], [2.0, 3.0]]
NUMBER = {
    "nan": np.nan,
    "inf": np.inf,
    "-inf": -np.inf,
    "None": None,
    "text": "1.0",
    "complex": 1 + 2j,
    "object": Odd(),
    "True": True,
    "dict": {},
    "ragged": RAGGED,
}
ARRAY = {
    "None": None,
    "text": "1, 2",
    "texts": ["a", "b"],
    "ragged": RAGGED,
    "complex": np.array([1 + 2j, 3.0]),
    "objects": np.array([Odd(), Odd()]),
    "object": Odd(),
    "NaN": np.array([np.nan, 1.0]),
    "inf": np.array([1.0, np.inf]),
    "4-D": np.zeros((1, 2, 1, 2, 1)),
    "dates": np.array(["2015-11-06", "2015-11-07"], "datetime64[D]"),
}
BAD: dict[str, dict[str, Any]] = {
    "number": NUMBER | {"list": [1.0, 2.0]},
    "positive": NUMBER | {"list": [1.0, 2.0], "0": 0.0, "-1": -1.0, "1e300": 1e300},
    "numbers": NUMBER | {"empty": []},
    "positives": NUMBER | {"empty": [], "0": 0.0, "-1": -1.0, "1e300": 1e300},
    "whole": {
        "2.5": 2.5,
        "2.0": 2.0,
        "nan": np.nan,
        "None": None,
        "text": "3",
        "True": True,
        "-1": -1,
        "list": [3],
        "object": Odd(),
        "huge": 10**30,
    },
    "seed": {"-1": -1, "2.5": 2.5, "None": None, "text": "0", "list": [1], "huge": 2**64},
    "array": ARRAY,
    "function": {"None": None, "3": 3, "text": "f", "array": np.zeros(2)},
    "object": {"None": None, "3": 3, "text": "x", "object": Odd(), "class": Odd},
    "flag": {"None": None, "1": 1, "text": "yes", "list": [True]},
    "rng": {"None": None, "3": 3, "RandomState": np.random.RandomState(0), "text": "rng"},
}


@dataclass(frozen=True)
class Call:
    """A callable, arguments that work, their kinds, and labels of bad values it does take."""

    name: str
    function: Callable[..., Any]
    good: dict[str, Any]
    kinds: dict[str, str]
    takes: dict[str, set[str]] = field(default_factory=dict)
    may_be_nan: bool = False

    def cases(self) -> list[tuple[Call, str, str]]:
        return [
            (self, argument, label)
            for argument, kind in self.kinds.items()
            for label in BAD[kind]
            if label not in self.takes.get(argument, set())
        ]


RNG = np.random.default_rng(1)
GAUSS = ss.Rule(prior=ss.Gaussian())
GRADIENT = lambda theta: -theta  # noqa: E731
LOG_LIKELIHOOD = numba.njit(lambda theta: -0.5 * np.sum(theta**2))
LOG_LIKELIHOOD_GRADIENT = numba.njit(lambda theta: -theta)
PLAIN = lambda theta, p: 1.0 + 0.0 * theta  # noqa: E731
WEIGHTS = RNG.normal(size=(3, 4))
MACHINE = {"weights": WEIGHTS, "hidden_bias": np.zeros(3), "visible_bias": np.zeros(4)}
MACHINE_KINDS = dict.fromkeys(MACHINE, "array")
POINTS = RNG.normal(size=(12, 3))
EPOCHS = np.repeat([0, 1], 6)
LIVES = survival.Lifetimes([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, np.inf])
SPIKES = {"spike_s": [0.1, 0.6, 1.2], "neuron": [0, 1, 0]}
TRIALS = peth.sort_into_trials(
    **SPIKES, start_s=[0.0, 0.5, 1.0], classes=[0, 1, 0], end_s=1.5, n_neurons=2
)
RATES = RNG.normal(size=(8, 2))
CLASSES = np.tile([0, 1], 4)
THEORY = ss.fokker_planck(GAUSS, np.linspace(-4, 4, 41))
SHAPED = {"4-D"}  # where an array may have any shape
SAMPLED = ss.sample(GAUSS, [0.0], steps=10, dt=0.1, progress=False)
ENDLESS = {"NaN", "inf"}


def _sample(**changes: Any) -> Any:
    settings = dict(start=[0.0, 0.0], steps=20, dt=0.05, progress=False) | changes
    return ss.sample(settings.pop("rule", GAUSS), settings.pop("start"), **settings)


def _chains(**changes: Any) -> Any:
    return ss.Chains(**(dict(rule=GAUSS, start=np.zeros((2, 2)), dt=0.1, seed=1) | changes))


def _advance(**arguments: Any) -> Any:
    return _chains().advance(**arguments)


def _burn_in(**arguments: Any) -> Any:
    return _chains().burn_in(**arguments)


def _mala(log_likelihood: Any = LOG_LIKELIHOOD, metric: Any = None, length: Any = 1.0) -> Any:
    rule = ss.Rule(LOG_LIKELIHOOD_GRADIENT)
    method = ss.MALA(log_likelihood, metric, length)
    return ss.sample(rule, [0.0, 0.0], steps=10, dt=0.05, method=method, progress=False)


def _run(rule: Any) -> Any:
    return ss.sample(rule, [0.1, 0.2], steps=10, dt=0.01, progress=False)


CALLS = [
    Call("Gaussian", ss.Gaussian, {"mean": 0.0, "std": 1.0}, {"mean": "numbers", "std": "positives"}),
    Call("Laplace", ss.Laplace, {"mean": 0.0, "scale": 1.0}, {"mean": "numbers", "scale": "positives"}),
    Call("StudentT", ss.StudentT, {"df": 3.0}, {"df": "positives", "mean": "numbers", "scale": "positives"}),
    Call("GaussianMixture", ss.GaussianMixture, {"means": (0.0, 1.0), "stds": (1.0, 1.0), "weights": (1.0, 2.0)},
         {"means": "array", "stds": "array", "weights": "array"}, {"weights": {"None"}}),
    Call("LogNormalWeight", ss.LogNormalWeight, {}, {"log_mean": "number", "log_std": "positive", "mapping": "object"}),
    Call("CustomPrior", ss.CustomPrior, {"log_density_of": PLAIN, "gradient_of": PLAIN},
         {"log_density_of": "function", "gradient_of": "function", "parameter_values": "object", "transition_of": "function"},
         {"transition_of": {"None"}}),
    Call("CustomPrior(values)", lambda value: ss.CustomPrior(PLAIN, PLAIN, (value,)), {"value": 1.0}, {"value": "numbers"}),
    Call("PriorByGroup", ss.PriorByGroup, {"priors": (ss.Flat(), ss.Flat()), "group": [0, 1]}, {"priors": "object", "group": "array"}),
    Call("Prior.gradient", ss.Gaussian().gradient, {"theta": [1.0]}, {"theta": "array"}, {"theta": SHAPED}),
    Call("Prior.log_density", ss.StudentT().log_density, {"theta": [1.0]}, {"theta": "array"}, {"theta": SHAPED}),
    Call("Prior.gradient, one each", ss.Gaussian([0.0, 1.0]).gradient, {"theta": [1.0, 2.0]}, {"theta": "array"}, {"theta": SHAPED}),
    Call("PriorByGroup.gradient", ss.PriorByGroup((ss.Flat(), ss.Flat()), [0, 1]).gradient, {"theta": [1.0, 2.0]}, {"theta": "array"}),
    Call("Exponential", ss.Exponential, {}, {"offset": "number"}),
    Call("Softplus", ss.Softplus, {}, {"scale": "positive"}),
    Call("CustomMapping", ss.CustomMapping, {"weight_of": PLAIN, "slope_of": PLAIN},
         {"weight_of": "function", "slope_of": "function", "dlog_slope_of": "function", "theta_of": "function", "parameter_values": "object"},
         {"dlog_slope_of": {"None"}, "theta_of": {"None"}}),
    Call("CustomMapping(values)", lambda value: ss.CustomMapping(PLAIN, PLAIN, (value,)), {"value": 1.0}, {"value": "number"}),
    Call("Mapping.weight", ss.Softplus().weight, {"theta": [1.0]}, {"theta": "array"}, {"theta": SHAPED}),
    Call("Mapping.slope", ss.Exponential().slope, {"theta": [1.0]}, {"theta": "array"}, {"theta": SHAPED}),
    Call("Mapping.theta", ss.Exponential().theta, {"weight": [1.0]}, {"weight": "array"}),
    Call("Rule", ss.Rule, {"likelihood": GRADIENT},
         {"likelihood": "object", "prior": "object", "speed": "positives", "temperature": "numbers", "mapping": "object"},
         {"likelihood": {"None", "class"}}),
    Call("Speed", ss.Speed, {"value_of": PLAIN, "slope_of": PLAIN},
         {"value_of": "function", "slope_of": "function", "parameter_values": "object"}),
    Call("speed that is none", lambda b: _run(ss.Rule(speed=ss.Speed(lambda x, p: b + 0 * x, lambda x, p: 0 * x))), {"b": 1.0},
         {"b": "positive"}, {"b": {"True", "list"}}),
    Call("temperature of time", lambda T: _run(ss.Rule(prior=ss.Gaussian(), temperature=lambda t: T)), {"T": 1.0}, {"T": "numbers"}, {"T": {"True"}}),
    Call("Batch", ss.Batch, {"gradient": GRADIENT}, {"gradient": "function", "data": "object", "data_size": "positive"}),
    Call("Online", ss.Online, {"gradient": lambda t, x: t, "inputs": np.zeros((3, 2))},
         {"gradient": "function", "inputs": "array", "data": "object", "data_size": "positive", "order": "function", "batch": "whole"},
         {"inputs": {"complex"} | SHAPED, "data_size": {"None"}}),
    Call("HiddenStates", ss.HiddenStates,
         {"gradient": lambda t, x, z: t, "inputs": np.zeros((3, 2)), "respond": lambda t, x, rng: x},
         {"gradient": "function", "inputs": "array", "respond": "function", "memory": "function", "batch": "whole"},
         {"inputs": {"complex"} | SHAPED, "memory": {"None"}}),
    Call("a gradient that is none", lambda value: _run(ss.Rule(lambda theta: value)), {"value": np.zeros((4, 2))}, {"value": "array"}),
    Call("sample", _sample, {},
         {"rule": "object", "start": "array", "steps": "whole", "dt": "positive", "chains": "whole", "burn_in": "whole",
          "thin": "whole", "seed": "seed", "threads": "whole", "progress": "flag", "store": "object", "method": "object",
          "ess": "positive", "diagnostics": "flag"},
         {"threads": {"None"}, "store": {"None", "text"}, "steps": {"None"}, "thin": {"None"}}, may_be_nan=True),
    Call("Overdamped", ss.Overdamped, {}, {}),
    Call("Underdamped", ss.Underdamped, {}, {"tau": "positive"}, {"tau": {"None", "1e300"}}),
    Call("MALA", _mala, {}, {"log_likelihood": "function", "metric": "array", "length": "positive"}, {"metric": {"None"}}),
    Call("Chains", _chains, {}, {"rule": "object", "start": "array", "dt": "positive", "seed": "seed", "threads": "whole"}),
    Call("Chains.advance", _advance, {"n_steps": 3}, {"n_steps": "whole", "thin": "whole"}, {"thin": {"huge"}}),
    Call("Chains.burn_in", _burn_in, {"n_steps": 3}, {"n_steps": "whole"}),
    Call("fokker_planck", lambda rule, axis, log_likelihood: ss.fokker_planck(rule, axis, log_likelihood=log_likelihood),
         {"rule": GAUSS, "axis": np.linspace(-3, 3, 31), "log_likelihood": None},
         {"rule": "object", "axis": "array", "log_likelihood": "function"}, {"log_likelihood": {"None"}}),
    Call("FokkerPlanck.delta", THEORY.delta, {"start": 0.0}, {"start": "numbers"}),
    Call("FokkerPlanck.evolve", THEORY.evolve, {"density": THEORY.delta(0.0), "time": 1.0}, {"density": "array", "time": "number"}),
    Call("to_arviz", ss.to_arviz, {"dataset": SAMPLED}, {"dataset": "object"}),
    Call("Landscape", Landscape, {}, {"centres": "array", "widths": "array", "heights": "array"}),
    Call("Landscape.log_likelihood", Landscape().log_likelihood, {"theta": [0.0, 1.0]}, {"theta": "array"}),
    Call("Landscape.maxima", Landscape().maxima, {}, {"log_density": "function"}, {"log_density": {"None"}}),
    Call("RBM", RBM, {}, {"n_visible": "whole", "n_hidden": "whole"}),
    Call("RBM.parts", RBM(4, 3).parts, {"theta": np.zeros(19)}, {"theta": "array"}),
    Call("RBM.start", RBM(4, 3).start, {"seed": 1}, {"seed": "seed", "std": "number", "weight_mean": "number", "bias_mean": "number"}),
    Call("RBM.prior", RBM(4, 3).prior, {"weight_prior": ss.Flat()}, {"weight_prior": "object"}),
    Call("RBM.likelihood", RBM(4, 3).likelihood, {"images": np.zeros((2, 4))},
         {"images": "array", "cycles": "whole", "persistent": "flag", "data_size": "positive"}, {"data_size": {"None"}}),
    Call("RBM.generate", RBM(4, 3).generate, {"theta": np.zeros(19), "n": 2, "cycles": 2, "seed": 1},
         {"theta": "array", "n": "whole", "cycles": "whole", "seed": "seed"}),
    Call("code_similarity", codes.code_similarity, {"histograms": RNG.normal(size=(2, 2, 3, 4))}, {"histograms": "array"}),
    Call("total_variation", distance.total_variation, {"counts": [1.0, 2.0], "probabilities": [1.0, 1.0]},
         {"counts": "array", "probabilities": "array"}),
    Call("total_variation_by_chance", distance.total_variation_by_chance,
         {"counts_per_chain": [[1.0, 2.0], [2.0, 1.0]], "quantile": 0.9, "rng": RNG, "repeats": 10},
         {"counts_per_chain": "array", "quantile": "number", "rng": "rng", "repeats": "whole"}),
    Call("mean_interval", intervals.mean_interval, {"values": [1.0, 2.0]}, {"values": "array"}, {"values": ENDLESS}),
    Call("ratio_interval", intervals.ratio_interval, {"parts": [1.0, 2.0], "wholes": [2.0, 3.0]},
         {"parts": "array", "wholes": "array"}, {"parts": ENDLESS, "wholes": ENDLESS}),
    Call("wilson_interval", intervals.wilson_interval, {"share": 0.5, "n": 4}, {"share": "number", "n": "whole"}),
    Call("share_interval", intervals.share_interval, {"hits": [True, False]}, {"hits": "array"}),
    Call("principal_components", manifold.principal_components, {"points": POINTS}, {"points": "array", "n": "whole"}, {"n": {"huge"}}),
    Call("separation", manifold.separation, {"points": POINTS, "epochs": EPOCHS}, {"points": "array", "epochs": "array"}),
    Call("shift", manifold.shift, {"points": POINTS, "before": slice(0, 4), "after": slice(4, 8)},
         {"points": "array", "before": "object", "after": "object"}),
    Call("estimate_ornstein_uhlenbeck", ornstein_uhlenbeck.estimate_ornstein_uhlenbeck,
         {"before": POINTS[:, 0], "after": POINTS[:, 1], "interval": 1.0}, {"before": "array", "after": "array", "interval": "positives"},
         {"interval": {"1e300"}}, may_be_nan=True),
    Call("log_partition", rbm_likelihood.log_partition, MACHINE, MACHINE_KINDS),
    Call("log_unnormalised", rbm_likelihood.log_unnormalised, {"images": np.zeros((2, 4)), **MACHINE}, {"images": "array", **MACHINE_KINDS}),
    Call("log_likelihood", rbm_likelihood.log_likelihood, {"images": np.zeros((2, 4)), **MACHINE, "log_z": 1.0},
         {"images": "array", **MACHINE_KINDS, "log_z": "number"}, {"log_z": {"None"}}),
    Call("exact_samples", rbm_likelihood.exact_samples, {"n": 2, "rng": RNG, **MACHINE}, {"n": "whole", "rng": "rng", **MACHINE_KINDS}),
    Call("sum_softplus", rbm_likelihood.sum_softplus, {"a": np.zeros(3)}, {"a": "array"}, {"a": SHAPED}),
    Call("log_mean_likelihood", rbm_likelihood.log_mean_likelihood, {"log_likelihoods": [1.0]}, {"log_likelihoods": "array"}, {"log_likelihoods": SHAPED}),
    Call("annealed_log_partition", rbm_annealing.annealed_log_partition, {"rng": RNG, **MACHINE, "steps": 5, "walkers": 3},
         {"rng": "rng", **MACHINE_KINDS, "steps": "whole", "walkers": "whole"}),
    Call("fit_decoder", decoder.fit_decoder, {"rates": RATES, "classes": CLASSES}, {"rates": "array", "classes": "array", "ridge": "positive"}),
    Call("Decoder.predict", decoder.fit_decoder(RATES, CLASSES).predict, {"rates": RATES}, {"rates": "array"}),
    Call("cross_validated_accuracy", decoder.cross_validated_accuracy, {"blocks": [(RATES, CLASSES)] * 2}, {"blocks": "object", "ridge": "positive"}),
    Call("cross_validated_accuracy(block)", lambda rates, classes: decoder.cross_validated_accuracy([(RATES, CLASSES), (rates, classes)]),
         {"rates": RATES, "classes": CLASSES}, {"rates": "array", "classes": "array"}),
    Call("reconstruct_images", reconstruction.reconstruct_images, {"efficacies": np.ones((2, 3)), "rates": [1.0, 2.0]}, {"efficacies": "array", "rates": "array"},
         {"rates": set()}),
    Call("class_correlation", reconstruction.class_correlation, {"images": np.eye(3), "means": np.eye(3)}, {"images": "array", "means": "array"}),
    Call("spike_counts", tuning.spike_counts, {**SPIKES, "shown_at_s": [0.0, 1.0], "window_s": 0.5, "n_neurons": 2},
         {"spike_s": "array", "neuron": "array", "shown_at_s": "array", "window_s": "positive", "n_neurons": "whole"}, {"window_s": {"1e300"}}),
    Call("counts_by_label", tuning.counts_by_label, {"counts": [[1, 2]], "shown": [0, 1], "labels": [0, 1]},
         {"counts": "array", "shown": "array", "labels": "array"}),
    Call("label_fractions", tuning.label_fractions, {"counts": [[1, 2]]}, {"counts": "array"}, {"counts": SHAPED}, may_be_nan=True),
    Call("correlations", tuning.correlations, {"rows": np.eye(3), "patterns": np.eye(3)}, {"rows": "array", "patterns": "array"}),
    Call("sort_into_trials", peth.sort_into_trials,
         {**SPIKES, "start_s": [0.0, 0.5, 1.0], "classes": [0, 1, 0], "end_s": 1.5, "n_neurons": 2},
         {"spike_s": "array", "neuron": "array", "start_s": "array", "classes": "array", "end_s": "number", "n_neurons": "whole"}),
    Call("peth.joined", peth.joined, {"parts": [TRIALS]}, {"parts": "object"}),
    Call("counts_in_windows", peth.counts_in_windows, {"trials": TRIALS, "windows": 2, "length_s": 0.5},
         {"trials": "object", "windows": "whole", "length_s": "positive"}),
    Call("mean_rates", peth.mean_rates, {"trials": TRIALS}, {"trials": "object"}),
    Call("peth", peth.peth, {"trials": TRIALS, "wanted": 0, "longest_s": 0.5},
         {"trials": "object", "wanted": "whole", "longest_s": "positive", "most_trials": "whole", "bin_s": "positive", "filter_s": "number"},
         {"most_trials": {"huge"}, "bin_s": set()}),
    Call("peak_order", peth.peak_order, {"histogram": np.eye(2)}, {"histogram": "array"}),
    Call("Lifetimes", survival.Lifetimes, {"last_seen": [0.0, 1.0], "first_missed": [1.0, 2.0]},
         {"last_seen": "array", "first_missed": "array"}, {"first_missed": {"inf"}}),
    Call("Lifetimes.scaled", LIVES.scaled, {"factor": 2.0}, {"factor": "positive"}, {"factor": {"1e300"}}),
    Call("survival.joined", survival.joined, {"parts": [LIVES]}, {"parts": "object"}),
    Call("new_lifetimes", survival.new_lifetimes, {"active": np.eye(5), "step": 1.0, "window_steps": 1},
         {"active": "array", "step": "positive", "window_steps": "whole"}, {"step": {"1e300"}, "window_steps": {"huge"}}),
    Call("kaplan_meier", survival.kaplan_meier, {"lifetimes": LIVES}, {"lifetimes": "object", "confidence": "positive"}),
    Call("loss_deviations", survival.loss_deviations, {"lifetimes": LIVES, "step": 1.0, "alive": [1.0, 0.7, 0.5, 0.4, 0.3]},
         {"lifetimes": "object", "step": "positive", "alive": "array", "ages": "whole"}),
    Call("fit_survival_model", survival_models.fit_survival_model, {"lifetimes": LIVES, "name": "Weibull"}, {"lifetimes": "object", "name": "object"}),
    Call("fit_survival_models", survival_models.fit_survival_models, {"lifetimes": LIVES}, {"lifetimes": "object"}),
    Call("first_passage_survival", ornstein_uhlenbeck.first_passage_survival,
         {"mean": 0.5, "spread": 1.0, "relaxation": 1.0, "step": 0.1, "n_steps": 3},
         {"mean": "number", "spread": "positive", "relaxation": "positive", "step": "positive", "n_steps": "whole",
          "window_steps": "whole", "threshold": "number"},
         {"spread": {"1e300"}, "step": {"1e300"}, "window_steps": {"huge"}}),
]  # fmt: skip
CASES = [case for call in CALLS for case in call.cases()]
