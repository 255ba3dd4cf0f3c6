#!/bin/sh
# abi.sh <old libtern.so> <new libtern.so>: prints the exported symbols that only one of the two libraries has. Fails if a
# program that was linked with the old one would take the new one (same soname) and miss a symbol.
set -eu
old=$1 new=$2
soname() { objdump -p "$1" | sed -n 's/^ *SONAME *//p'; }
# Without the symbols of the standard library's templates, which programs have too.
symbols() {
  LC_ALL=C nm -D --defined-only "$1" | sed 's/^[0-9a-f]* //' | grep -v '^[WVu] _Z\(Z\?N\?K\?S\|T[ISV]St\)' |
    LC_ALL=C sort
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
symbols "$old" >"$work/old"
symbols "$new" >"$work/new"
LC_ALL=C comm -23 "$work/old" "$work/new" >"$work/gone"
LC_ALL=C comm -13 "$work/old" "$work/new" >"$work/added"
sed 's/^/- /' "$work/gone" | c++filt
sed 's/^/+ /' "$work/added" | c++filt
echo "$(soname "$old") -> $(soname "$new"): $(wc -l <"$work/gone") symbols gone, $(wc -l <"$work/added") added"
[ "$(soname "$old")" != "$(soname "$new")" ] || [ ! -s "$work/gone" ] ||
  { echo "A library without these symbols needs another soname: raise TERN_VERSION_MINOR"; exit 1; }
