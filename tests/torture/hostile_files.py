"""Data files that are not what they seem: made by hand where a mistake is known, else by chance."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import tarfile
import zipfile
import zlib

import numpy as np

FOUR = 0xFFFFFFFF
NUMBERS = ("-5", "0", "9" * 30, "9" * 5000, "inf", "-inf", "nan", "1e400", "0x10", "1.5", "a", "-")


def idx(shape, magic=None, n_bytes=0):
    head = struct.pack(f">{1 + len(shape)}I", magic or 0x800 + len(shape), *shape)
    return head + bytes(n_bytes)


def gzip_bomb(start=b""):
    """Four gigabytes of zeros in four megabytes: one member many times over."""
    return gzip.compress(start) + 64 * gzip.compress(bytes(1 << 26), 1)


def images():
    """Name and content of files in place of MNIST's training images."""
    good = idx((3, 28, 28), n_bytes=2352)
    shapes = [
        (FOUR, FOUR, FOUR),
        (1 << 31, 2, 1),
        (1 << 16, 1 << 16, 1),
        (1 << 16, 1 << 16, 1 << 16),
        (1 << 31, 1 << 31, 4),
        (0, 28, 28),
        (3, 0, 28),
        (0, FOUR, FOUR),
        (3, 28, 29),
        (1, 1, 2352 * 2),
    ]
    for shape in shapes:
        for n_bytes in (0, 16, 2352):
            yield f"shape {shape} with {n_bytes} bytes", gzip.compress(idx(shape, None, n_bytes))
    yield "bomb", gzip_bomb()
    yield "bomb behind a header", gzip_bomb(idx((FOUR, 28, 28)))
    yield "bomb behind a small header", gzip_bomb(good)
    yield "packed twice", gzip.compress(gzip.compress(good))
    yield "not packed", good
    yield "empty", b""
    yield "no content", gzip.compress(b"")
    yield "half a header", gzip.compress(good[:9])
    for magic in (0, 1, 0x801, 0x804, 0x8FF, 0x903, 0xD03, FOUR):
        yield f"magic {magic:x}", gzip.compress(idx((3, 28, 28), magic, 2352))
    yield from damaged("idx", gzip.compress(good), 12)


def wav(samples=b"\0\1" * 400, *, kind=1, channels=1, rate=8000, bits=16, sizes=(None, 16, None)):
    """A wav file whose three sizes (file, format, data) may lie."""
    align = channels * bits // 8 & 0xFFFF
    head = struct.pack("<HHIIHH", kind, channels, rate, rate * align & FOUR, align, bits)
    whole, form, data = sizes
    body = b"WAVEfmt " + struct.pack("<I", form) + head
    body += b"data" + struct.pack("<I", len(samples) if data is None else data) + samples
    return b"RIFF" + struct.pack("<I", len(body) if whole is None else whole) + body


def sounds():
    lies = (0, 1, 2, 799, 801, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, FOUR)
    for size in lies:
        yield f"data of {size}", wav(sizes=(None, 16, size))
        yield f"file of {size}", wav(sizes=(size, 16, None))
        yield f"format of {size}", wav(sizes=(None, size, None))
    for rate in (0, 1, 99, 1_000_001, FOUR):
        yield f"rate {rate}", wav(rate=rate)
    for channels in (0, 3, 255, 65535):
        yield f"{channels} channels", wav(channels=channels)
    for bits in (0, 1, 7, 12, 24, 33, 64, 128, 65535):
        yield f"{bits} bits", wav(bits=bits)
    for kind in (0, 2, 3, 6, 7, 0x11, 0x55, 0xFFFE, FOUR & 0xFFFF):
        yield f"kind {kind:x}", wav(kind=kind)
    for name in (b"RIFX", b"RF64", b"FORM", b"OggS", b"fLaC", b"ID3\x03"):
        yield f"magic {name}", name + wav()[4:]
    yield "floats that are none", wav(b"\xff\xff\xff\x7f" * 100, kind=3, bits=32)
    yield "floats beyond", wav(struct.pack("<d", np.inf) * 100, kind=3, bits=64)
    yield "thirty-five megabytes", wav(bytes(35 << 20), bits=8)
    yield "empty", b""
    yield "chunks without end", b"RIFF\xff\xff\xff\xffWAVE" + b"LIST\0\0\0\0" * 5000
    yield from damaged("wav", wav(), 15)


def sphere(samples=b"\0\1" * 400, length="   1024", end="end_head\n", **fields):
    wanted = {
        "sample_rate": "12500",
        "sample_count": "400",
        "channel_count": "1",
        "sample_n_bytes": "2",
        "sample_byte_format": "01",
        "sample_sig_bits": "12",
    } | fields
    lines = "".join(f"{name} -i {value}\n" for name, value in wanted.items())
    return f"NIST_1A\n{length}\n{lines}{end}".encode().ljust(1024) + samples


