"""Coins with nulls, and with more than one preset of the paper, for what runs the whole paper."""

from __future__ import annotations

from dataclasses import replace

from synsamp.claims import Claim
from synsamp.experiments.loading import Given
from synsamp.experiments.registry import Entry, Registry
from toys import coins


def has_tosses(p):
    """All parameters meet it; stored tables may lack the measures of a claim with ``needs``."""
    return p.tosses >= 1


CLAIMS = (
    Claim(
        "heads", "Heads come up", "Fig. 0A", "heads", (0.3, None), unit="of tosses",
        reason="more than a bent coin", paper=0.5, null_measure="heads_of_a_bent_coin",
        null_description="a coin that falls on its tail", kind="statement",
    ),
    Claim(
        "mostly", "Heads come up | mostly", "Fig. 0B", "mostly", (0.9, 1.0), reason="nearly always",
        null_measure="never", null_description="no coin", needs=has_tosses,
    ),
)  # fmt: skip


def heads_without_noise(p, results):
    return 0.5


def heads_of_a_bent_coin(p, results):
    return 0.02 * coins.heads(p, results)


def never(p, results):
    return False


def kind(p, results):
    return float(coins.mostly(p, results))


TOSSED = replace(
    coins.EXPERIMENT,
    claims=CLAIMS,
    measures=[
        coins.heads,
        coins.mostly,
        heads_without_noise,
        heads_of_a_bent_coin,
        never,
        kind,
    ],
    also_measured=["heads_without_noise", "kind"],
    presets={
        "quick": coins.CoinParameters(tosses=1),
        "paper": coins.CoinParameters(),
        "paper_fair": coins.CoinParameters(tosses=60),
    },
    trials={"paper": 3, "paper_fair": 2},
)
COINS = Registry([Entry("coins", "fig000", "Tossing coins", Given(TOSSED))])
