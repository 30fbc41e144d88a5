#!/usr/bin/env bash
# Judges a mounted image of gjkd and its description. Runs in network and mount namespaces of its
# own.
#   check.sh MOUNT INSPECT.json
set -euo pipefail
mount=$1 inspect=$2
DRAIN_S=240 # for the slow requests that are in flight then, on a busy machine too
failed=0

# expect WHAT COMMAND...: says whether the command succeeds.
expect() {
    local what=$1
    shift
    if "$@"; then
        printf '  ok    %s\n' "$what"
    else
        printf '  FAIL  %s\n' "$what"
        failed=1
    fi
}
# Called through expect.
# shellcheck disable=SC2317
equals() {
    [ "$1" = "$2" ] || { printf '        %s\n     != %s\n' "$1" "$2" && return 1; }
}
# config EXPRESSION: a member of the image's own configuration, as Python sees it.
config() {
    python3 -c 'import json, sys
c = json.load(open(sys.argv[1]))["Docker"]["config"]
print(eval(sys.argv[2], {"c": c}))' "$inspect" "$1"
}

# Starts what the image would start, with its environment and user, and more settings.
mapfile -t environment < <(config '"\n".join(c["Env"])')
mapfile -t entry < <(config '"\n".join(c["Entrypoint"] + (c.get("Cmd") or []))')
user=$(config 'c["User"]')
in_image() {
    chroot --userspec="$user" "$mount" "$@"
}

ip link set lo up
# As read-only as a container's root can be.
mount --bind -o ro "$mount" "$mount"
mount -o remount,bind,ro "$mount"

expect "runs as a numeric user that is nobody" equals "$user" 65532:65532
expect "announces its port" equals "$(config 'sorted(c["ExposedPorts"])')" "['8080/tcp']"
expect "is stopped by SIGTERM" equals "$(config 'c["StopSignal"]')" SIGTERM
expect "health check is the binary itself" equals "$(config 'c["Healthcheck"]["Test"]')" \
    "['CMD', '/usr/bin/gjkd', '--health-check']"
expect "listens beyond loopback" equals \
    "$(config '[e for e in c["Env"] if e.startswith("GJKD_")]')" "['GJKD_LISTEN=0.0.0.0:8080']"
version=$(in_image "${entry[@]}" --version)
for label in title description version licenses; do
    expect "has the label $label" test -n \
        "$(config "c['Labels'].get('org.opencontainers.image.$label', '')")"
done
expect "is labelled with the version it has" equals \
    "gjkd $(config 'c["Labels"]["org.opencontainers.image.version"]')" "$version"
expect "is hardened" python3 -B tests/support/hardening.py "$mount/usr/bin/gjkd"
expect "has no shell" test ! -e "$mount/bin/sh"

refusal=$(env -i "${environment[@]}" chroot --userspec="$user" "$mount" "${entry[@]}" 2>&1) &&
    code=0 || code=$?
expect "does not start unprotected" test "$code" -ne 0
expect "says how it would start" grep -q GJKD_INSECURE <<<"$refusal"

out=$(mktemp)
env -i "${environment[@]}" GJKD_INSECURE=1 GJKD_DRAIN_TIMEOUT="${DRAIN_S}s" \
    GJKD_REQUEST_TIMEOUT="${DRAIN_S}s" \
    chroot --userspec="$user" "$mount" "${entry[@]}" >"$out" &
daemon=$!
trap 'kill -9 "$daemon" 2>/dev/null || true; rm -f "$out"' EXIT
for _ in $(seq 100); do
    [ ! -s "$out" ] || break
    sleep 0.1
done
expect "starts when told that it is protected" \
    grep -qx 'gjkd listening on http://0.0.0.0:8080/' "$out"
expect "runs as that user" equals "$(awk '/^[UG]id:/ {print $3}' "/proc/$daemon/status" | xargs)" \
    "65532 65532"
expect "is healthy" env -i "${environment[@]}" chroot --userspec="$user" "$mount" \
    "${entry[@]}" --health-check
expect "has no capabilities" equals \
    "$(awk '/^Cap(Prm|Eff|Amb):/ {print $2}' "/proc/$daemon/status" | sort -u)" 0000000000000000
expect "has gained no privilege and may make few system calls" equals \
    "$(awk '/^(NoNewPrivs|Seccomp):/ {print $2}' "/proc/$daemon/status" | xargs)" "1 2"
expect "runs on a read-only root" test ! -w "$mount/tmp"
expect "takes no doubtful framing" python3 -B tests/image/framing.py
expect "does the main job" python3 -B tests/image/job.py "$daemon" "$DRAIN_S"
kill -TERM "$daemon" 2>/dev/null || true # it has ended, unless the job went wrong
wait "$daemon" && code=0 || code=$?
expect "ends with 0 at SIGTERM" equals "$code" 0
env -i "${environment[@]}" chroot --userspec="$user" "$mount" "${entry[@]}" --health-check \
    >/dev/null 2>&1 && code=0 || code=$?
expect "is unhealthy when it is gone" test "$code" -ne 0
exit $failed