def spheres():
    for name in ("sample_rate", "sample_count", "channel_count", "sample_sig_bits"):
        for value in NUMBERS:
            yield f"{name} {value[:8]}", sphere(**{name: value})
    for value in ("0", "1", "4", "-2", "9" * 30, ""):
        yield f"sample_n_bytes {value[:8]}", sphere(sample_n_bytes=value)
    for value in ("1", "010", "0", "shortpack-v0", ""):
        yield f"byte format {value}", sphere(sample_byte_format=value)
    for length in ("0", "9" * 30, "-1024", "1023", "65537", "1024x", "", "１０２４"):
        yield f"header of {length[:8]}", sphere(length=length)
    yield "no end", sphere(end="")
    yield "many channels", sphere(channel_count="400", sample_count="1")
    yield (
        "channels and samples whose product overflows",
        sphere(channel_count=str(1 << 24), sample_count=str(1 << 24)),
    )
    yield from damaged("sphere", sphere(), 10)


def chunk(kind, content):
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def png(width=4, height=4, depth=8, colour=0, extra=b"", rows=None):
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    packed = zlib.compress(bytes(20) if rows is None else rows)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + extra
        + chunk(b"IDAT", packed)
        + chunk(b"IEND", b"")
    )


def pictures():
    for side in (0, 1001, 20_000, 65_535, 0x7FFFFFFF, FOUR):
        yield f"{side} pixels wide and high", png(side, side)
    yield "as many pixels, nothing in them", png(1000, 1000)
    yield "a bomb", png(30_000, 30_000, rows=bytes(1 << 24))
    yield "a bomb of text", png(extra=chunk(b"zTXt", b"x\0\0" + zlib.compress(bytes(1 << 26))))
    yield "a bomb of profile", png(extra=chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(1 << 26))))
    for depth, colour in ((1, 0), (16, 0), (3, 0), (8, 3), (16, 6), (8, 7), (255, 255)):
        yield f"depth {depth} colour {colour}", png(depth=depth, colour=colour, rows=bytes(200))
    yield "a length that lies", png(extra=struct.pack(">I", FOUR) + b"tEXtx")
    yield "not PNG", b"\xff\xd8\xff\xe0 JFIF"
    yield "GIF", b"GIF89a\xff\xff\xff\xff\0\0\0;"
    yield "empty", b""
    yield from damaged("png", png(), 10)


def archive(files, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return buffer.getvalue()


def array_file(shape="(3, 28, 28)", descr="'|u1'", content=bytes(2352)):
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    head = head.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head + content


def archives():
    labels = array_file("(3,)", content=bytes(3))
    for shape in ("(10**15,)", "(1000000000000,)", "(-1, 28, 28)", "(0,)", "()", "'x'", "(3, 784)"):
        yield f"shape {shape}", archive({"images.npy": array_file(shape), "labels.npy": labels})
    for descr in ("'|O'", "'|V8'", "'<f8'", "'x'", "[('a', '<i4')]"):
        images_ = array_file(descr=descr)
        yield f"type {descr}", archive({"images.npy": images_, "labels.npy": labels})
    yield "labels missing", archive({"images.npy": array_file()})
    yield (
        "a bomb",
        archive(
            {
                "images.npy": array_file("(400000000,)", content=bytes(400_000_000)),
                "labels.npy": labels,
            }
        ),
    )
    yield "not zip", b"PK\x03\x04 and then nothing"
    yield "empty", b""
    yield from damaged("npz", archive({"images.npy": array_file(), "labels.npy": labels}), 8)


def tables():
    good = "spine,time,present\n" + "".join(f"{i},{t},1\n" for i in range(4) for t in range(4))
    yield "empty", b""
    yield "binary", bytes(range(256)) * 10
    yield "no header", b"1,2,3\n" * 10
    yield "a line without end", b"spine,time,present\n" + b"a" * (1 << 20)
    yield "quotes without end", b'spine,time,present\n"' + b"a\n" * 1000
    yield "UTF-16", good.encode("utf-16")
    for value in ("inf", "-inf", "1e400", "x", "-1", "9" * 5000, "\0"):
        yield f"time {value[:8]!r}", good.replace(",3,", f",{value},").encode()
        yield f"present {value[:8]!r}", good.replace(",1\n", f",{value}\n", 1).encode()
    yield from damaged("csv", good.encode(), 5)


def tar(*members):
    """A tar.gz of (name, content), or of (TarInfo, content) with a header that may lie."""
    plain = []
    for member, content in members or [("fsdd/recordings/1_ann_0.wav", wav())]:
        info = member
        if isinstance(member, str):
            info = tarfile.TarInfo(member)
            info.size = len(content)
        plain += [info.tobuf(tarfile.GNU_FORMAT), content, bytes(-len(content) % 512)]
    return gzip.compress(b"".join([*plain, bytes(1024)]))


def header(kind=tarfile.REGTYPE, size=0, name="fsdd/recordings/1_ann_0.wav", link=""):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, link
    return info


def tars():
    good = tar()
    outside = ("../1_ann_0.wav", "/1_ann_0.wav", "C:\\1_ann_0.wav", "a\\..\\..\\1_ann_0.wav")
    for name in (*outside, "recordings/../../1_ann_0.wav", "", ".", "a" * 300, "\n", "\x1b[31m"):
        yield f"name {name[:20]!r}", tar((name, wav()))
    for kind in (*tarfile.SUPPORTED_TYPES, b"\xff", b"V", b"Z"):
        yield f"type {kind}", tar((header(kind, 800, link="/etc/passwd"), bytes(800)))
    for size in (-1, 1 << 30, 1 << 40, 1 << 62):
        yield f"size {size}", tar((header(size=size), wav()))
    # Extended headers are read into memory as one piece.
    for kind in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME):
        start = gzip.compress(header(kind, 64 << 26).tobuf(tarfile.GNU_FORMAT))
        yield f"bomb behind type {kind}", start + 64 * gzip.compress(bytes(1 << 26), 1)
    for record in (b"-1 path=x\n", b"9999999999 path=x\n", b"13 size=-100\n", b"x" * 99):
        yield f"record {record[:12]}", tar((header(tarfile.XHDTYPE, len(record)), record))
    yield "many files", tar(*((f"a/{k}", b"") for k in range(100_001)))
    yield "no recordings", tar(("fsdd/README.md", b"x"))
    yield "bomb", gzip_bomb()
    yield "empty", b""
    yield from damaged("tar", good, 10)
    yield from (
        (f"{name} inside", gzip.compress(content))
        for name, content in damaged("inner", gzip.decompress(good)[:1600], 30)
    )


