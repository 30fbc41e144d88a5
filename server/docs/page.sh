#!/bin/sh
# Prints a page of /docs/ as HTML.
#   page.sh NAME DOCUMENT        from the checkout's root
# DOCUMENT is Markdown, or the inner HTML of a page that has the script /docs/NAME.js. `pages` lists the pages.
# Links to documents that are pages lead there; those to other files of the checkout become text.
set -eu
name=$1 document=$2
pages=server/docs/pages
folder=$(dirname "$document")

# Prints sed commands that turn links between documents into links between pages.
link_pages() {
    grep -v '^[#=]' $pages | while read -r page file _; do
        from=$(realpath -m --relative-to="$folder" "$file" | sed 's/[./]/\\&/g')
        if [ "$page" = index ]; then page=; fi
        printf 's/href="%s(["#])/href="\\/docs\\/%s\\1/g\n' "$from" "$page"
    done
    printf '%s\n' 's/href="[^"]*openapi\.json"/href="\/docs\/api"/g' 's/href="[^"]*gjkd\.proto"/href="\/gjkd.proto"/g'
}

if [ "${document%.html}" = "$document" ]; then
    title=$(sed -n '1s/^# *//p' "$document")
    body=$(lowdown --parse-no-metadata --out-no-smarty -t html "$document" | sed -E "
        s/&#47;/\\//g
        $(link_pages)
        s/<a href=\"[^#\\/h][^\"]*\">([^<]*|<code>[^<]*<\\/code>)<\\/a>/\\1/g
        s/<table>/<div class=\"wide\" tabindex=\"0\"><table>/; s/<\\/table>/<\\/table><\\/div>/
        s/<pre>/<pre tabindex=\"0\">/
        s/<img src=\"[^\"]*\/([a-z]*\.png)\"/<img src=\"\/docs\/\1\"/g")
    script=
    contents=$(printf "%s\n" "$body" | sed -nE 's/^<h2 id="([^"]*)">(.*)<\/h2>$/<li><a href="#\1">\2<\/a><\/li>/p')
    if [ "$(printf "%s\n" "$contents" | wc -l)" -gt 5 ]; then
        body=$(printf "%s\n" "$body" | CONTENTS=$contents awk '
            /^<h2/ && !done++ { print "<details><summary>On this page</summary><ul>\n" ENVIRON["CONTENTS"] "\n</ul></details>" }
            { print }')
    fi
else
    title=$(sed -nE 's/.*<h1>(.*)<\/h1>.*/\1/p' "$document")
    body=$(cat "$document")
    script="<script type=\"module\" src=\"/docs/$name.js\"></script>"
fi

cat <<HTML
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
$script
</head>
<body>
<header><a href="/docs/">gjkd</a> <a href="/docs/guide">Guide</a> <a href="/docs/api">API</a> <a href="/">Playground</a> <a href="#pages" class="narrow">Pages</a></header>
<main id="$name">
$body
</main>
<nav id="pages" aria-label="Documents">
HTML
awk -v name="$name" '
    /^#/ { next }
    /^=/ { sub(/^= /, ""); printf "%s<h2>%s</h2>\n<ul>\n", (groups++ ? "</ul>\n" : ""), $0; next }
    { page = $1; sub(/^[^ ]+ [^ ]+ /, "")
      printf "<li><a href=\"/docs/%s\"%s>%s</a></li>\n", (page == "index" ? "" : page), (page == name ? " aria-current=\"page\"" : ""), $0 }
    END { print "</ul>" }' $pages
echo '</nav></body></html>'
