"""Draw dormant connections for empty slots: all different, and none already active.

All sets of dormant connections are equally likely. A few slots (`fill_few`) are filled one by one,
each compared with all active connections: this is what happens in most steps of a run. For many
slots, as at the start, the test for active connections depends on how full the layer is:

=============== ================================================== ==========================
active share    test                                               work is proportional to
=============== ================================================== ==========================
below 0.5 %     sorting the slots                                  active connections
up to one half  a mark for every possible connection               active, plus one pass over all
above           shuffling the dormant connections                  all possible connections
=============== ================================================== ==========================
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

_SPARSE = 0.005
"""Below this fraction sorting is cheaper than a mark for every possible connection."""

_ACTIVE = -1
_NOWHERE = -1
FEW = 16
"""Slots up to which filling them one by one is cheaper."""


def fill(key: Any, size: int, places: jax.Array, empty: jax.Array) -> jax.Array:
    """Places of all slots out of ``size``, with new ones where ``empty``."""
    share = len(places) / size
    if share > 0.5:
        return _by_shuffling(key, size, places, empty)
    return (_by_sorting if share < _SPARSE else _by_marking)(key, size, places, empty)


def fill_few(
    key: Any, size: int, places: jax.Array, empty: jax.Array, sign: jax.Array, sign_of: Any
) -> tuple[jax.Array, jax.Array]:
    """Places and signs of all slots out of ``size``, with new ones where ``empty``."""

    def draw(state: tuple[Any, ...]) -> tuple[Any, ...]:
        key, places, empty, sign = state
        key, now = jax.random.split(key)
        drawn = jax.random.randint(now, (1,), 0, size, jnp.int32)
        slot = jnp.argmax(empty)
        is_dormant = ~jnp.any(places == drawn)
        places = places.at[slot].set(jnp.where(is_dormant, drawn[0], _NOWHERE))
        sign = sign.at[slot].set(sign_of(drawn)[0])
        return key, places, empty.at[slot].set(~is_dormant), sign

    nowhere = jnp.where(empty, _NOWHERE, places)
    found = jax.lax.while_loop(_some_are_empty, draw, (key, nowhere, empty, sign))
    return found[1], found[3]


def _by_sorting(key: Any, size: int, places: jax.Array, empty: jax.Array) -> jax.Array:
    def draw(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        key, places, empty = state
        key, now = jax.random.split(key)
        drawn = jax.random.randint(now, places.shape, 0, size, jnp.int32)
        tried = jnp.where(empty, drawn, places)
        # Of equal indices the slot that already had it comes first; the others draw again.
        order = jnp.argsort(2 * tried + empty)
        in_order = tried[order]
        is_taken = jnp.concatenate([jnp.zeros(1, bool), in_order[1:] == in_order[:-1]])
        return key, tried, jnp.zeros_like(empty).at[order].set(is_taken)

    found: jax.Array = jax.lax.while_loop(_some_are_empty, draw, (key, places, empty))[1]
    return found


def _by_marking(key: Any, size: int, places: jax.Array, empty: jax.Array) -> jax.Array:
    slots = jnp.arange(len(places), dtype=jnp.int32)
    # Index `size` is out of range: JAX drops writes to it.
    owner = jnp.full(size, len(places), jnp.int32)
    owner = owner.at[jnp.where(empty, size, places)].set(_ACTIVE, mode="drop")

    def draw(state: tuple[Any, Any, Any, Any]) -> tuple[Any, Any, Any, Any]:
        key, places, empty, owner = state
        key, now = jax.random.split(key)
        drawn = jax.random.randint(now, places.shape, 0, size, jnp.int32)
        asked = jnp.where(empty, drawn, size)
        # Of slots that draw the same index the first gets it, unless it was active before.
        owner = owner.at[asked].min(slots, mode="drop")
        won = empty & (owner[drawn] == slots)
        owner = owner.at[jnp.where(won, drawn, size)].set(_ACTIVE, mode="drop")
        return key, jnp.where(won, drawn, places), empty & ~won, owner

    found: jax.Array = jax.lax.while_loop(_some_are_empty, draw, (key, places, empty, owner))[1]
    return found


def _by_shuffling(key: Any, size: int, places: jax.Array, empty: jax.Array) -> jax.Array:
    nowhere = jnp.where(empty, size, places)
    taken = jnp.zeros(size, bool).at[nowhere].set(True, mode="drop")
    shuffled = jnp.argsort(taken + jax.random.uniform(key, (size,)))  # dormant ones come first
    rank = jnp.cumsum(empty) - 1
    return jnp.where(empty, shuffled[rank], places).astype(jnp.int32)


def _some_are_empty(state: tuple[Any, ...]) -> Any:
    return jnp.any(state[2])
