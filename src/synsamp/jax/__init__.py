"""The synaptic sampling rule for JAX pytrees, as an Optax transformation or as a sampler."""

from synsamp.extras import require_extra

require_extra("synsamp.jax", "jax")

from synsamp.jax.cyclical import Cycles, cyclical  # noqa: E402 (the line above checks JAX)
from synsamp.jax.draws import Draws, open_draws  # noqa: E402
from synsamp.jax.floors import ClippingFloor, ReflectingFloor  # noqa: E402
from synsamp.jax.log_prior import LogPrior  # noqa: E402
from synsamp.jax.preconditioner import RMSProp  # noqa: E402
from synsamp.jax.predict import predictive_mean  # noqa: E402
from synsamp.jax.rewiring import (  # noqa: E402
    ConnectionCost,
    Connections,
    HardRewiring,
    MagnitudeRewiring,
    Rectified,
    SoftRewiring,
    Wired,
    random_signs,
    turnover,
)
from synsamp.jax.run import RunState, run  # noqa: E402
from synsamp.jax.sampler import Sampler, SamplerInfo, SamplerState, sampler  # noqa: E402
from synsamp.jax.sampling import SamplingState, sampling, weights  # noqa: E402
from synsamp.jax.thermostat import Thermostat  # noqa: E402
from synsamp.jax.update import check  # noqa: E402

__all__ = [
    "ClippingFloor",
    "ConnectionCost",
    "Connections",
    "Cycles",
    "Draws",
    "HardRewiring",
    "LogPrior",
    "MagnitudeRewiring",
    "RMSProp",
    "Rectified",
    "ReflectingFloor",
    "RunState",
    "Sampler",
    "SamplerInfo",
    "SamplerState",
    "SamplingState",
    "SoftRewiring",
    "Thermostat",
    "Wired",
    "check",
    "cyclical",
    "open_draws",
    "predictive_mean",
    "random_signs",
    "run",
    "sampler",
    "sampling",
    "turnover",
    "weights",
]
