#!/bin/sh
# Prints a page of the documents as HTML.
#   page.sh NAME FILE.md
# Links to documents that are pages, too, lead there; those to other files of the checkout become text, and pictures go.
set -eu
name=$1 file=$2
title=$(sed -n '1s/^# *//p' "$file")
cat <<EOF
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<nav aria-label="Documents"><a href="/">Playground</a> <a href="/docs/">gjkd</a> <a href="/docs/guide">Guide</a> <a href="/docs/api">API</a>
<a href="/docs/typescript">TypeScript</a> <a href="/docs/python">Python</a> <a href="/docs/go">Go</a> <a href="/docs/core">Library</a> <a href="/docs/operations">Operations</a> <a href="/docs/inside">Inside</a></nav>
<main id="$name">
EOF
lowdown --parse-no-metadata --out-no-smarty -t html "$file" | sed -E '
    s/&#47;/\//g
    s/href="[^"]*clients\/(python|go|typescript)\/README\.md/href="\/docs\/\1/g
    s/href="[^"]*proto\/README\.md/href="\/docs\/guide/g
    s/href="[^"]*core\/README\.md/href="\/docs\/core/g
    s/href="[^"]*server\/README\.md/href="\/docs\/inside/g
    s/href="[^"]*OPERATIONS\.md/href="\/docs\/operations/g
    s/href="[^"]*gjkd\.proto"/href="\/gjkd.proto"/g
    s/href="(\.\.\/)*README\.md/href="\/docs\//g
    s/<a href="[^#\/h][^"]*">([^<]*|<code>[^<]*<\/code>)<\/a>/\1/g
    s/<img [^>]*>//g
    s/<table>/<div class="wide"><table>/; s/<\/table>/<\/table><\/div>/'
echo '</main></body></html>'
