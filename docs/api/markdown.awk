# What Doxygen reads instead of a Markdown page (FILTER_PATTERNS).

{ print markdown($0) }

# Headings get names for links; links to source files lead from build/docs to the source tree.
function markdown(text,    out, target, page) {
  page = page_name(FILENAME)
  if (text ~ /^```/) fenced = !fenced
  if (fenced) return text
  if (text ~ /^##+ /) return text " {#" page "-" slug(text) "}"
  out = ""
  while (match(text, /\]\([^)]*\)/)) {
    target = substr(text, RSTART + 2, RLENGTH - 3)
    if (target ~ /\.md#/) {
      sub(/\.md#/, "-", target)
      sub(/.*\//, "", target)
      target = "@ref " target
    } else if (target ~ /^#/) {
      target = "@ref " page "-" substr(target, 2)
    } else if (target !~ /^[a-z]+:|\.(md|png|svg)$/) {
      sub(/^(\.\.\/)+/, "", target)
      target = "../../" target
    }
    out = out substr(text, 1, RSTART + 1) target ")"
    text = substr(text, RSTART + RLENGTH)
  }
  return out text
}

function page_name(path) {
  sub(/.*\//, "", path)
  sub(/\.md$/, "", path)
  return path
}

# GitHub's name of a heading.
function slug(text) {
  sub(/^#+ */, "", text)
  text = tolower(text)
  gsub(/[^a-z0-9 _-]/, "", text)
  gsub(/ /, "-", text)
  return text
}
