#!/usr/bin/env bash
# Prints the version of gjkd, which CMakeLists.txt alone decides.
#   deploy/version.sh
set -euo pipefail
sed -n 's/^project(gjkd VERSION \([0-9.]*\).*/\1/p' "$(dirname "$0")/../CMakeLists.txt" | grep .