def zarr_files(**changes):
    """Files of a Zarr folder of draws, by name; changes replace entries of the array's metadata."""
    about = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [2, 4, 3],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 4, 3]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0.0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "gzip"}],
        "attributes": {},
        "dimension_names": ["chain", "draw", "axis_0"],
    }
    about["codecs"][1]["configuration"] = {"level": 1}
    for key, value in changes.items():
        about[key] = value
    chunk_ = gzip.compress(np.arange(12, dtype="<f4").tobytes())
    return {
        "zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {}}',
        "theta/zarr.json": json.dumps(about).encode(),
        "theta/c/0/0/0": chunk_,
        "theta/c/1/0/0": chunk_,
    }


def draws():
    def grid(*shape):
        return {"name": "regular", "configuration": {"chunk_shape": list(shape)}}

    big = 10**15
    for shape in ([2, big, 3], [big, 4, 3], [big, big, 3], [2, -4, 3], [0, 4, 3], [2, 4], [], "x"):
        yield f"shape {shape}", zarr_files(shape=shape)
    for chunks in ((1, big, 3), (0, 4, 3), (-1, 4, 3), (1, 4), (), (1, 2.5, 3), (big, big, 3)):
        yield f"chunks {chunks}", zarr_files(chunk_grid=grid(*chunks))
        shape = [2, big, 3]
        yield f"chunks {chunks}, shape {shape}", zarr_files(chunk_grid=grid(*chunks), shape=shape)
    for kind in ("float64", "object", "string", "r8", "|O", "complex128", "bool", "", None, 7, "x"):
        yield f"type {kind}", zarr_files(data_type=kind)
    for value in ("NaN", None, "x", 1e400, [], {}):
        yield f"fill value {value}", zarr_files(fill_value=value)
    for name in ("blosc", "zstd", "pickle", "sharding_indexed", "", None, 7):
        yield f"codec {name}", zarr_files(codecs=[{"name": name}])
    for codecs in ([], [{}], "x", None, [{"name": "bytes"}] * 2000):
        yield f"codecs {str(codecs)[:9]}", zarr_files(codecs=codecs)
    for key in json.loads(zarr_files()["theta/zarr.json"]):
        about = json.loads(zarr_files()["theta/zarr.json"])
        del about[key]
        yield f"without {key}", zarr_files() | {"theta/zarr.json": json.dumps(about).encode()}
    for name in zarr_files():
        for content in (b"", b"{}", b"[" * 50_000, b"\xff\xfe", b"null", gzip_bomb()[: 1 << 22]):
            yield f"{name} is {content[:9]}", zarr_files() | {name: content}
        left = zarr_files()
        del left[name]
        yield f"{name} lost", left
    for name, good in zarr_files().items():
        for what, content in damaged(f"draws {name}", good, 12):
            yield f"{name} {what}", zarr_files() | {name: content}


def damaged(seed_word, good, count):
    """Cut off, lengthened, or with a few bytes changed; the same ones every time."""
    rng = np.random.default_rng(list(seed_word.encode()))
    for k in range(count):
        content = bytearray(good)
        if k % 3 == 0:
            del content[int(rng.integers(len(content))) :]
        for _ in range(int(rng.integers(1, 6))):
            if content:
                content[int(rng.integers(len(content)))] = int(rng.integers(256))
        yield f"damaged {k}", bytes(content)


KINDS = {
    "idx": images,
    "wav": sounds,
    "sphere": spheres,
    "png": pictures,
    "npz": archives,
    "csv": tables,
    "tar": tars,
    "draws": draws,
}


def no_plain_files(folder):
    """Name and path of what is there and cannot be read as a file."""
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "device").symlink_to("/dev/zero")
    (folder / "loop").symlink_to("loop")
    (folder / "nowhere").symlink_to("missing")
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    return [folder / name for name in ("folder", "pipe", "device", "loop", "nowhere", "sparse")]
