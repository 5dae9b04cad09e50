"""Handwritten digits: embedded, the original files, splits, and a user's own pictures."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image as png

from data_files import full_data, idx_bytes, write_idx, write_small_mnist
from synsamp.data import (
    MNIST,
    EmbeddedDigits,
    digits_from_array,
    digits_from_folder,
    load_digits,
    rbm_split,
    split_digit,
)
from synsamp.data.digits import EMBEDDED_DIGITS_FILE
from synsamp.data.idx import read_idx_images
from synsamp.errors import SynsampError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def embedded():
    return load_digits()


def test_embedded_digits_are_all_ones_and_twos_of_the_training_set(embedded):
    assert embedded.train.counts == {1: 6742, 2: 5958}
    assert len(embedded.test) == 0
    assert embedded.train.images.shape == (12700, 28, 28)
    assert embedded.train.pixels.shape == (12700, 784)
    assert embedded.train.images.min() == 0
    assert embedded.train.images.max() == 1
    # A one is narrower and has less ink than a two: the labels are the right way round.
    ones, twos = (embedded.train.by_digit(digit).mean(axis=0) for digit in (1, 2))
    assert ones.mean() < 0.75 * twos.mean()
    assert (ones.max(axis=0) > 0.3).sum() < (twos.max(axis=0) > 0.3).sum()


def test_by_digit_and_only_agree_with_the_labels(embedded):
    twos = embedded.train.only([2])
    assert np.array_equal(twos.images, embedded.train.by_digit(2))
    assert set(twos.labels) == {2}
    with pytest.raises(SynsampError, match=r"digit must be one of \[1, 2\] here, got 7.*fetch"):
        embedded.train.by_digit(7)


def test_the_rbm_split_has_five_and_a_hundred_disjoint_ones_and_a_seed_names_it(embedded):
    split = rbm_split(seed=3)
    assert split.train.shape == (5, 28, 28)
    assert split.test.shape == (100, 28, 28)
    assert not set(split.train_positions) & set(split.test_positions)
    assert np.array_equal(split.train, embedded.train.by_digit(1)[split.train_positions])
    assert np.array_equal(split.test, embedded.train.by_digit(1)[split.test_positions])
    assert np.array_equal(rbm_split(seed=3).train_positions, split.train_positions)
    assert not np.array_equal(rbm_split(seed=4).train_positions, split.train_positions)
    # The documented recipe, so that a seed keeps its meaning.
    recipe = np.random.default_rng(3).permutation(6742)
    assert np.array_equal(split.train_positions, recipe[:5])
    assert np.array_equal(split.test_positions, recipe[5:105])


def test_a_split_larger_than_the_data_raises_an_error():
    with pytest.raises(SynsampError, match="at most the 4 images"):
        split_digit(np.zeros((4, 2, 2), dtype=np.float32), 3, 2, seed=0)


def test_the_original_files_load_through_the_same_interface(tmp_path):
    write_small_mnist(tmp_path)
    sets = load_digits(MNIST(tmp_path))
    assert (len(sets.train), len(sets.test)) == (12, 5)
    raw = read_idx_images(tmp_path / "train-images-idx3-ubyte.gz")
    assert np.array_equal(np.round(sets.train.images * 255).astype(np.uint8), raw)
    assert sets.train.labels.tolist() == [*range(10), 0, 1]


def test_missing_files_say_how_to_get_them(own_data_folder):
    with pytest.raises(SynsampError, match=r"is missing.*`synsamp data fetch mnist`"):
        load_digits(MNIST())


def bad_idx_files():
    good = np.zeros((3, 28, 28), dtype=np.uint8)
    packed = gzip.compress(idx_bytes(good, 0x803))
    return {
        "truncated gzip": (packed[: len(packed) // 2], "must be a whole gzip file"),
        "no gzip": (b"hello there", "must be a whole gzip file"),
        "damaged gzip": (packed[:-8] + b"\0\0\0\0" + packed[-4:], "must be a whole gzip file"),
        "wrong magic number": (
            gzip.compress(idx_bytes(good, 0x1234)),
            "magic number 0x00000803 of idx images, got 0x00001234",
        ),
        "labels for images": (gzip.compress(idx_bytes(good[:, 0, 0], 0x801)), "magic number"),
        "empty": (gzip.compress(b""), "got an empty file"),
        "too short": (gzip.compress(idx_bytes(good, 0x803)[:-1]), "2352 bytes as its header says"),
        "too long": (gzip.compress(idx_bytes(good, 0x803) + b"x"), "got 2353"),
    }


@pytest.mark.parametrize("case", bad_idx_files())
def test_a_bad_image_file_raises_an_error(case, tmp_path):
    content, message = bad_idx_files()[case]
    write_small_mnist(tmp_path)
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(content)
    with pytest.raises(SynsampError, match=message):
        load_digits(MNIST(tmp_path))


def test_images_and_labels_of_different_length_raise_an_error(tmp_path):
    write_small_mnist(tmp_path)
    write_idx(tmp_path / "train-labels-idx1-ubyte.gz", np.zeros(11, dtype=np.uint8))
    with pytest.raises(SynsampError, match=r"have the same number, got 12 images.* and 11 labels"):
        load_digits(MNIST(tmp_path))


def test_custom_images_of_any_size_from_an_array():
    own = digits_from_array(np.full((2, 5, 9), 51, dtype=np.uint8), [4, 7])
    assert own.images.shape == (2, 5, 9)
    assert own.images[0, 0, 0] == pytest.approx(0.2)
    assert own.counts == {4: 1, 7: 1}
    assert own.inverted().images[0, 0, 0] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (np.full((1, 2, 2), np.nan), [1], "images must be finite"),
        (np.full((1, 2, 2), 7.0), [1], r"images must lie in \[0, 1\]"),
        (np.zeros((2, 2)), [1, 2], r"shape \[n, height, width\]"),
        (np.zeros((2, 2, 2)), [1], "one for each of 2 images"),
        (np.zeros((1, 2, 2)), [1.5], "labels must be whole numbers"),
        (np.zeros((0, 2, 2)), [], "images must not be empty"),
    ],
)
def test_invalid_custom_images_raise_an_error(images, labels, message):
    with pytest.raises(SynsampError, match=message):
        digits_from_array(images, labels)


def save_png(path, array, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    png.imsave(path, array, **options)


def test_custom_images_from_a_folder_of_png_files(tmp_path):
    ramp = np.linspace(0, 1, 12).reshape(3, 4)
    save_png(tmp_path / "1" / "a.png", ramp, cmap="gray", vmin=0, vmax=1)
    see_through = np.ones((3, 4, 4))
    see_through[..., 3] = 0.0
    save_png(tmp_path / "2" / "b.PNG", see_through, format="png")
    own = digits_from_folder(tmp_path)
    assert own.labels.tolist() == [1, 2]
    assert own.images.shape == (2, 3, 4)
    np.testing.assert_allclose(own.images[0], ramp, atol=1 / 255)
    assert own.images[1].max() == 0


def test_a_folder_with_a_bad_image_raises_an_error(tmp_path):
    with pytest.raises(SynsampError, match="must hold PNG files"):
        digits_from_folder(tmp_path)
    save_png(tmp_path / "1" / "a.png", np.zeros((3, 4)))
    save_png(tmp_path / "1" / "b.png", np.zeros((5, 4)))
    with pytest.raises(SynsampError, match=r"must be \(3, 4\).*one size"):
        digits_from_folder(tmp_path)
    (tmp_path / "1" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n then nonsense")
    with pytest.raises(SynsampError, match="not a readable PNG"):
        digits_from_folder(tmp_path)
    (tmp_path / "1" / "b.png").unlink()
    save_png(tmp_path / "ones" / "a.png", np.zeros((3, 4)))
    with pytest.raises(SynsampError, match="folder name must be the digit"):
        digits_from_folder(tmp_path)


@full_data
def test_embedded_digits_equal_the_originals(embedded):
    full = load_digits(MNIST(Path(os.environ["SYNSAMP_DATA"]) / "mnist"))
    assert (len(full.train), len(full.test)) == (60000, 10000)
    kept = full.train.only([1, 2])
    assert np.array_equal(kept.images, embedded.train.images)
    assert np.array_equal(kept.labels, embedded.train.labels)


@full_data
def test_a_seed_splits_the_full_set_like_the_embedded_one():
    full = rbm_split(7, MNIST(Path(os.environ["SYNSAMP_DATA"]) / "mnist"))
    assert np.array_equal(full.train, rbm_split(7, EmbeddedDigits()).train)


@full_data
def test_the_script_makes_the_embedded_file_again(tmp_path):
    program = (
        "import sys; from pathlib import Path; sys.path.insert(0, '.');"
        "from tools import make_embedded_digits as m; m.main(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    made = tmp_path / "made.npz"
    originals = str(Path(os.environ["SYNSAMP_DATA"]).resolve() / "mnist")
    subprocess.run([sys.executable, "-c", program, originals, str(made)], cwd=ROOT, check=True)
    with (
        np.load(made) as new,
        np.load(ROOT / "src/synsamp/data/embedded" / EMBEDDED_DIGITS_FILE) as kept,
    ):
        assert np.array_equal(new["images"], kept["images"])
        assert np.array_equal(new["labels"], kept["labels"])
