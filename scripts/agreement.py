#!/usr/bin/env python3
"""Compares what the readers say of CUDA source, PTX and cubin, over all kernels of this repository.

Compiled with NVRTC 13.0 for several architectures: the kernels of kernels/cuda, and those of the generated signatures
of the tests (tests/generator), their bodies left out. Then `warpcall diff` compares source with PTX, source with cubin,
and PTX with cubin. The exit status is 1 where two of them differ, or where a kernel is missing.

The compiler is the one of scripts/compile_kernels.py; pip, cargo, and neither a GPU nor a toolkit are needed.

With --write the generated kernels of the first files, in source, PTX and cubin for sm_90, are written to
signature/tests/data/generated.*, where a test compares them without a compiler. The cubin is stripped down to the
symbols of its kernels and the sections with their attributes.

  scripts/agreement.py                            compare all
  scripts/agreement.py --wheels ~/.cache/nvrtc --architectures 75 90
"""

import argparse
import ctypes
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from compile_kernels import REPOSITORY, Failure, Nvrtc, wheels_folder

ARCHITECTURES = [75, 80, 90, 100, 120]
# What needs a newer architecture than the oldest of these.
NEEDS = {"tile_copy": 90}
DATA = REPOSITORY / "signature" / "tests" / "data"
# How many kernels at least are written, whole files of them.
WRITTEN = 300
BODY_LINE = re.compile(r"^    out = put\(.*\n", re.MULTILINE)
KERNEL = re.compile(r"^extern \"C\" __global__ void \w+\(.*\) \{\n\}\n", re.MULTILINE)


class Compiler(Nvrtc):
    """NVRTC, for real architectures."""

    def compile_for(self, source, architecture):
        """The PTX and the cubin of a .cu file."""
        options = [
            f"--gpu-architecture=sm_{architecture}",
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
            if self.library.nvrtcCompileProgram(program, len(options), encoded) != 0:
                raise Failure(f"{source.name} does not compile:\n{self.text(program, 'ProgramLog')}")
            size = ctypes.c_size_t()
            self.call("nvrtcGetCUBINSize", program, ctypes.byref(size))
            cubin = ctypes.create_string_buffer(size.value)
            self.call("nvrtcGetCUBIN", program, cubin)
            return self.text(program, "PTX").strip() + "\n", cubin.raw
        finally:
            self.call("nvrtcDestroyProgram", ctypes.byref(program))


def cargo_messages(*arguments):
    """What cargo says of its work, one message a line."""
    command = ["cargo", *arguments, "--message-format=json"]
    result = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=False)
    if result.returncode != 0:
        raise Failure(f"{' '.join(command)} failed")
    return [json.loads(line) for line in result.stdout.splitlines()]


def command_path():
    """The command `warpcall`, built."""
    for message in cargo_messages("build", "--quiet", "--package", "warpcall-cli"):
        if message.get("executable"):
            return message["executable"]
    raise Failure("cargo built no command")


def generated_sources(folder):
    """The files of generated kernels without their bodies, written into `folder`."""
    messages = cargo_messages("check", "--quiet", "--package", "warpcall-tests")
    out = [m["out_dir"] for m in messages if m["reason"] == "build-script-executed" and "warpcall-tests" in m["package_id"]]
    if not out:
        raise Failure("the build script of warpcall-tests did not run")
    sources = []
    for unit in sorted(pathlib.Path(out[0]).glob("echo_*.cu"), key=lambda path: int(path.stem.split("_")[1])):
        source = folder / unit.name
        source.write_text(BODY_LINE.sub("", unit.read_text()))
        sources.append(source)
    return sources


