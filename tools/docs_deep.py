"""Measure the bias of the rule in JAX, and update docs/reference/deep-reference.md.

    python -m tools.docs_deep              # all tables
    python -m tools.docs_deep methods      # one: bias, preconditioner or methods

The script writes all numbers of the tables. Two compare with NUTS, which is
tests/jax_rule/nuts_reference.npz; `methods` has a density whose spread is known.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import polygamma

import synsamp as ss
import synsamp.jax as sj
from benchmarks import Row, markdown_table
from synsamp.runs.storage.atomic import replacing

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "deep-reference.md"
sys.path.insert(0, str(ROOT / "tests" / "jax_rule"))

import ground_truth  # noqa: E402

SPEEDS = {"logistic": (0.1, 0.05, 0.02, 0.01), "network": (2e-3, 1e-3, 5e-4, 2e-4)}
CHAINS = 100
_TIME = {"logistic": 400.0, "network": 60.0}
"""Speed times steps per chain: the same simulated time at every speed."""


def compared(name: str, speed: float, preconditioner: object = None) -> Row:
    """Means and variances compared with NUTS, with Monte-Carlo errors."""
    model = ground_truth.MODELS[name]()
    nuts = np.load(ROOT / "tests" / "jax_rule" / "nuts_reference.npz")
    mean, variance = nuts[f"{name}_mean"], nuts[f"{name}_variance"]
    algorithm = sj.sampler(
        model.log_likelihood,
        prior=ss.Gaussian(0.0, model.prior_std),
        speed=speed,
        preconditioner=preconditioner,
    )
    steps = int(_TIME[name] / speed)
    draws = sj.run(
        algorithm,
        model.start,
        steps=steps,
        burn_in=steps // 4,
        thin=max(1, steps // 200),
        chains=CHAINS,
        key=7,
        diagnostics=False,
        progress=False,
    )
    found = draws.diagnose(
        mean=model.of_interest, variance=lambda w: (model.of_interest(w) - mean) ** 2
    )
    gap = (found["mean"].sel(of="mean").values - mean) / np.sqrt(variance)
    gap_error = np.hypot(found["mean"].sel(of="mcse_mean").values, nuts[f"{name}_mean_error"])
    ratio = found["variance"].sel(of="mean").values / variance
    ratio_error = np.hypot(
        found["variance"].sel(of="mcse_mean").values, nuts[f"{name}_variance_error"]
    )
    worst, widest = np.abs(gap).argmax(), np.abs(ratio - 1).argmax()
    return {
        "model": name,
        "speed b": f"{speed:g}",
        "steps per chain": steps,
        "largest gap of a mean, in std": float(np.abs(gap[worst])),
        "± (1)": float(gap_error[worst] / np.sqrt(variance[worst])),
        "worst ratio of variances": float(ratio[widest]),
        "± (2)": float(ratio_error[widest] / variance[widest]),
        "largest R-hat": float(found["mean"].sel(of="r_hat").max()),
    }


def insert(page: str, name: str, content: str) -> str:
    """The page with the part ``name`` replaced."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if len(pattern.findall(page)) != 1:
        sys.exit(f"the page must hold {begin!r} once")
    return pattern.sub(lambda _: f"{begin}\n{content}\n{end}", page)


def preconditioned() -> list[Row]:
    """Bias of the preconditioner on the logistic regression."""
    rows: list[Row] = []
    for decay in (0.9, 0.99, 0.999):
        row = compared("logistic", 0.02, sj.RMSProp(decay, floor=0.5))
        rows.append({"decay α": f"{decay:g}", **row})
        print(rows[-1], flush=True)
    return rows


def biases() -> list[Row]:
    """Bias of the paper's dynamics on two models."""
    rows = []
    for name, speeds in SPEEDS.items():
        for speed in speeds:
            rows.append(compared(name, speed))
            print(rows[-1], flush=True)
    return rows


METHODS = {
    "`Overdamped()`": ss.Overdamped(),
    "`Underdamped(10)` (SGHMC)": ss.Underdamped(10.0),
    "`Thermostat(10)` (SGNHT)": sj.Thermostat(10.0),
}
METHOD_SPEEDS = (0.025, 0.1, 0.5, 2.5, 5.0)
"""With inertia a step is sqrt(b/τ) long, so these speeds may be larger than the paper's."""
NOISE, COPIES, KEPT = 1.0, 20_000, 20


def _noisy(w: Any, key: Any) -> Any:
    return jnp.sum(w * NOISE * jax.random.normal(key, w.shape))


def _spread(method: Any, speed: float, noisy: bool) -> str:
    """Error of the standard deviation of many copies of log Gamma(1.5)."""
    prior = ss.CustomPrior(lambda x, p: 1.5 * x - np.exp(x), lambda x, p: 1.5 - np.exp(x))
    algorithm = sj.sampler(
        _noisy if noisy else lambda w: jnp.zeros(()), prior=prior, speed=speed, method=method
    )
    # The slowest relaxation takes about 1/b steps, and a few τ.
    thin = int(2 / speed + 30)
    start = jnp.asarray(np.log(np.random.default_rng(0).gamma(1.5, size=COPIES)), jnp.float32)
    settings: Any = dict(diagnostics=False, progress=False)
    try:
        draws = sj.run(algorithm, start, steps=KEPT * thin, thin=thin, burn_in=2 * thin, **settings)
    except ss.SynsampError:  # not finite
        return "diverges"
    error = float(draws["theta"].std() / np.sqrt(polygamma(1, 1.5)) - 1)
    if error > 10:
        return "above 1,000 %"
    return f"{error:+.1%}".replace("-", "−").replace("%", " %")


def methods() -> list[Row]:
    """Bias of each method, without and with noise of the gradient."""
    rows: list[Row] = []
    for name, method in METHODS.items():
        for speed in METHOD_SPEEDS:
            row: Row = {"method": name, "speed b": f"{speed:g}"}
            row["bias of the std"] = _spread(method, speed, noisy=False)
            row["with noisy gradients"] = _spread(method, speed, noisy=True)
            rows.append(row)
            print(rows[-1], flush=True)
    return rows


TABLES = {"bias": biases, "preconditioner": preconditioned, "methods": methods}


def main(names: list[str]) -> None:
    """Measure and insert."""
    for name in names or list(TABLES):
        text = insert(PAGE.read_text(), name, markdown_table(TABLES[name]()))
        with replacing(PAGE) as file:
            file.write(text.encode())


if __name__ == "__main__":
    main(sys.argv[1:])
