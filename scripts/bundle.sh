#!/usr/bin/env bash
# Builds the tests, the examples and the benchmarks, stripped, into a folder that runs on a GPU host without Rust.
#
#   scripts/bundle.sh [FOLDER]      the folder is `bundle` in this checkout unless named; one that is there must be a bundle
#
# There, `FOLDER/run` runs every test binary and prints a table; `FOLDER/run NAME…` runs those named. Tests that need the compiler or
# the files of this checkout are left out. Needs python3.
set -euo pipefail
checkout=$(cd "$(dirname "$0")/.." && pwd)
folder=$(realpath -m "${1:-$checkout/bundle}")
cd "$checkout"

if [ -e "$folder" ] && [ ! -x "$folder/run" ] && [ -n "$(ls -A "$folder")" ]; then
    echo "$folder is there and is no bundle; name another folder, or remove it" >&2
    exit 1
fi
rm -rf "$folder"
mkdir -p "$folder/tests" "$folder/examples" "$folder/benches"

# Prints `KIND NAME EXECUTABLE` for each binary that cargo built. A test is named after its package and itself.
binaries() {
    python3 -c '
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable"):
        kind, name = message["target"]["kind"][0], message["target"]["name"]
        package = message["manifest_path"].split("/")[-2]
        print(kind, name if kind in ("example", "bench") else f"{package}-{name}", message["executable"])
'
}

export CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_BENCH_DEBUG=false CARGO_PROFILE_BENCH_STRIP=symbols
{
    cargo test --workspace --release --tests --no-run --message-format=json | binaries
    cargo build -p warpcall-examples --release --examples --features cudarc-interop --message-format=json | binaries
    cargo bench --workspace --benches --no-run --message-format=json | binaries
} | sort -u | while read -r kind name executable; do
    case "$kind:$name" in
    bin:* | *compile_fail* | *:macros-* | *:cli-* | *:signature-* | *:kernels-ptx | *:tests-ptx) ;;
    example:*) cp "$executable" "$folder/examples/$name" ;;
    bench:*) cp "$executable" "$folder/benches/$name" ;;
    *) cp "$executable" "$folder/tests/$name" ;;
    esac
done

cat >"$folder/run" <<'RUN'
#!/usr/bin/env bash
# Runs the tests of this bundle, or those named, and prints a table. WARPCALL_REQUIRE_CUDA=1 makes a missing GPU a failure.
cd "$(dirname "$0")" || exit
names=("$@")
[ ${#names[@]} -gt 0 ] || names=($(cd tests && ls))
failed=0
broken=()
mkdir -p logs
for name in "${names[@]}"; do
    if [ ! -x "tests/$name" ]; then
        echo "no test $name; there are: $(cd tests && echo *)"
        failed=1
    elif "tests/$name" >"logs/$name.log" 2>&1; then
        printf '%-7s %-40s %s\n' ok "$name" "$(grep -E '^test result' "logs/$name.log" | tail -n 1)"
    else
        printf '%-7s %-40s exit status %s\n' FAILED "$name" $?
        failed=1
        broken+=("$name")
    fi
done
for name in "${broken[@]}"; do
    echo "--- $name"
    tail -n 60 "logs/$name.log"
done
exit $failed
RUN
chmod +x "$folder/run"
du -sh "$folder"
