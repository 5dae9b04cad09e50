"""The commands list, fetch and show, run as a user would."""

from pathlib import Path

import pytest
from matplotlib import image as png
from typer.testing import CliRunner

from data_files import wav_bytes, word, write_small_mnist
from synsamp.cli import data as commands
from synsamp.cli.data import app
from synsamp.errors import SynsampError


def run(*words):
    return CliRunner().invoke(app, [str(each) for each in words])


def test_list_shows_what_is_here_and_how_to_get_the_rest(own_data_folder):
    shown = run("list")
    assert shown.exit_code == 0
    assert "12,700 images (6,742 ones, 5,958 twos)" in shown.output
    assert "20 utterances (10 of one, 10 of two; synthetic)" in shown.output
    assert "synsamp data fetch mnist" in shown.output
    assert "synsamp data fetch fsdd" in shown.output
    assert "CC BY-SA 3.0" in shown.output
    assert "espeak-ng" in shown.output
    assert "60 utterances (30 of one, 30 of two) by george, jackson, lucas" in shown.output
    assert "CC BY-SA 4.0" in shown.output


def test_list_counts_what_was_fetched_and_reports_damage(own_data_folder):
    write_small_mnist(own_data_folder / "mnist")
    (own_data_folder / "fsdd").mkdir()
    for name in ("1_ann_0.wav", "2_bob_0.wav", "2_bob_1.wav"):
        (own_data_folder / "fsdd" / name).write_bytes(wav_bytes(word().tobytes()))
    shown = run("list").output
    assert "12 training and 5 test images" in shown
    assert "3 recordings (digits 1 2; 2 speakers)" in shown
    assert str(own_data_folder / "mnist") in shown
    (own_data_folder / "mnist" / "t10k-images-idx3-ubyte.gz").unlink()
    assert "incomplete: t10k-images-idx3-ubyte.gz missing" in run("list").output
    (own_data_folder / "mnist" / "train-labels-idx1-ubyte.gz").write_bytes(b"x")
    assert "damaged" in run("list").output


@pytest.mark.parametrize("name", ["digits", "speech", "voices"])
def test_show_draws_a_picture(tmp_path, name):
    picture = tmp_path / f"{name}.png"
    shown = run("show", name, "--out", picture)
    assert shown.exit_code == 0, shown.output
    assert f"wrote {picture}" in shown.output.replace("\n", "")
    pixels = png.imread(picture)
    assert min(pixels.shape[:2]) > 500
    # Something is drawn: ink on a good part of the page, and it is not all ink.
    assert 0.05 < (pixels[..., :3].mean(axis=2) < 0.8).mean() < 0.9
    assert [path.name for path in tmp_path.iterdir()] == [picture.name]


def test_show_draws_what_was_fetched(tmp_path, own_data_folder):
    write_small_mnist(own_data_folder / "mnist")
    (own_data_folder / "fsdd").mkdir()
    (own_data_folder / "fsdd" / "1_ann_0.wav").write_bytes(wav_bytes(word().tobytes()))
    for name in ("mnist", "fsdd"):
        assert run("show", name, "--out", tmp_path / f"{name}.png").exit_code == 0


def test_show_does_not_replace_a_file_unasked(tmp_path):
    picture = tmp_path / "mine.png"
    picture.write_bytes(b"precious")
    refused = run("show", "digits", "--out", picture)
    assert isinstance(refused.exception, SynsampError)
    assert "use --force" in str(refused.exception)
    assert picture.read_bytes() == b"precious"
    assert run("show", "digits", "--out", picture, "--force").exit_code == 0
    assert picture.read_bytes() != b"precious"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "digits", "--out", "a.pdf"), "must end in .png"),
        (("show", "digits", "--out", "no/such/folder/a.png"), "existing folder"),
        (("show", "mnist", "--out", "a.png"), "synsamp data fetch mnist"),
        (("show", "fsdd", "--out", "a.png"), "synsamp data fetch fsdd"),
        (("fetch", "mnist", "--from", "nowhere"), "must be a folder that holds"),
        (("fetch", "fsdd", "--from", "nowhere"), "must be a folder"),
    ],
)
def test_mistakes_raise_a_one_line_error(own_data_folder, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    result = run(*words)
    assert isinstance(result.exception, SynsampError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


def test_fetch_from_a_folder_says_what_came(tmp_path, own_data_folder):
    (tmp_path / "1_ann_0.wav").write_bytes(wav_bytes(word().tobytes()))
    shown = run("fetch", "fsdd", "--from", tmp_path)
    assert shown.exit_code == 0
    assert "fsdd: 1 recordings (digits 1; 1 speakers)" in shown.output


def test_fetch_from_the_network_shows_progress(own_data_folder, monkeypatch):
    def pretend(report):
        report("train-images-idx3-ubyte.gz", 500_000, 1_000_000)
        report("train-images-idx3-ubyte.gz", 1_000_000, 1_000_000)
        return own_data_folder / "mnist"

    monkeypatch.setattr(commands.fetching, "fetch_mnist", pretend)
    shown = run("fetch", "mnist")
    assert shown.exit_code == 0
    assert "train-images-idx3-ubyte.gz" in shown.stderr
    assert "1.0/1.0 MB" in shown.stderr
    assert "mnist:" in shown.stdout


def test_an_unknown_name_is_a_usage_error():
    assert run("fetch", "cifar").exit_code == 2
    assert run("show", "faces").exit_code == 2


def test_a_drawing_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def full(figure, file, **_):
        file.write(b"half a picture")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    with pytest.raises(OSError, match="No space"):
        app(["show", "digits", "--out", str(tmp_path / "a.png")], standalone_mode=False)
    (tmp_path / "b.png").mkdir()
    with pytest.raises(SynsampError, match="--out must be a file"):
        app(["show", "digits", "--out", str(tmp_path / "b.png"), "--force"], standalone_mode=False)
    assert [path.name for path in tmp_path.iterdir()] == ["b.png"]


def test_a_drawing_follows_no_link(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("mine")
    for name in (".digits.png.part", "digits.png"):
        Path(name).symlink_to("notes.txt")
    assert run("show", "digits", "--force").exit_code == 0
    assert Path("notes.txt").read_text() == "mine"
    assert not Path("digits.png").is_symlink()
