#!/usr/bin/env python3
"""Writes signature/tests/data/structs.cu: random structs, each with the layout that nvcc gives it.

Members of all kinds, arrays, bit-fields, enumerations, nested and derived structs, default initialisers, `alignas`,
attributes and `#pragma pack`, made from a fixed seed. The compiler is nvcc 13.0 for sm_90: the sizes, alignments and
offsets are those of device code, which the parameters of a kernel have. A test reads the file and compares, and needs
no compiler.

To run it, pip and g++ are needed, and neither a GPU nor a toolkit: nvcc is NVIDIA's wheels on PyPI, in the exact versions
below, unpacked into the folder that --wheels names, once, or into a temporary one that is removed again (about 200 MB).
g++ is what nvcc preprocesses with. Its own layouts are compared too, and those that differ from nvcc's are printed.

  scripts/layouts.py                         write the file
  scripts/layouts.py --wheels ~/.cache/nvcc --count 2000 --seed 5 --to /tmp/more.cu
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from compile_kernels import REPOSITORY, Failure

WHEELS = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
]
OUTPUT = REPOSITORY / "signature" / "tests" / "data" / "structs.cu"

HEAD = """\
// Made by scripts/layouts.py. Above each struct stand its size, its alignment, and the offsets of its members.
#include <cstddef>
#include <cstdint>

constexpr int K = 3;
constexpr int square(int x) { return x * x; }
enum Plain { P0, P1 = 5, P2 };
enum class Scoped : unsigned char { A, B };
enum Negative { N0 = -1, N1 };
enum Wide { W0 = 0xFFFFFFFFu, W1 };
enum Mixed { X0 = 0x7fffffff, X1, X2 = -1 };
enum __attribute__((packed)) Small { S0 = 255, S1 };
enum Sized : uint64_t { Z0 };
template <typename T, int N> struct Vec { T data[N]; int len; };
template <typename A, typename B = char> struct Pair { A first; B second; };
using Row = float[K + 1];
typedef short Half;
typedef struct { int q; char w; } Anonymous;
namespace ns { struct In { double d; char c; }; enum { X = 4 }; }
struct Empty {};
"""

PRIMITIVES = """char,signed char,unsigned char,short,unsigned short,int,unsigned,long,unsigned long long,float,double,bool,int8_t,
uint16_t,uint32_t,int64_t,size_t,long int unsigned,volatile float""".replace("\n", "").split(",")
NAMED = """Plain,Scoped,Negative,Wide,Mixed,Small,Sized,Half,Anonymous,ns::In,::ns::In,struct ns::In,enum Plain,Row,void*,
const char*,int*,std::uint8_t,Empty""".replace("\n", "").split(",")
NAMED += ["Vec<float, 3>", "Vec<char, (K)>", "Pair<int>", "Pair<short, double>", "Pair<Vec<int, 2>, char>"]
LENGTHS = """2;3;K;K+1;(K);(K + 1) * 2;sizeof(int);square(2);K > 2 ? 4 : 1;1 << 2;P1;ns::X;0x3;2*K-1;(int)2;alignof(double);
'\\x02';K == 3 ? (2) : 1;10'0 / 50;~0u >> 30;static_cast<int>(3);int(2)""".replace("\n", "").split(";")
BIT_TYPES = [("int", 32), ("unsigned", 32), ("char", 8), ("short", 16), ("unsigned long long", 64), ("bool", 1)]
BIT_TYPES += [("unsigned char", 8), ("long", 64), ("Plain", 32)]


