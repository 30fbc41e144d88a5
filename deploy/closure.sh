#!/usr/bin/env bash
# Copies a program with every shared library it needs, and their licences, into an
# empty root, so that an image can consist of nothing else.
#   deploy/closure.sh PROGRAM ROOT
set -euo pipefail
program=$1 root=$2

install -D -m 0755 "$program" "$root/usr/bin/$(basename "$program")"
ldd "$program" | grep -oE '/[^ ]+' | sort -u | while read -r library; do
    install -D -m 0755 "$(readlink -f "$library")" "$root$library"
    # dpkg knows a library by the place it was installed to, /lib or /usr/lib, and lists where
    # libc6 has others' files put, too.
    package=$(dpkg-query -S "$library" "/usr$library" 2>/dev/null |
        sed -n '/^diversion /d; s/:.*//p' | sort -u | tail -n 1 || true)
    [ -z "$package" ] ||
        install -D -m 0644 "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
done

install -d -m 0755 "$root/etc"
printf 'gjkd:x:65532:65532:gjkd:/:/sbin/nologin\n' >"$root/etc/passwd"
printf 'gjkd:x:65532:\n' >"$root/etc/group"
install -d -m 1777 "$root/tmp"
