#!/usr/bin/env bash
# Starts the daemon of each image in a folder: the other architecture's under qemu-user.
#   tests/release/images.sh FOLDER
set -euo pipefail
deploy/install.sh <(echo qemu-user)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for archive in "$1"/*.oci.tar; do
    rm -rf "${work:?}"/* && mkdir "$work/oci" "$work/root"
    tar -xf "$archive" -C "$work/oci"
    # The layers in order, and what the image is for and starts.
    python3 - "$work" <<'E2'
import json, pathlib, subprocess, sys
work = pathlib.Path(sys.argv[1])
blob = lambda digest: work / "oci/blobs" / digest.replace(":", "/")
[one] = json.loads((work / "oci/index.json").read_text())["manifests"]
manifest = json.loads(blob(one["digest"]).read_text())
for layer in manifest["layers"]:
    subprocess.run(["tar", "-xzf", blob(layer["digest"]), "-C", work / "root"], check=True)
config = json.loads(blob(manifest["config"]["digest"]).read_text())
assert config["config"]["User"] == "65532:65532" and "8080/tcp" in config["config"]["ExposedPorts"]
(work / "start").write_text("\n".join([config["architecture"], *config["config"]["Entrypoint"]]))
E2
    { read -r arch && read -r program; } < <(cat "$work/start" && echo)
    case $archive in *"-$arch.oci.tar") ;; *) echo "$archive is for $arch" && exit 1 ;; esac
    run=(chroot "$work/root" "$program")
    if [ "$arch" != "$(dpkg --print-architecture)" ]; then run=("qemu-${arch/arm64/aarch64}" -L "$work/root" "$work/root$program"); fi
    mkfifo "$work/pipe"
    "${run[@]}" --listen 127.0.0.1:0 >"$work/pipe" 2>"$work/log" &
    daemon=$!
    read -r line <"$work/pipe"
    told=$(curl -sf --json '{"a": {"type": "point"}, "b": {"type": "point", "position": [3, 4]}}' "${line##* }v1/distance")
    kill "$daemon"
    wait "$daemon"
    case $told in *'"distance":5'*) echo "release: the image for $arch answers" ;; *) echo "$told" && exit 1 ;; esac
done