def differ(command, left, right, defines):
    """How many kernels agree, and the text of what differs."""
    result = subprocess.run([command, "diff", "--json", left, right, *defines], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        raise Failure(f"warpcall diff {left} {right}: {result.stderr}")
    report = json.loads(result.stdout)
    if report["not_compared"]:
        raise Failure(f"warpcall diff {left} {right} left out {report['not_compared']}")
    if result.returncode == 1:
        return report["agreeing"], json.dumps(report["differences"], indent=2)
    return report["agreeing"], ""


def stripped(cubin):
    """A cubin with the symbols of its kernels and the sections of their attributes alone."""
    (table,) = struct.unpack_from("<Q", cubin, 40)
    (count, names_index) = struct.unpack_from("<HH", cubin, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, table + 64 * index) for index in range(count)]

    def content(header):
        return cubin[header[4] : header[4] + header[5]]

    def name_at(table, offset):
        return table[offset : table.index(b"\0", offset)]

    names = content(headers[names_index])
    symbols = next(header for header in headers if header[1] == 2)
    strings = content(headers[symbols[6]])
    infos = {name_at(names, h[0]): content(h) for h in headers if name_at(names, h[0]).startswith(b".nv.info.")}
    kernels = []
    for name, info, other, index, value, size in struct.iter_unpack("<IBBHQQ", content(symbols)):
        if info & 15 == 2 and other & 0x10 and index != 0:
            kernels.append((name_at(strings, name), info, other))
    section_names, symbol_names, symbol_table, bodies = b"\0.shstrtab\0.strtab\0.symtab\0", b"\0", bytes(24), []
    for number, (name, info, other) in enumerate(kernels):
        symbol_table += struct.pack("<IBBHQQ", len(symbol_names), info, other, number + 4, 0, 0)
        symbol_names += name + b"\0"
        bodies.append((len(section_names), 0x70000000, infos[b".nv.info." + name], 3, 0))
        section_names += b".nv.info." + name + b"\0"
    sections = [(0, 0, b"", 0, 0), (1, 3, section_names, 0, 0), (11, 3, symbol_names, 0, 0), (19, 2, symbol_table, 2, 24), *bodies]
    out, table = bytearray(cubin[:64]), b""
    for name, kind, data, link, entry in sections:
        table += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, len(out), len(data), link, 0, 1, entry)
        out += data
    struct.pack_into("<QQ", out, 32, 0, len(out))
    struct.pack_into("<HHHHH", out, 54, 0, 0, 64, len(sections), 1)
    return bytes(out + table)


def write_sample(compiler, sources):
    """Writes the first generated kernels where the tests read them."""
    text, kernels = "", 0
    for source in sources:
        unit = source.read_text()
        # What a file begins with is the same in all.
        text = text or unit[: KERNEL.search(unit).start()]
        heads = KERNEL.findall(unit)
        text += "".join(heads)
        kernels += len(heads)
        if kernels >= WRITTEN:
            break
    target = DATA / "generated.cu"
    target.write_text(text)
    ptx, cubin = compiler.compile_for(target, 90)
    # Comments and blanks tell the reader nothing.
    lines = (line.strip() for line in re.sub(r"//.*", "", ptx).splitlines())
    target.with_suffix(".ptx").write_text("\n".join(line for line in lines if line) + "\n")
    target.with_suffix(".cubin").write_bytes(stripped(cubin))
    print(f"written: {kernels} kernels in {DATA.relative_to(REPOSITORY)}/generated.*")


def run(options):
    """Compiles and compares. Returns the exit status."""
    command = command_path()
    kernels = sorted((REPOSITORY / "kernels" / "cuda").glob("*.cu"))
    failed = False
    with tempfile.TemporaryDirectory(prefix="agreement-") as temporary, wheels_folder(options.wheels) as wheels:
        folder = pathlib.Path(temporary)
        compiler = Compiler(wheels)
        generated = generated_sources(folder)
        if options.write:
            write_sample(compiler, generated)
            return 0
        for what, sources in (("kernels", kernels), ("generated", generated)):
            for architecture in options.architectures:
                totals = {"source and PTX": 0, "source and cubin": 0, "PTX and cubin": 0}
                for source in sources:
                    if NEEDS.get(source.stem, 0) > architecture:
                        continue
                    ptx, cubin = folder / "image.ptx", folder / "image.cubin"
                    text, binary = compiler.compile_for(source, architecture)
                    ptx.write_text(text)
                    cubin.write_bytes(binary)
                    defines = ["-D", f"__CUDA_ARCH__={architecture}0"]
                    for pair, (left, right) in zip(totals, [(source, ptx), (source, cubin), (ptx, cubin)]):
                        agreeing, differences = differ(command, left, right, defines)
                        totals[pair] += agreeing
                        if differences:
                            failed = True
                            print(f"{source.name} for sm_{architecture}, {pair}:\n{differences}")
                print(f"{what} for sm_{architecture}: " + ", ".join(f"{pair} agree on {count}" for pair, count in totals.items()), flush=True)
    return 1 if failed else 0


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=pathlib.Path, metavar="DIR", help="keep the unpacked wheels in this folder")
    parser.add_argument("--architectures", type=int, nargs="+", default=ARCHITECTURES, metavar="NUMBER", help="75, 80, 90, 100 and 120 by default")
    parser.add_argument("--write", action="store_true", help="write the sample that a test reads, and compare nothing")
    try:
        return run(parser.parse_args())
    except Failure as failure:
        print(f"agreement: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
