#!/usr/bin/env bash
# Does deploy/run.sh bring a daemon up whose printed lines work as they stand, and
# does it end as it should?
set -euo pipefail
cd "$(dirname "$0")/../.."

out=$(mktemp)
deploy/run.sh --listen 127.0.0.1:0 >"$out" &
pid=$!
trap 'kill -9 "$pid" 2>/dev/null || true; rm -f "$out"' EXIT

for _ in $(seq 600); do
    [ "$(grep -c 'curl -s' "$out" || true)" -lt 3 ] || break
    kill -0 "$pid" || exit 1
    sleep 0.5
done
grep -qxE 'gjkd listening on http://127\.0\.0\.1:[0-9]+/' "$out"
mapfile -t lines < <(grep -E '^ +curl -s ' "$out")
[ ${#lines[@]} -eq 3 ]

# Each answers 200, and what the line above it asks: a hit, a distance, a ray's target.
wanted=('"colliding": ?true' '"state": ?"separated"' '"hits": ?\[\{"id"')
for i in 0 1 2; do
    answer=$(bash -c "${lines[$i]} --fail")
    echo "$answer"
    grep -Eq "${wanted[$i]}" <<<"$answer"
done

kill -TERM "$pid"
wait "$pid"
echo "deploy/run.sh: up, answering, down"
