"""Do retracted synapses feel the likelihood? The paper can be read in two ways.

The rule as printed (structsamp-spiking) weighs the likelihood by w = exp(θ − θ0), which stays above
0 for θ <= 0: small, but times N = 100 it outweighs prior and noise well below θ = 0. The text to
Fig. 4 says that "varying the parameter within the negative range has no effect on the likelihood
term": the gradient with respect to what acts on the potentials, ŵ = max(0, w − exp(−θ0)), is 0
there. The default is the rule as printed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pydantic import Field

from synsamp.experiments.adaptation.circuit import RuleSection, build_rule
from synsamp.mappings import Exponential
from synsamp.noise.arithmetic import exp, scalar
from synsamp.spiking import Rule


class SamplingSection(RuleSection):
    """The synaptic sampling rule, with the one point at which Fig. 5 depends on its reading."""

    retracted_learn: bool = Field(
        True, description="synapses with θ <= 0 feel the likelihood, by w = exp(θ − θ0)"
    )


@scalar
def _slope(theta: float, p: Any) -> float:
    """dŵ/dθ: w, or 0 for a retracted synapse."""
    return exp(theta - p[0]) if theta > 0.0 else 0.0


@dataclass(frozen=True)
class Thresholded(Exponential):
    """w = exp(θ − θ0) with the slope of ŵ: what is retracted does not feel the likelihood."""

    slope_of: ClassVar[Any] = staticmethod(_slope)


def sampling_rule(section: SamplingSection) -> Rule:
    """The engine's rule in the reading asked for."""
    rule = build_rule(section)
    if section.retracted_learn:
        return rule
    return replace(rule, mapping=Thresholded(section.theta_0))
