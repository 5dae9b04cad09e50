import numpy as np
import pytest
from scipy import stats

from synsamp.noise.streams import BLOCK, GENERATORS, fill_normals, fill_words, new_stream


def _xoshiro128pp(state, n):
    """The published generator, one lane, in whole numbers of Python."""
    mask = 2**32 - 1

    def rotl(x, k):
        return ((x << k) | (x >> (32 - k))) & mask

    s = [int(v) for v in state]
    out = []
    for _ in range(n):
        out.append((rotl((s[0] + s[3]) & mask, 7) + s[0]) & mask)
        t = (s[1] << 9) & mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 11)
    return out


def test_every_lane_is_the_published_generator():
    state = new_stream(np.random.SeedSequence(5))
    expected = np.array([_xoshiro128pp(state[:, lane], 20) for lane in range(GENERATORS)]).T
    words = np.empty(20 * GENERATORS, np.uint32)
    fill_words(state, words)
    assert np.array_equal(words.reshape(20, GENERATORS), expected)


def _normals(seed, n):
    out = np.empty(n // BLOCK * BLOCK, np.float32)
    fill_normals(new_stream(np.random.SeedSequence(seed)), out)
    return out.astype(float)


def test_frozen_trace_of_normals():
    # Frozen so that a change of generator or arithmetic is noticed; float32 rounding may differ by
    # one unit between processors with and without fused multiply-add.
    frozen = [
        -0.3572201,
        0.9204179,
        -0.2332146,
        -1.710111,
        -0.003962576,
        1.238503,
        1.482878,
        0.1966995,
    ]
    assert _normals(2015, BLOCK)[: len(frozen)] == pytest.approx(frozen, abs=2e-6)


def test_normals_have_the_moments_and_the_shape_of_normals():
    x = _normals(11, 8_000_000)
    n = x.size
    z_scores = [
        x.mean() * np.sqrt(n),
        (x.var() - 1) * np.sqrt(n / 2),
        stats.skew(x) * np.sqrt(n / 6),
        stats.kurtosis(x) * np.sqrt(n / 24),
    ]
    p_values = [*(2 * stats.norm.sf(np.abs(z_scores))), stats.kstest(x[:1_000_000], "norm").pvalue]
    assert min(p_values) > 0.01 / len(p_values)


def test_the_tail_is_populated_as_it_should_be():
    x = np.abs(_normals(12, 20_000_000))
    for threshold in (3.0, 4.0, 5.0):
        expected = 2 * stats.norm.sf(threshold) * x.size
        count = np.sum(x > threshold)
        assert stats.poisson.cdf(count, expected) > 1e-3
        assert stats.poisson.sf(count - 1, expected) > 1e-3


def test_neighbours_lanes_and_pairs_are_uncorrelated():
    x = _normals(13, 4_000_000).reshape(-1, BLOCK)
    half = BLOCK // 2
    pairs = [(x[:, 0], x[:, 1]), (x[:, 0], x[:, half]), (x[:-1, 3], x[1:, 3])]
    for a, b in pairs:
        for f in (np.asarray, np.square):
            assert abs(np.corrcoef(f(a), f(b))[0, 1]) * np.sqrt(len(a)) < 4.5


def test_a_wrong_scale_would_be_noticed():
    x = _normals(11, 8_000_000) * 1.002
    assert 2 * stats.norm.sf(abs((x.var() - 1) * np.sqrt(x.size / 2))) < 1e-5


def test_streams_of_different_seeds_share_nothing():
    a, b = (new_stream(s) for s in np.random.SeedSequence(1).spawn(2))
    assert not np.intersect1d(a, b).size > 2
