# Part of filter.awk: comments as Doxygen reads them.

# The collected comment as one line for Doxygen, in which \ilinebr starts a new one.
function comment_text(    i, text, row, code, list, tag) {
  text = ""
  code = list = 0
  for (i = 1; i <= comments; i++) {
    row = comment[i]
    # Code between backticks that spans lines.
    while (!code && count(row, "`") % 2 == 1 && i < comments) row = row " " comment[++i]
    if (code && row != "" && row !~ /^  /) {
      text = text "\\endcode\\ilinebr "
      code = 0
    }
    if (!code && !list && row ~ /^  +[^ ]/) {
      text = text "\\code{.cpp}\\ilinebr "
      code = 1
    }
    if (code) {
      sub(/^  /, "", row)
      text = text row "\\ilinebr "
      continue
    }
    if (row ~ /^- /) list = 1
    else if (row !~ /^ /) list = 0
    if (match(row, /^(Shape|Parameters|Buffers|Throws|Returns|Example):/)) {
      tag = substr(row, 1, RLENGTH - 1)
      row = substr(row, RLENGTH + 1)
      sub(/^ /, "", row)
      text = text "\\par " tag "\\ilinebr "
      if (tag ~ /^Example/) {
        if (row != "") text = text "\\code{.cpp}\\ilinebr " row "\\ilinebr \\endcode\\ilinebr "
        continue
      }
    }
    text = text escaped(row) (i < comments ? "\\ilinebr " : "")
  }
  if (code) text = text "\\endcode"
  comments = 0
  return text
}

function sentence(text) {
  text = escaped(text)
  return toupper(substr(text, 1, 1)) substr(text, 2) (text ~ /\.$/ ? "" : ".")
}

# Escapes what Doxygen would read as markup, except between backticks.
function escaped(text,    n, part, i, out) {
  n = split(text, part, "`")
  out = ""
  for (i = 1; i <= n; i++) {
    if (i % 2 == 1) {
      gsub(/</, "\\&lt;", part[i])
      gsub(/>/, "\\&gt;", part[i])
      gsub(/[@#%]/, "\\\\&", part[i])
      gsub(/\*/, "\\*", part[i])
    }
    out = out (i > 1 ? "`" : "") part[i]
  }
  return out
}