class Structs:
    """The structs made so far, and the random numbers they are made of."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        # Of each struct: its name, its text, and the members whose offsets are asked for.
        self.all = []
        self.bases = ["Empty", "ns::In"]

    def one_of(self, *choices):
        return self.random.choice(choices)

    def type(self):
        kind = self.random.random()
        if kind < 0.5:
            return self.random.choice(PRIMITIVES)
        if kind < 0.7 and self.all:
            return self.random.choice(self.all)[0]
        return self.random.choice(NAMED)

    def member(self, name):
        """The text of a member, and whether `name` is at an offset of its own."""
        length = lambda: self.random.choice(LENGTHS)
        scalar = lambda: self.one_of("int", "float", "char", "double")
        bits, most = self.random.choice(BIT_TYPES)
        width = self.random.randint(1, most)
        kinds = [
            (30, lambda: (f"{self.type()} {name};", True)),
            (12, lambda: (f"{self.type()} {name}[{length()}];", True)),
            (3, lambda: (f"{self.type()} {name}[{length()}][{length()}];", True)),
            (4, lambda: (f"{scalar()} {name}, *{name}b, {name}c[{length()}];", True)),
            (2, lambda: (f"void (*{name})(int, float);", True)),
            (2, lambda: (f"short (*{name}[{length()}])(int);", True)),
            (1, lambda: (f"int ({name})[{length()}];", True)),
            (5, lambda: (f"alignas({self.one_of(8, 16, 32)}) {scalar()} {name};", True)),
            (2, lambda: (f"{scalar()} {name} __attribute__((aligned({self.one_of(8, 16)})));", True)),
            (1, lambda: (f"[[gnu::aligned(16)]] {scalar()} {name}[{length()}];", True)),
            (3, lambda: (f"__attribute__((packed)) {scalar()} {name};", True)),
            (2, lambda: (f"union {{ int {name}a; char {name}b[{length()}]; }};", False)),
            (2, lambda: (f"struct {{ int {name}a; char {name}b[{length()}]; }} {name};", True)),
            (1, lambda: (f"union {{ double {name}a; float {name}b[{length()}]; }} {name};", True)),
            (2, lambda: (f"static const int {name} = {length()};", False)),
            (2, lambda: (f"__host__ __device__ int {name}() const {{ return (1); }}", False)),
            (1, lambda: (f"enum {{ {name}x = {length()} }}; int {name}[{name}x];", True)),
            (4, lambda: (f"{scalar()} {name} = {self.one_of('1', '(2)', '1 < 2 ? 3 : 4')};", True)),
            (2, lambda: (f"using {name}t = {self.one_of('int', 'double', 'float[2]')}; {name}t {name};", True)),
            (2, lambda: (f"struct {name}S {{ char x; short y; }}; {name}S {name}[{length()}];", True)),
            (22, lambda: (f"{bits} {name} : {width};", False)),
            (3, lambda: (f"{bits} : {self.one_of(0, width)};", False)),
        ]
        return self.random.choices([make for _, make in kinds], [weight for weight, _ in kinds])[0]()

    def add(self):
        name = f"T{len(self.all)}"
        keyword = self.one_of("struct", "struct", "struct", "struct", "struct", "struct", "class", "union")
        before, behind = "", ""
        attribute = self.one_of(*[""] * 8, "alignas(16) ", "__attribute__((packed)) ", "[[gnu::packed]] ")
        tail = self.one_of(*[""] * 12, " __attribute__((packed))", " __attribute__((aligned(32)))")
        if self.random.random() < 0.2:
            before = f"#pragma pack(push, {self.one_of(1, 2, 4, 8)})\n"
            behind = "\n#pragma pack(pop)"
        texts, asked, base = [], [], ""
        if keyword == "union":
            for index in range(self.random.randint(1, 4)):
                kind = self.one_of("int", "char", "double", "Anonymous", "Half", "Wide")
                texts.append(f"{kind} m{index}{self.one_of('', f'[{self.random.choice(LENGTHS)}]')};")
                asked.append(f"m{index}")
        else:
            for index in range(self.random.randint(1, 5)):
                text, is_asked = self.member(f"m{index}")
                texts.append(text)
                asked += [f"m{index}"] * is_asked
            if self.random.random() < 0.2:
                several = dict.fromkeys(self.random.choices(self.bases, k=self.one_of(1, 1, 1, 2)))
                base = " : " + ", ".join(f"public {name}" for name in several)
            if self.random.random() < 0.08:
                texts.insert(0, f"__host__ __device__ {name}() {{}}")
            if self.random.random() < 0.08:
                texts.append(f"private: {self.one_of('int', 'char')} hidden;")
            if self.random.random() < 0.06:
                texts.insert(0, "__device__ virtual void function() {}")
            self.bases.append(name)
        if keyword == "class":
            texts.insert(0, "public:")
        text = f"{before}{keyword} {attribute}{name}{base} {{ {' '.join(texts)} }}{tail};{behind}"
        self.all.append((name, text, asked))

    def source(self):
        return HEAD + "".join(text + "\n" for _, text, _ in self.all)

    def questions(self):
        """The array of all sizes, alignments and offsets, as an initialiser."""
        values = []
        for name, _, asked in self.all:
            values += [f"sizeof({name})", f"alignof({name})"]
            values += [f"__builtin_offsetof({name}, {member})" for member in asked]
        return "{" + ", ".join(values) + "}"

    def written(self, answers):
        """The file, with the answers above the structs."""
        answers = iter(answers)
        text = HEAD
        for name, own, asked in self.all:
            layout = f"{next(answers)} {next(answers)}"
            offsets = "".join(f" {member} {next(answers)}" for member in asked)
            text += f"\n// {name} {layout}{offsets}\n{own}\n__global__ void k_{name}({name} s);\n"
        return text


def run(command):
    """What a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{command[0]} failed:\n{done.stdout[:3000]}{done.stderr[:3000]}")
    return done.stdout


