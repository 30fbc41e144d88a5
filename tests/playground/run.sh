#!/usr/bin/env bash
# Drives the playground as a person would, with Debian's Chromium, and checks its types. The tools
# come from npm and stay below build/.
#   tests/playground/run.sh GJKD [ARGUMENTS OF node --test]
set -euo pipefail
GJKD_BINARY=$(realpath "$1")
export GJKD_BINARY
shift
cd "$(dirname "$0")/../.."
root=$PWD

mkdir -p build/playground
cp tests/playground/*.json tests/playground/*.mjs build/playground
cd build/playground
stamp=node_modules/.gjkd-lock
if ! cmp -s package-lock.json $stamp; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json $stamp
fi
rm -rf sources
ln -s "$root/server/playground" sources
npx --no-install tsc --project tsconfig.json
node --test --test-concurrency=1 --test-force-exit "$@" ./*.test.mjs
