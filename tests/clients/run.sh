#!/usr/bin/env bash
# Is the description of the interface well made, and can a program rely on it? Lints it, makes
# typed clients from it and from gjkd.proto, and has them do the main job. The tools come from npm
# and stay below build/.
#   tests/clients/run.sh GJKD
set -euo pipefail
gjkd=$(realpath "$1")
cd "$(dirname "$0")/../.."
root=$PWD
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

mkdir -p build/clients
cp tests/clients/*.json tests/clients/*.yaml tests/clients/*.ts build/clients
cd build/clients
stamp=node_modules/.gjkd-lock
if ! cmp -s package-lock.json $stamp; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json $stamp
fi
tool() { npx --no-install "$@"; }
brotli_size() { node -p 'zlib.brotliCompressSync(fs.readFileSync(process.argv[1])).length' "$1"; }

tool redocly lint --config redocly.yaml "$root/server/openapi.json"

tool openapi-typescript "$root/server/openapi.json" --output openapi.d.ts
rm -rf typescript && cp -r "$root/proto/clients/typescript" .
(
    cd typescript
    node generate.mjs "$root"
    tool tsc
)
mkdir -p node_modules/@gjkd
ln -sfn ../../typescript node_modules/@gjkd/client
tool pbjs --target static-module --wrap es6 --no-comments --force-number --no-service \
    --out gjkd.js "$root/proto/gjkd.proto"
tool pbjs --target static-module --wrap es6 --force-number --no-service "$root/proto/gjkd.proto" |
    tool pbts --out gjkd.d.ts -
tool tsc --project tsconfig.json
cp gjkd.js out
tool tsc --noEmit --strict --lib es2022,dom "$root/proto/clients/core/core.d.ts"
rm -rf core && mkdir core
cp "$root"/proto/clients/core/{package.json,core.js,core.d.ts} core
cp "$(dirname "$gjkd")/playground/core.wasm" core 2>/dev/null || "$root/proto/clients/core/build.sh" "$PWD/core/core.wasm"
size_max=150000 # of the package, which a release on Debian 12 makes
# Later compilers copy structures that clang 14 passes number by number.
[[ $(clang --version) == *"version 14."* ]] || size_max=160000
[ "$(brotli_size core/core.wasm)" -le "$size_max" ]

# The Go package that gjkd.proto names can be a module.
package=$(sed -n 's/^option go_package = "\(.*\)";$/\1/p' "$root/proto/gjkd.proto")
rm -rf go && mkdir go
(
    cd go
    go mod init "${package%;*}" 2>/dev/null
    echo "package ${package#*;}" >gjkd.pb.go
    go build
)

pipe=$(mktemp -u)
mkfifo "$pipe"
body_max=1048576
"$gjkd" --listen 127.0.0.1:0 --max-body "$body_max" >"$pipe" &
daemon=$!
trap 'kill "$daemon" 2>/dev/null; rm -f "$pipe"' EXIT
read -r line <"$pipe"
address=${line##* }
node out/naive.js "${address%/}"
node out/main_job.js "${address%/}"
node out/stream.js "${address%/}" "$body_max"
node out/typescript.js "$gjkd"
node "$root/tests/clients/core.mjs" "$gjkd" core
