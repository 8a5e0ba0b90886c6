#!/usr/bin/env python3
"""Compiles cuda/*.cu of a crate to its ptx/*.ptx with NVRTC 13.0; needs neither a GPU nor a toolkit.

The crate is kernels unless --crate names another.

The compiler and its headers are NVIDIA's wheels on PyPI, in the exact versions below. They are
unpacked into the folder that --wheels names, once, or into a temporary one that is removed again
(about 100 MB). Only pip is needed, and a platform that the wheels are made for.

The PTX is for compute_75, and for compute_90 where a kernel uses what only that has. PTX of CUDA
13.0 is PTX ISA 9.0, which every CUDA 13 driver takes. No fast-math option is given: division and
square root round as IEEE 754 says, and denormal numbers are kept.

Each PTX begins with the SHA-256 of the source it was made of: the .cu file, then every local header
it includes, each once, in the order of first inclusion. A test of the crate compares that line
with the sources, so a forgotten run of this program is noticed where there is no compiler. The same
sources give the same bytes. With --check nothing is written: the kernels are compiled and compared
with the files that are there, and the exit status is 1 where they differ.

  scripts/compile_kernels.py                       compile all
  scripts/compile_kernels.py norm rope             compile cuda/norm.cu and cuda/rope.cu
  scripts/compile_kernels.py --crate tests         compile tests/cuda/*.cu
  scripts/compile_kernels.py --wheels ~/.cache/nvrtc --check
"""

import argparse
import contextlib
import ctypes
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
# The headers for f16 and bf16 come with the runtime; they include those of the other two.
WHEELS = [
    "nvidia-cuda-nvrtc==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cuda-crt==13.0.88",
]
COMPILER_VERSION = (13, 0)
ARCHITECTURE = "compute_75"
# What uses instructions that the usual architecture lacks.
NEWER_ARCHITECTURES = {"tile_copy": "compute_90"}
HASH_LINE = "// source sha256: "
LOCAL_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


class Failure(Exception):
    """What went wrong, in words for the terminal."""


@contextlib.contextmanager
def wheels_folder(named):
    """The folder with the wheels unpacked, which `pip` fills when the compiler is not in it."""
    with contextlib.ExitStack() as stack:
        folder = named or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nvrtc-")))
        if not list(folder.glob("nvidia_cuda_nvrtc-13.0.88.dist-info")):
            folder.mkdir(parents=True, exist_ok=True)
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            if subprocess.run([*pip, "--upgrade", "--target", folder, *WHEELS], check=False).returncode != 0:
                raise Failure(f"pip could not install {' '.join(WHEELS)} into {folder}")
        yield folder


class Nvrtc:
    """The compiler, from the shared library of its wheel."""

    def __init__(self, folder):
        # The wheel holds a second build of the library, "alt".
        names = ("libnvrtc.so.*", "nvrtc64_*.dll")
        found = [path for name in names for path in sorted(folder.rglob(name)) if "alt" not in path.name]
        headers = sorted(folder.rglob("cuda_fp16.h"))
        if not found or not headers:
            raise Failure(f"no NVRTC library or no cuda_fp16.h under {folder}: empty the folder and run again")
        # The library asks for its builtins by name alone, and finds them where they are loaded already.
        for builtins in found[0].parent.glob("*nvrtc-builtins*"):
            if "alt" not in builtins.name:
                ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(found[0]))
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p
        self.include = headers[0].parent
        version = (ctypes.c_int(), ctypes.c_int())
        self.call("nvrtcVersion", ctypes.byref(version[0]), ctypes.byref(version[1]))
        if tuple(part.value for part in version) != COMPILER_VERSION:
            raise Failure(f"NVRTC {version[0].value}.{version[1].value} in {found[0]}, 13.0 was expected")

    def call(self, name, *arguments):
        """Calls a function of the library, and raises what it returns but success."""
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise Failure(f"{name}: {self.library.nvrtcGetErrorString(status).decode()}")

    def text(self, program, kind):
        """The program's `PTX` or `ProgramLog`."""
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{kind}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{kind}", program, buffer)
        return buffer.value.decode()

    def compile(self, source):
        """The PTX of a .cu file, ending in one line feed."""
        options = [
            f"--gpu-architecture={NEWER_ARCHITECTURES.get(source.stem, ARCHITECTURE)}",
            "--std=c++17",
            f"--include-path={source.parent}",
            f"--include-path={self.include}",
            f"--include-path={self.include / 'cccl'}",
        ]
        program = ctypes.c_void_p()
        create = (source.read_bytes(), source.name.encode(), 0, None, None)
        self.call("nvrtcCreateProgram", ctypes.byref(program), *create)
        try:
            encoded = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            status = self.library.nvrtcCompileProgram(program, len(options), encoded)
            log = self.text(program, "ProgramLog").strip()
            # A warning is an error: nobody reads the output of a program that succeeds.
            if status != 0 or log:
                raise Failure(f"{source.name} does not compile cleanly:\n{log}")
            return self.text(program, "PTX").strip() + "\n"
        finally:
            self.call("nvrtcDestroyProgram", ctypes.byref(program))


def source_files(source, seen=None):
    """The file and the local headers it includes, each once, in the order of first inclusion."""
    seen = [] if seen is None else seen
    seen.append(source)
    for name in LOCAL_INCLUDE.findall(source.read_bytes()):
        header = source.parent / name.decode()
        if header not in seen:
            source_files(header, seen)
    return seen


def source_hash(source):
    """The SHA-256 of the file and its local headers, as the first line of the PTX gives it."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in source_files(source))).hexdigest()


def chosen_sources(crate, names):
    """The crate's .cu files of these names, or all."""
    sources = {path.stem: path for path in sorted((crate / "cuda").glob("*.cu"))}
    unknown = [name for name in names if name not in sources]
    if unknown:
        raise Failure(f"no kernel file {', '.join(unknown)}; there are {', '.join(sources)}")
    return [sources[name] for name in names] if names else list(sources.values())


def run(options):
    """Compiles, and writes or compares. Returns the exit status."""
    stale = []
    crate = REPOSITORY / options.crate
    sources = chosen_sources(crate, options.names)
    with wheels_folder(options.wheels) as folder:
        compiler = Nvrtc(folder)
        for source in sources:
            text = f"{HASH_LINE}{source_hash(source)}\n{compiler.compile(source)}".encode()
            ptx = crate / "ptx" / f"{source.stem}.ptx"
            same = ptx.exists() and ptx.read_bytes() == text
            if not options.check and not same:
                ptx.parent.mkdir(exist_ok=True)
                ptx.write_bytes(text)
            elif not same:
                stale.append(ptx.name)
            print("same   " if same else "differs" if options.check else "written", ptx.name)
    if stale:
        advice = "not what the sources compile to; run scripts/compile_kernels.py"
        print(f"{', '.join(stale)}: {advice}", file=sys.stderr)
    return 1 if stale else 0


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a file of the crate's cuda folder without .cu; all by default")
    parser.add_argument("--crate", default="kernels", metavar="DIR", help="the crate's folder; kernels by default")
    parser.add_argument("--wheels", type=pathlib.Path, metavar="DIR", help="keep the unpacked wheels in this folder")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where a file differs")
    try:
        return run(parser.parse_args())
    except Failure as failure:
        print(f"compile_kernels: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
