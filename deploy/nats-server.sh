#!/usr/bin/env bash
# Prints the path of a nats-server of 2.10 or later: NATS_SERVER, else the installed one, else, where
# that is older (Debian 12 has 2.9), one of a later Debian that runs here. It is fetched once, by apt from
# the mirror that the machine's own sources name, into build/nats-server; nothing is installed.
#   deploy/nats-server.sh
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin
folder=$PWD/build/nats-server
# The newest first: 2.10.27, that of Debian 13, may lose writes when all its servers are killed at once.
suites=(forky trixie)

is_new_enough() {
    local version
    [ -x "$1" ] || return 1
    version=$("$1" --version 2>/dev/null | sed -n 's/^nats-server: v\([0-9.]*\).*/\1/p')
    [ -n "$version" ] && printf '2.10\n%s\n' "$version" | sort -VC
}

# fetch SUITE: puts the server of that Debian into the folder, if it runs here.
fetch() {
    local suite=$1 apt
    rm -rf "$folder/new"
    mkdir -p "$folder"/{lists/partial,cache/archives/partial,parts}
    cat >"$folder/parts/one.sources" <<SOURCE
Types: deb
URIs: $mirror
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCE
    apt=(-qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/parts" -o "Dir::State::Lists=$folder/lists"
        -o "Dir::Cache=$folder/cache" -o "APT::Sandbox::User=$(id -un)")
    echo "fetching nats-server of Debian's $suite"
    apt-get "${apt[@]}" update &&
        (cd "$folder" && apt-get "${apt[@]}" download "nats-server/$suite" && dpkg-deb -x nats-server_*.deb new) &&
        is_new_enough "$folder/new/usr/sbin/nats-server" &&
        mv "$folder/new/usr" "$folder/usr" # at once: others look without the lock
}

for server in ${NATS_SERVER:+"$NATS_SERVER"} "$(command -v nats-server || true)" "$folder/usr/sbin/nats-server"; do
    if is_new_enough "$server"; then
        echo "$server"
        exit
    fi
done

# shellcheck disable=SC2016 # apt fills it in
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $(. /etc/os-release && echo "$VERSION_CODENAME")" 2>/dev/null | head -n 1)
[ -n "$mirror" ] || {
    echo "deploy/nats-server.sh: install nats-server 2.10 or later, or set NATS_SERVER to one" >&2
    exit 1
}
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9 # tests ask for it beside each other
if is_new_enough "$folder/usr/sbin/nats-server"; then
    echo "$folder/usr/sbin/nats-server"
    exit
fi
for suite in "${suites[@]}"; do
    fetch "$suite" >&2 && break
done
rm -rf "$folder"/{lists,cache,parts,new} "$folder"/*.deb
is_new_enough "$folder/usr/sbin/nats-server"
echo "$folder/usr/sbin/nats-server"