def of_nvcc(structs, wheels, folder):
    """The answers of nvcc, from the PTX of an array."""
    found = sorted(wheels.rglob("bin/nvcc"))
    if not found:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        run([*pip, "--upgrade", "--target", wheels, *WHEELS])
        found = sorted(wheels.rglob("bin/nvcc"))
    source, ptx = folder / "structs.cu", folder / "structs.ptx"
    source.write_text(f"{structs.source()}__device__ unsigned long long answers[] = {structs.questions()};\n")
    run([found[0], "-std=c++17", "-w", "-ptx", "-arch=sm_90", "-o", ptx, source])
    bits, count, written = re.search(r"\.b(\d+) answers\[(\d+)\] = \{([^}]*)\}", ptx.read_text()).groups()
    values = [int(value) for value in written.split(",")]
    values += [0] * (int(count) - len(values))
    if bits == "64":
        return values
    return [int.from_bytes(bytes(values[at : at + 8]), "little") for at in range(0, len(values), 8)]


def of_gpp(structs, folder):
    """The answers of g++, from a program that prints them."""
    source, program = folder / "structs.cpp", folder / "structs"
    source.write_text(
        "#define __host__\n#define __device__\n"
        f"{structs.source()}#include <cstdio>\nunsigned long long answers[] = {structs.questions()};\n"
        'int main() { for (auto answer : answers) std::printf("%llu\\n", answer); }\n'
    )
    run(["g++", "-std=c++17", "-w", "-o", program, source])
    return [int(value) for value in run([program]).split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=pathlib.Path, help="folder where nvcc is unpacked and kept")
    parser.add_argument("--count", type=int, default=300, help="how many structs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=pathlib.Path, default=OUTPUT, help="the file to write")
    options = parser.parse_args()
    structs = Structs(options.seed)
    for _ in range(options.count):
        structs.add()
    with tempfile.TemporaryDirectory(prefix="layouts-") as temporary:
        folder = pathlib.Path(temporary)
        answers = of_nvcc(structs, options.wheels or folder / "wheels", folder)
        host = of_gpp(structs, folder)
    at, differing = 0, 0
    for name, text, asked in structs.all:
        own = slice(at, at + 2 + len(asked))
        at = own.stop
        if answers[own] != host[own]:
            differing += 1
            print(f"g++ {host[own][:2]}, nvcc {answers[own][:2]}: {text}")
    options.to.write_text(structs.written(answers))
    print(f"{options.count} structs; g++ lays out {differing} of them otherwise than nvcc")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
