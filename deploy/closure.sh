#!/usr/bin/env bash
# Copies a program with every shared library it needs, and their licences, into an
# empty root, so that an image can consist of nothing else.
#   deploy/closure.sh PROGRAM ROOT [TRIPLET]     TRIPLET: of another architecture
set -euo pipefail
program=$1 root=$2
triplet=${3:-$(gcc -dumpmachine)}

# take LIBRARY: copies it and what it needs, once.
take() {
    local library=$1 package
    if [ -e "$root$library" ]; then return; fi
    install -D -m 0755 "$(readlink -f "$library")" "$root$library"
    # dpkg knows a library by the place it was installed to, /lib or /usr/lib, and lists where
    # libc6 has others' files put, too.
    package=$(dpkg-query -S "$library" "/usr$library" 2>/dev/null |
        sed -n '/^diversion /d; s/:.*//p' | sort -u | tail -n 1 || true)
    [ -z "$package" ] ||
        install -D -m 0644 "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
    needs "$library"
}
# needs FILE: takes the loader and the libraries that it names.
needs() {
    local name names
    names=$("$triplet-readelf" -ld "$1" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p; s/.*(NEEDED).*\[\(.*\)\]/\1/p')
    for name in $names; do
        case $name in
        /*) take "$name" ;;
        ld-linux*) ;; # the loader, which the program names by its path
        *) take "/lib/$triplet/$name" ;;
        esac
    done
}
install -D -m 0755 "$program" "$root/usr/bin/$(basename "$program")"
needs "$program"

install -d -m 0755 "$root/etc"
printf 'gjkd:x:65532:65532:gjkd:/:/sbin/nologin\n' >"$root/etc/passwd"
printf 'gjkd:x:65532:\n' >"$root/etc/group"
install -d -m 1777 "$root/tmp"
