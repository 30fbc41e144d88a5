#!/usr/bin/env bash
# A whole cluster on one machine, to try: three servers of the engine, three gjkd and HAProxy, on
# 127.0.0.1 to .3, in the foreground (Ctrl-C ends them). What dies is started again after a second, as an
# orchestrator would, unless there is a file NAME.down. Sets are kept in build/cluster from one run to the next.
#   deploy/run.sh --cluster [FLAGS OF gjkd...]      CLUSTER_PORT: the first of six ports, 8080
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin # where Debian puts haproxy and nats-server, and a user does not look

front=${CLUSTER_PORT:-8080}
node=$((front + 1)) client=$((front + 2)) route=$((front + 3)) monitor=$((front + 4)) stats=$((front + 5))
folder=${CLUSTER_FOLDER:-build/cluster}
gjkd=${GJKD_BINARY:-build/release/server/gjkd}
unset GJKD_BINARY
nats=$(deploy/nats-server.sh)
mkdir -p "$folder"
folder=$(realpath "$folder")

fail() {
    echo "deploy/cluster.sh: $*" >&2
    exit 1
}

exec 9>"$folder/lock"
flock -n 9 || fail "another cluster runs in $folder; end it, or set CLUSTER_FOLDER and CLUSTER_PORT"
# A process that listens there already would answer instead of the one that is started here.
for host in 127.0.0.1 127.0.0.2 127.0.0.3; do
    for ((port = front; port <= stats; port++)); do
        if (: <>"/dev/tcp/$host/$port") 2>/dev/null; then
            fail "something listens on $host:$port already; end it, or set CLUSTER_PORT to the first of six free ports"
        fi
    done
done
rm -f "$folder"/*.down

# each BEFORE AFTER: the three machines' addresses between the two, with commas.
each() {
    printf '%s127.0.0.1%s,%s127.0.0.2%s,%s127.0.0.3%s' "$1" "$2" "$1" "$2" "$1" "$2"
}

# keep NAME COMMAND...: runs it again and again, but not while there is a file NAME.down; its process id is in
# NAME.pid, what it says in NAME.log.
keep() {
    local name=$1 child=
    shift
    # Ctrl-C and a terminal that is closed go to all of a terminal's processes at once; "end" has an order.
    trap '' INT HUP
    trap '[ -z "$child" ] || kill "$child" 2>/dev/null; wait; exit' TERM
    while true; do
        while [ -e "$folder/$name.down" ]; do sleep 0.2; done
        setsid "$@" >>"$folder/$name.log" 2>&1 </dev/null 9>&- &
        child=$!
        echo "$child" >"$folder/$name.pid"
        wait "$child" || true
        child=
        sleep 1
    done
}

keepers=()
begin() {
    keep "$@" &
    keepers+=($!)
}

# gjkd first, while it can still leave the cluster in order.
end() {
    local keeper
    trap - EXIT HUP INT TERM
    for keeper in "${keepers[@]:3}" "${keepers[@]::3}"; do
        kill "$keeper" 2>/dev/null || true
        wait "$keeper" || true
    done
}
trap end EXIT
trap 'exit 0' HUP INT TERM

# ready URL: waits until it answers with success.
ready() {
    local left
    for ((left = 600; left > 0; left--)); do
        if curl -sf -o /dev/null --max-time 2 "$1"; then return; fi
        sleep 0.1
    done
    fail "$1 does not answer; see $folder/*.log"
}

for i in 1 2 3; do
    cat >"$folder/nats-$i.conf" <<CONF
http: 127.0.0.$i:$monitor
jetstream { store_dir: "$folder/nats-$i", sync_interval: always }
cluster { pool_size: -1 } # as in nats/nats.conf
CONF
    begin "nats-$i" "$nats" -c "$folder/nats-$i.conf" --name "nats-$i" -a "127.0.0.$i" -p "$client" \
        --cluster_name gjkd --cluster "nats://127.0.0.$i:$route" --routes "$(each nats:// ":$route")"
    # One after the other: two that call each other at once may both hang up.
    ready "http://127.0.0.$i:$monitor/varz"
done
for i in 1 2 3; do ready "http://127.0.0.$i:$monitor/healthz"; done
init=(--cluster-init) # of one node, which makes the log
for i in 1 2 3; do
    begin "gjkd-$i" "$gjkd" --listen "127.0.0.$i:$node" --cluster try --node "gjkd-$i" \
        "${init[@]}" --nats "$(each nats:// ":$client")" --trusted-proxy 127.0.0.0/8 "$@"
    init=()
done
for i in 1 2 3; do ready "http://127.0.0.$i:$node/readyz"; done
export GJKD_FRONT=127.0.0.1:$front GJKD_STATS=127.0.0.1:$stats
for i in 1 2 3; do export "GJKD_SERVER_$i=127.0.0.$i:$node"; done
begin haproxy haproxy -db -f deploy/haproxy/cluster.cfg
ready "http://127.0.0.1:$front/readyz"

cat <<TEXT
a cluster listening on http://127.0.0.1:$front/, its nodes on $(each http:// ":$node/")

Try, in another terminal:

  # write through any node, and read it from another
  curl -s -X PUT http://127.0.0.1:$node/v1/sets/yard -H 'Content-Type: application/json' -d '{"dimension": 2, "shapes": {"crate": {"type": "box", "half_extents": [1, 1]}}}'
  curl -s http://127.0.0.3:$node/v1/sets/yard

  # a node dies, and is back after a second; nothing is lost, and nobody is refused meanwhile
  kill -9 "\$(cat $folder/gjkd-2.pid)"
  curl -s http://127.0.0.1:$front/v1/sets/yard

  # an upgrade: it drains, and its successor is what now stands in $gjkd
  kill "\$(cat $folder/gjkd-3.pid)"

  # a server of NATS is away until the file is gone; the others go on, and with two away reads do
  touch $folder/nats-1.down; kill -9 "\$(cat $folder/nats-1.pid)"
  rm $folder/nats-1.down

TEXT
wait
