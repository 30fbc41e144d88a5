#!/usr/bin/env bash
# Is the description of the interface well made? The tools come from npm and stay below build/.
#   tests/clients/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

work=build/clients
mkdir -p $work
cp tests/clients/package.json tests/clients/package-lock.json tests/clients/redocly.yaml $work
cd $work
stamp=node_modules/.gjkd-lock
if ! cmp -s package-lock.json $stamp; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json $stamp
fi
npx --no-install redocly lint --config redocly.yaml ../../server/openapi.json
