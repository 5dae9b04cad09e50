"""The run of one seed: networks learn, and each sample and their average are scored.

``sampled`` follows the rule at temperature T, ``shuffled`` likewise with shuffled labels, ``sgd``
follows plain stochastic gradients: the same rule at T = 0 under a flat prior. All are evaluated
after the same steps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr
from numpy.typing import NDArray

import synsamp.jax as sj
from synsamp.analysis.calibration import accuracy, log_score, reliability
from synsamp.analysis.out_of_distribution import detection, disagreement, entropy
from synsamp.beyond.ensemble_mnist.out_of_distribution import letters, rotated
from synsamp.beyond.ensemble_mnist.parameters import EnsembleParameters
from synsamp.beyond.shared.labelled_digits import N_PIXELS, sample_digits
from synsamp.beyond.shared.minibatch_steps import (
    ONE_THREAD,
    Advance,
    Moving,
    as_arrays,
    as_tree,
    compiled,
    key_of,
    use_one_thread,
)
from synsamp.experiments.base import Results, RunContext
from synsamp.priors import Gaussian
from synsamp.seeds import named_seed

BRANCHES = ("sampled", "sgd", "shuffled")
KINDS = ("one", "mean")
"""A single sample, and the average over all samples so far."""
SCORES = ("accuracy", "log_score", "calibration_error", "rotated", "letters", "disagreement")
BINS = 15
SHOWN = 12


def run(p: EnsembleParameters, seed: int, context: RunContext) -> Results:
    """Run every network from sample to sample; continues from a checkpoint."""
    use_one_thread()
    sampling = _Sampling(p, seed)
    plan = [(a, k) for a in range(len(BRANCHES)) for k in range(p.samples)]
    saved, done = context.checkpoint.load(), 0
    if saved is not None:
        done = int(saved["done"])
        sampling.restore(saved, plan[done - 1][0])
    with context.progress("sampling", total=len(plan)) as bar:
        bar.advance(done)
        for a, k in plan[done:]:
            sampling.score(a, k)
            done += 1
            bar.advance()
            if context.checkpoint.due():
                context.checkpoint.save({"done": done, **sampling.state()})
    return sampling.datasets()


def network_logits(p: EnsembleParameters) -> Callable[[Any, Any], Any]:
    """Logits of a network with one hidden layer of ReLU; rows in, rows out.

    A bias is the weight of a constant input, scaled such that the bias has ``bias_std`` under the
    prior of the weights of its layer. Gradients are therefore products of matrices alone: there are
    no sums over the images of a minibatch, whose order in XLA depends on the number of processors.
    """
    constants = {name: p.rule.bias_std / std for name, std in _prior_stds(p).items()}

    def logits(w: Any, x: Any) -> Any:
        hidden = jax.nn.relu(_with(constants["in"], x) @ w["in"])
        return _with(constants["out"], hidden) @ w["out"]

    return logits


def _prior_stds(p: EnsembleParameters) -> dict[str, float]:
    return {
        "in": (p.rule.hidden_gain / N_PIXELS) ** 0.5,
        "out": (p.rule.output_gain / p.hidden) ** 0.5,
    }


def _with(constant: float, x: Any) -> Any:
    return jnp.concatenate([x, jnp.full((len(x), 1), constant, x.dtype)], axis=1)


def samplers(p: EnsembleParameters) -> dict[str, sj.Sampler]:
    """The rule at T, and plain SGD."""
    logits, n = network_logits(p), float(p.digits.training)

    def log_likelihood(w: Any, x: Any, y: Any) -> Any:
        return -optax.softmax_cross_entropy_with_integer_labels(logits(w, x), y).mean()

    rule = sj.sampler(
        log_likelihood,
        prior={name: Gaussian(0.0, std) for name, std in _prior_stds(p).items()},
        speed=p.rule.learning_rate / n,
        temperature=p.rule.temperature,
        data_size=n,
    )
    sgd = sj.sampler(log_likelihood, speed=p.sgd_rate, temperature=0.0)
    return {"rule": rule, "sgd": sgd}


@functools.lru_cache(maxsize=4)  # shared between seeds
def _ways(p: EnsembleParameters) -> dict[str, tuple[sj.Sampler, Advance]]:
    return {
        name: (way, compiled(functools.partial(_step, way), p.batch))
        for name, way in samplers(p).items()
    }


def _step(way: sj.Sampler, key: Any, state: Moving, x: Any, y: Any) -> Moving:
    return way.step(key, state, x, y)[0]


def _way_of(branch: str) -> str:
    return "sgd" if branch == "sgd" else "rule"


@functools.lru_cache(maxsize=4)
def _predict(p: EnsembleParameters) -> Any:
    logits = network_logits(p)
    return jax.jit(lambda w, x: jax.nn.softmax(logits(w, x)), compiler_options=ONE_THREAD)


class _Sampling:
    """Data that all networks share, the present network, and scores so far."""

    def __init__(self, p: EnsembleParameters, seed: int) -> None:
        self.p, self.seed = p, seed
        digits = sample_digits(p.digits, named_seed(seed, "digits"))
        mixed = np.random.default_rng(named_seed(seed, "labels")).permutation(digits.train_labels)
        self.train = jnp.asarray(digits.train)
        self.labels, self.mixed = jnp.asarray(digits.train_labels), jnp.asarray(mixed)
        self.test_labels = digits.test_labels
        strokes = letters(p.out_of_distribution, np.random.default_rng(named_seed(seed, "letters")))
        turned = rotated(digits.test[: p.out_of_distribution])
        self.ends = np.cumsum([len(digits.test), len(turned), len(strokes)])
        self.asked = jnp.asarray(np.concatenate([digits.test, turned, strokes]))
        self.moving: Moving = None
        self.total = np.zeros((len(self.asked), p.digits.classes))
        self.total_entropy = np.zeros(len(self.asked))
        self.scores = np.full((len(BRANCHES), len(KINDS), p.samples, len(SCORES)), np.nan)
        self.bins = np.full((len(BRANCHES), len(KINDS), 3, BINS), np.nan)
        self._ways = _ways(p)

    def _advance(self, a: int, first: int, n: int) -> None:
        _, advance = self._ways[_way_of(BRANCHES[a])]
        key = key_of(named_seed(self.seed, "steps", BRANCHES[a]))
        labels = self.mixed if BRANCHES[a] == "shuffled" else self.labels
        self.moving = advance(self.moving, key, first, n, self.train, labels)

    def _begin(self, a: int) -> Moving:
        p, key = self.p, key_of(named_seed(self.seed, "start", BRANCHES[a]))
        sizes = {"in": (N_PIXELS, p.hidden), "out": (p.hidden, p.digits.classes)}
        start = {
            name: jnp.pad(
                jax.random.normal(own, shape) * (2.0 / shape[0]) ** 0.5, ((0, 1), (0, 0))
            )  # biases, the last row, begin at 0
            for own, (name, shape) in zip(jax.random.split(key), sizes.items(), strict=True)
        }
        return self._ways[_way_of(BRANCHES[a])][0].init(start)

    def score(self, a: int, k: int) -> None:
        """Advance to the ``k``-th sample; score it, and the average so far."""
        p = self.p
        if k == 0:
            self.moving = self._begin(a)
            self.total[:], self.total_entropy[:] = 0.0, 0.0
            self._advance(a, 0, p.settling + p.steps_between)
        else:
            self._advance(a, p.settling + k * p.steps_between, p.steps_between)
        one = np.asarray(_predict(p)(self.moving.position, self.asked), float)
        one /= one.sum(axis=1, keepdims=True)
        self.total += one
        self.total_entropy += entropy(one)
        mean, mean_entropy = self.total / (k + 1), self.total_entropy / (k + 1)
        for kind, said, expected in ((0, one, entropy(one)), (1, mean, mean_entropy)):
            self.scores[a, kind, k] = self._scores(said, expected)
            table = reliability(said[: self.ends[0]], self.test_labels, BINS)
            self.bins[a, kind] = [table.cases, table.confidence, table.accuracy]

    def _scores(self, said: NDArray[Any], expected: NDArray[Any]) -> list[float]:
        """In the order of `SCORES`; the last is the detection of letters by disagreement."""
        known, turned, strokes = np.split(np.arange(len(said)), self.ends[:2])
        unsure, apart = entropy(said), disagreement(said, expected)
        return [
            accuracy(said[known], self.test_labels),
            log_score(said[known], self.test_labels),
            reliability(said[known], self.test_labels, BINS).error,
            detection(unsure[known], unsure[turned]),
            detection(unsure[known], unsure[strokes]),
            detection(apart[known], apart[strokes]),
        ]

    def state(self) -> dict[str, Any]:
        """State for a checkpoint."""
        seen = {"scores": self.scores, "bins": self.bins}
        sums = {"total": self.total, "total_entropy": self.total_entropy}
        return {"moving": as_arrays(self.moving), **seen, **sums}

    def restore(self, saved: Any, a: int) -> None:
        """Restore from a checkpoint."""
        self.moving = as_tree(saved["moving"], self._begin(a))
        self.scores[:], self.bins[:] = saved["scores"], saved["bins"]
        self.total[:], self.total_entropy[:] = saved["total"], saved["total_entropy"]

    def datasets(self) -> Results:
        """Scores of every sample, calibration at the end, and some images."""
        over = ("branch", "kind", "sample")
        named = {"branch": np.array(BRANCHES), "kind": np.array(KINDS)}
        scores = {name: (over, self.scores[..., k]) for k, name in enumerate(SCORES)}
        of_bin = ("branch", "kind", "bin")
        parts = {
            name: (of_bin, self.bins[:, :, k])
            for k, name in enumerate(("cases", "confidence", "accuracy"))
        }
        images = np.asarray(self.asked).reshape(-1, 28, 28)
        n = min(SHOWN, *np.diff([0, *self.ends]))
        shown = [images[start : start + n] for start in (0, *self.ends[:2])]
        return {
            "scores": xr.Dataset(scores, {**named, "sample": np.arange(1, self.p.samples + 1)}),
            "reliability": xr.Dataset(parts, named),
            "images": xr.Dataset(
                {"shown": (("set", "image", "row", "column"), np.stack(shown))},
                {"set": np.array(["test", "rotated", "letters"])},
            ),
        }
