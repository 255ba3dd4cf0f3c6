#!/bin/sh
# make.sh FOLDER: makes the locales tern_comma (1.234,5) and tern_two_bytes (1.234٫5, the decimal point of Persian) for
# programs that run with LOCPATH=FOLDER. Needs only localedef of libc-bin, which every Debian and Ubuntu
# has, and none of their locales.
set -eu
folder=$1
mkdir -p "$folder"
awk 'BEGIN {
  print "<code_set_name> UTF-8\n<comment_char> %\n<escape_char> /\n<mb_cur_max> 6\n<mb_cur_min> 1\nCHARMAP"
  for (i = 0; i < 128; ++i) printf "<U%04X> /x%02x ascii_%d\n", i, i, i
  print "<U066B> /xd9/xab two_bytes\nEND CHARMAP"
}' > "$folder/charmap"
make() {  # NAME POINT
  printf 'LC_NUMERIC\ndecimal_point "%s"\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n' "$2" > "$folder/$1.source"
  rm -rf "${folder:?}/$1"
  # Warns that the other categories have no definition, and gives them the one of the C locale.
  localedef --force --no-archive --quiet -f "$folder/charmap" -i "$folder/$1.source" "$folder/$1" 2>/dev/null || true
  test -s "$folder/$1/LC_NUMERIC" || { echo "localedef cannot make the locale $1" >&2; exit 1; }
}
make tern_comma ,
make tern_two_bytes '<U066B>'
