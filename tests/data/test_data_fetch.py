"""Downloads against a local server that serves well, stalls, breaks off, or serves wrong bytes."""

import hashlib
import io
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from data_files import small_fsdd, tar_bytes, wav_bytes, word, write_small_mnist
from synsamp.data import MNIST, FreeSpokenDigits, fetch, load_digits, load_speech
from synsamp.data.sources import DataSet, RemoteFile
from synsamp.data.unpack import unpack_recordings
from synsamp.errors import SynsampError

CONTENT = bytes(range(256)) * 1200  # 307 kB: several chunks
NAME = "file.bin"
TIMEOUT_S = 0.4


class Server:
    """Serves CONTENT (or other bytes) under any path, in the manner that a test asks for."""

    def __init__(self):
        self.content = CONTENT
        self.requests = []
        self.manners = []  # one for each request to come; then "well"
        self.default_manner = "well"
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.answer(self)

            def log_message(self, *_args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.closing = threading.Event()
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def url(self, name=NAME):
        return f"http://127.0.0.1:{self.http.server_port}/{name}"

    def answer(self, handler):
        asked = handler.headers.get("Range")
        self.requests.append(asked)
        manner = self.manners.pop(0) if self.manners else self.default_manner
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if manner == "missing":
            handler.send_error(404)
            return
        if manner == "ignores ranges":
            start = 0
        if start > len(self.content):
            handler.send_error(416)
            return
        body = self.content[start:]
        handler.send_response(206 if start else 200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if manner == "wrong bytes":
            body = bytes(len(body))
        if manner in ("breaks off", "stalls"):
            handler.wfile.write(body[: len(body) // 2])
            handler.wfile.flush()
            if manner == "stalls":
                self.closing.wait(20 * TIMEOUT_S)
            handler.connection.close()
            return
        handler.wfile.write(body)


@pytest.fixture
def server():
    running = Server()
    yield running
    running.closing.set()
    running.http.shutdown()
    running.http.server_close()


@pytest.fixture
def second_server():
    running = Server()
    yield running
    running.closing.set()
    running.http.shutdown()
    running.http.server_close()


def data_set(*servers, content=CONTENT, name=NAME):
    urls = tuple(each.url(name) for each in servers)
    files = (RemoteFile(name, urls, hashlib.sha256(content).hexdigest()),)
    return DataSet("test", "test", files, "no one", "none")


def get(dataset, folder, report=fetch.silent):
    return fetch.fetch_files(dataset, folder, report, TIMEOUT_S)


@pytest.fixture
def folder(own_data_folder):
    return own_data_folder / "test"


def everything_in(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_good_server_gives_the_file_with_progress_and_leaves_nothing_else(server, folder):
    told = []
    get(data_set(server), folder, lambda *news: told.append(news))
    assert (folder / NAME).read_bytes() == CONTENT
    assert everything_in(folder.parent) == [NAME]
    assert told[-1] == (NAME, len(CONTENT), len(CONTENT))
    assert [here for _, here, _ in told] == sorted(here for _, here, _ in told)


def test_a_file_that_is_here_and_right_is_not_fetched_again(server, folder):
    get(data_set(server), folder)
    get(data_set(server), folder)
    assert len(server.requests) == 1


def test_a_wrong_file_in_place_is_replaced(server, folder):
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(b"damaged")
    get(data_set(server), folder)
    assert (folder / NAME).read_bytes() == CONTENT


@pytest.mark.parametrize("manner", ["breaks off", "stalls"])
def test_an_interrupted_download_requests_the_rest(server, folder, manner):
    server.manners = [manner]
    get(data_set(server), folder)
    assert (folder / NAME).read_bytes() == CONTENT
    assert server.requests[0] is None
    assert server.requests[1].startswith("bytes=")
    assert int(server.requests[1][6:-1]) > 0
    assert everything_in(folder.parent) == [NAME]


def test_a_server_that_ignores_ranges_starts_afresh(server, folder):
    server.manners = ["breaks off", "ignores ranges"]
    get(data_set(server), folder)
    assert (folder / NAME).read_bytes() == CONTENT


def test_a_later_call_resumes_the_download(server, second_server, folder):
    server.default_manner = "breaks off"
    with pytest.raises(SynsampError, match="broke off"):
        get(data_set(server), folder)
    waiting = folder.parent / "partial" / "test" / f"{NAME}.part"
    held = waiting.stat().st_size
    assert CONTENT.startswith(waiting.read_bytes())
    get(data_set(second_server), folder)
    assert second_server.requests == [f"bytes={held}-"]
    assert (folder / NAME).read_bytes() == CONTENT
    assert everything_in(folder.parent) == [NAME]


def test_the_next_call_resumes_after_an_interruption(server, folder):
    def impatient(_name, _here, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(data_set(server), folder, impatient)
    assert everything_in(folder.parent) == [f"{NAME}.part"]
    held = (folder.parent / "partial" / "test" / f"{NAME}.part").stat().st_size
    assert 0 < held < len(CONTENT)
    get(data_set(server), folder)
    assert server.requests == [None, f"bytes={held}-"]
    assert (folder / NAME).read_bytes() == CONTENT


def test_the_second_source_is_tried_if_the_first_fails(server, second_server, folder):
    server.default_manner = "missing"
    get(data_set(server, second_server), folder)
    assert (folder / NAME).read_bytes() == CONTENT
    assert (len(server.requests), len(second_server.requests)) == (1, 1)


def test_the_second_source_is_tried_if_the_first_serves_wrong_bytes(server, second_server, folder):
    server.default_manner = "wrong bytes"
    get(data_set(server, second_server), folder)
    assert (folder / NAME).read_bytes() == CONTENT
    assert second_server.requests == [None]


def test_a_wrong_partial_file_is_discarded(server, folder):
    partial = folder.parent / "partial" / "test"
    partial.mkdir(parents=True)
    (partial / f"{NAME}.part").write_bytes(b"nonsense from another day")
    get(data_set(server), folder)
    assert server.requests == ["bytes=25-", None]
    assert (folder / NAME).read_bytes() == CONTENT


def test_a_partial_file_longer_than_the_file_is_discarded(server, second_server, folder):
    partial = folder.parent / "partial" / "test"
    partial.mkdir(parents=True)
    (partial / f"{NAME}.part").write_bytes(bytes(len(CONTENT) + 1))
    get(data_set(server, second_server), folder)
    assert (folder / NAME).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("breaks off", "the connection broke off"),
        ("stalls", "the server stalled"),
        ("wrong bytes", "wrong checksum"),
        ("missing", "the server answered 404"),
    ],
)
@pytest.mark.parametrize("old", [None, b"an older copy"])
def test_a_failed_download_leaves_no_half_file_and_the_old_copy(
    server, folder, manner, reason, old
):
    server.default_manner = manner
    if old is not None:
        folder.mkdir(parents=True)
        (folder / NAME).write_bytes(old)
    with pytest.raises(SynsampError, match=rf"{NAME} could not be fetched: .*{reason}.*--from"):
        get(data_set(server), folder)
    assert 1 <= len(server.requests) <= fetch.TRIES_PER_SOURCE  # it gives up
    assert (everything_in(folder) == [NAME]) if old else (everything_in(folder) == [])
    if old is not None:
        assert (folder / NAME).read_bytes() == old


def test_no_server_gives_an_error_in_one_line(server, folder):
    nowhere = data_set(server)
    server.http.server_close()
    server.http.shutdown()
    with pytest.raises(SynsampError, match="no connection") as caught:
        get(nowhere, folder)
    assert "\n" not in str(caught.value)


def test_the_real_addresses_have_two_sources_for_mnist_and_a_checksum_each():
    assert [len(file.urls) for file in fetch.MNIST_FILES.files] == [2] * 4
    for file in (*fetch.MNIST_FILES.files, *fetch.FSDD_ARCHIVE.files):
        assert len(bytes.fromhex(file.sha256)) == 32
        assert all(url.startswith("https://") for url in file.urls)


@pytest.fixture
def small_mnist(tmp_path, monkeypatch):
    """A folder with a tiny MNIST whose checksums are the ones that are expected."""
    source = tmp_path / "source"
    write_small_mnist(source)
    files = tuple(
        RemoteFile(file.name, (), hashlib.sha256((source / file.name).read_bytes()).hexdigest())
        for file in fetch.MNIST_FILES.files
    )
    monkeypatch.setattr(fetch, "MNIST_FILES", DataSet("mnist", "", files, "", ""))
    return source


def test_mnist_is_taken_from_a_folder_and_loads(small_mnist, own_data_folder):
    fetch.take_mnist_from(small_mnist)
    assert len(load_digits(MNIST()).train) == 12
    assert everything_in(own_data_folder) == sorted(f.name for f in fetch.MNIST_FILES.files)
    # Taking it from the very place where it is kept changes nothing.
    fetch.take_mnist_from(own_data_folder / "mnist")
    assert len(load_digits(MNIST()).train) == 12


def test_one_bad_file_in_the_folder_and_nothing_is_copied(small_mnist, own_data_folder):
    (small_mnist / "t10k-labels-idx1-ubyte.gz").write_bytes(b"other")
    with pytest.raises(SynsampError, match=r"t10k-labels.* must have the sha256"):
        fetch.take_mnist_from(small_mnist)
    assert not own_data_folder.exists()
    (small_mnist / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(SynsampError, match="must be a folder that holds t10k-labels"):
        fetch.take_mnist_from(small_mnist)


@pytest.fixture
def fsdd_archive(monkeypatch):
    """Make a small archive the expected one; returns its bytes."""
    content = tar_bytes(small_fsdd())

    def expect(*servers, content=content):
        name = fetch.FSDD_ARCHIVE.files[0].name
        monkeypatch.setattr(fetch, "FSDD_ARCHIVE", data_set(*servers, content=content, name=name))
        return content

    return expect


def test_fsdd_is_fetched_and_unpacked_to_its_recordings_alone(
    server, own_data_folder, fsdd_archive
):
    server.content = fsdd_archive(server)
    fetch.fetch_fsdd(timeout_s=TIMEOUT_S)
    assert [take.utterance for take in load_speech(FreeSpokenDigits())] == ["0", "2", "10", "0"]
    assert all(name.endswith(".wav") for name in everything_in(own_data_folder / "fsdd"))
    fetch.fetch_fsdd(timeout_s=TIMEOUT_S)
    assert len(server.requests) == 1


def test_fsdd_is_taken_from_a_folder_with_the_archive(tmp_path, own_data_folder, fsdd_archive):
    content = fsdd_archive()
    (tmp_path / fetch.FSDD_ARCHIVE.files[0].name).write_bytes(content)
    fetch.take_fsdd_from(tmp_path)
    assert len(load_speech(FreeSpokenDigits())) == 4
    (tmp_path / fetch.FSDD_ARCHIVE.files[0].name).write_bytes(content[:-10])
    with pytest.raises(SynsampError, match="must have the sha256"):
        fetch.take_fsdd_from(tmp_path)
    assert len(load_speech(FreeSpokenDigits())) == 4


def test_fsdd_is_taken_from_a_folder_of_recordings(tmp_path, own_data_folder):
    with pytest.raises(SynsampError, match=r"must hold .*tar.gz or wav files"):
        fetch.take_fsdd_from(tmp_path)
    (tmp_path / "1_ann_0.wav").write_bytes(wav_bytes(word().tobytes()))
    fetch.take_fsdd_from(tmp_path)
    assert len(load_speech(FreeSpokenDigits())) == 1
    (tmp_path / "1_ann_1.wav").write_bytes(b"no sound")
    with pytest.raises(SynsampError, match=r"1_ann_1\.wav is not a readable wav"):
        fetch.take_fsdd_from(tmp_path)
    with pytest.raises(SynsampError, match="--from must be a folder"):
        fetch.take_fsdd_from(tmp_path / "none")


def test_a_folder_that_cannot_be_written_raises_an_error(
    small_mnist, tmp_path, monkeypatch, fsdd_archive, server
):
    (tmp_path / "file").write_bytes(b"a file where the folder should be")
    monkeypatch.setenv("SYNSAMP_DATA", str(tmp_path / "file"))
    with pytest.raises(SynsampError, match="cannot write"):
        fetch.take_mnist_from(small_mnist)
    (tmp_path / "1_ann_0.wav").write_bytes(wav_bytes(word().tobytes()))
    with pytest.raises(SynsampError, match="cannot write"):
        fetch.take_fsdd_from(tmp_path)
    server.content = fsdd_archive(server)
    with pytest.raises(SynsampError, match="cannot write"):
        fetch.fetch_fsdd(timeout_s=TIMEOUT_S)


@pytest.mark.parametrize(
    "name",
    [
        "../recordings/1_eve_0.wav",
        "/recordings/1_eve_0.wav",
        "top/recordings/../../../1_eve_0.wav",
        "..\\recordings\\1_eve_0.wav",
        "C:/recordings/1_eve_0.wav",
        "../harmless.txt",
    ],
)
def test_an_archive_with_a_path_outside_of_the_folder_raises_an_error(tmp_path, name):
    target = tmp_path / "inside" / "fsdd"
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(tar_bytes({**small_fsdd(), name: b"evil"}))
    with pytest.raises(SynsampError, match="leaves the folder"):
        unpack_recordings(archive, target)
    assert everything_in(tmp_path) == ["a.tar.gz"]


def test_links_in_an_archive_are_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in small_fsdd().items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("top/recordings/3_eve_0.wav")
        link.type, link.linkname = tarfile.SYMTYPE, str(secret)
        tar.addfile(link)
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(buffer.getvalue())
    assert unpack_recordings(archive, tmp_path / "fsdd") == 4
    assert not (tmp_path / "fsdd" / "3_eve_0.wav").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tar_bytes(small_fsdd())[:-400], "must be an intact tar.gz"),
        (b"no archive", "must be an intact tar.gz"),
        (tar_bytes({"top/README.md": b"words"}), "must hold recordings"),
    ],
    ids=["cut off", "no archive", "no recordings"],
)
def test_a_bad_archive_leaves_the_old_recordings(tmp_path, content, message):
    target = tmp_path / "fsdd"
    target.mkdir()
    (target / "1_old_0.wav").write_bytes(b"old")
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(content)
    with pytest.raises(SynsampError, match=message):
        unpack_recordings(archive, target)
    assert everything_in(tmp_path) == ["1_old_0.wav", "a.tar.gz"]
    assert (target / "1_old_0.wav").read_bytes() == b"old"
