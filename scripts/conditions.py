#!/usr/bin/env python3
"""Writes random conditions of `#if` with what g++ makes of them to signature/tests/data/conditions.txt.

A test compares them with the reader's preprocessor, so g++ is needed to write them anew and for nothing else. The same
g++ writes the same file. It was made with g++ 12.2 for x86-64.

Each line has an answer, a tab and a condition. The answer is the branch that `g++ -E -std=c++17` takes, `yes` or `no`;
with a `?` behind it where `-pedantic-errors` would make it refuse, as for an overflow; and `refused` where it takes none.

No count of a shift is negative or too large: C++ leaves that undefined, and g++ says nothing of it.

  scripts/conditions.py
"""

import pathlib
import random
import subprocess
import sys

TARGET = pathlib.Path(__file__).resolve().parent.parent / "signature" / "tests" / "data" / "conditions.txt"
SEED = 1
# How many there are of each answer, the two branches together.
COUNTS = {"branch": 400, "complaint": 80, "refused": 30}
LONGEST = 64
COMMAND = ["g++", "-E", "-P", "-x", "c++", "-std=c++17", "-"]

SMALL = ["0", "1", "2", "3", "7", "10", "31", "32", "63", "64", "255", "256", "010", "0b101", "1'000", "true", "false"]
LARGE = [
    "65535", "65536", "0xff", "0xffff", "0x7fffffff", "0x80000000", "0xFFFFFFFF", "2147483647", "2147483648",
    "4294967295", "4294967296", "0x7fffffffffffffff", "9223372036854775807", "9223372036854775808",
    "0x8000000000000000", "0xffffffffffffffff", "9223372036854775807", "4611686018427387904",
]
SUFFIXED = [
    "0u", "1u", "1U", "2ul", "3LL", "5ull", "7uLL", "1L", "31u", "0xFFFFFFFFu", "0x80000000u", "4294967295u",
    "9223372036854775807ll", "0x8000000000000000ULL", "18446744073709551615ull",
]
CHARACTERS = [
    "'a'", "'0'", r"'\n'", r"'\0'", r"'\''", r"'\\'", r"'\x41'", r"'\x7f'", r"'\x80'", r"'\xff'", r"'\377'", r"'\101'",
    "'ab'", "'abc'", "'abcd'", r"'a\n'", r"'\1234'", "L'a'", r"L'\xff'", "u8'a'",
]
NAMES = ["UNDEFINED", "int", "defined(UNDEFINED)", "defined __cplusplus", "not 0", "compl 0"]
# What no compiler takes.
BROKEN = ["1.5", "08", "1x", "\"a\"", "UNDEFINED(1)", "a::b", "()", "", "1 2", "(1", "= 1", "sizeof(int)", "(int)1"]
COUNTS_OF_SHIFTS = ["0", "1", "2", "7", "15", "16", "31", "32", "33", "62", "63", "1u", "31ull", "(30 + 1)"]
ARITHMETIC = ["+", "-", "*", "/", "%", "&", "|", "^", "bitand", "bitor", "xor"]
COMPARING = ["<", ">", "<=", ">=", "==", "!=", "not_eq"]
JOINING = ["&&", "||", "and", "or"]


def operand(random_, is_broken):
    if is_broken and random_.random() < 0.3:
        return random_.choice([*BROKEN, f"{random_.choice(SMALL)} {random_.choice('/%')} 0"])
    kinds = [SMALL, SMALL, LARGE, LARGE, SUFFIXED, SUFFIXED, CHARACTERS, NAMES]
    return random_.choice(random_.choice(kinds))


def expression(random_, depth, is_broken):
    """An expression, with and without parentheses around its parts."""
    kind = random_.random()
    if depth == 0 or kind < 0.1:
        return operand(random_, is_broken)
    inner = lambda: expression(random_, random_.randrange(depth), is_broken)
    if kind < 0.25:
        return f"({random_.choice('-~!+')} {inner()})"
    if kind < 0.4:
        return f"({inner()} {random_.choice(['<<', '>>'])} {random_.choice(COUNTS_OF_SHIFTS)})"
    if kind < 0.5:
        return f"({inner()} ? {inner()} : {inner()})"
    # Without parentheses, the strength of the operators counts.
    left, right = (inner() for _ in range(2))
    text = f"{left} {random_.choice(random_.choice([ARITHMETIC, ARITHMETIC, COMPARING, JOINING]))} {right}"
    return text if random_.random() < 0.4 else f"({text})"


def condition(random_, is_broken):
    left, right = (expression(random_, random_.randrange(4), is_broken) for _ in range(2))
    return left if random_.random() < 0.2 else f"{left} {random_.choice(COMPARING)} {right}"


def branch(text, *options):
    """The branch that g++ takes, or `None` if it refuses."""
    source = f"#if {text}\nyes\n#else\nno\n#endif\n"
    result = subprocess.run([*COMMAND, *options], input=source, capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else None


def answer(text):
    """The kind of the answer, and the answer."""
    plain = branch(text)
    if plain is None:
        return "refused", "refused"
    strict = branch(text, "-pedantic-errors")
    return ("complaint", f"{plain}?") if strict is None else ("branch", plain)


def main():
    random_ = random.Random(SEED)
    left, lines, seen = dict(COUNTS), [], set()
    while any(left.values()):
        text = condition(random_, left["refused"] > 0 and random_.random() < 0.1)
        if len(text) > LONGEST or text in seen:
            continue
        seen.add(text)
        kind, found = answer(text)
        if left[kind] > 0:
            left[kind] -= 1
            lines.append(f"{found}\t{text}\n")
    TARGET.write_text("".join(lines))
    print(f"written: {len(lines)} conditions in {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
