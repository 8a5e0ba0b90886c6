#!/usr/bin/env bash
# Instructions of one launch over the backend that does nothing, counted by valgrind: the difference between 3,000
# and 1,000 calls, over 2,000. Needs valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=$(cargo bench --bench launch_cost --no-run --message-format=json 2>/dev/null |
    python3 -c 'import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and message["target"]["name"] == "launch_cost":
        print(message["executable"])')

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" --only "$1" "$2" 2>&1 |
        awk '/Collected/ {print $4}'
}

for way in "by hand" "generated" "KernelLaunch" "Vec builder"; do
    few=$(count "$way" 1000)
    many=$(count "$way" 3000)
    printf '%-14s %6d instructions a launch\n' "$way" $(((many - few) / 2000))
done
