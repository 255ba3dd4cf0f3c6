# Part of filter.awk: macros that declare, and lists of declarations.

# --- Macros that declare ----------------------------------------------------------------------

# TERN_ARG(Type, name) = initial; as a setter and a getter. (The getter for changes is left out.)
function accessors(text, doc,    type, name, initial, self) {
  match(text, /TERN_(OPTIM_)?ARG\(/)
  text = substr(text, RSTART + RLENGTH)
  match(text, /,[ \t]*[a-z_0-9]+\)/)
  type = substr(text, 1, RSTART - 1)
  name = substr(text, RSTART + 1, RLENGTH - 2)
  gsub(/[ \t]/, "", name)
  initial = substr(text, RSTART + RLENGTH)
  sub(/;.*/, "", initial)
  sub(/^[ \t]*=[ \t]*/, "", initial)
  if (doc != "") {
    if (initial != "") {
      if (doc ~ /\. /) doc = doc " Default: `" initial "`."
      else sub(/\.$/, " (default: `" initial "`).", doc)
    }
    doc = "/** " doc " */ "
  }
  self = scope_name[scopes]
  return "public: " doc self "& " name "(" type " value); " \
         doc "const " type "& " name "() const noexcept; private:"
}

# TERN_MODULE(Name);
function holder(text, doc,    name) {
  match(text, /\([A-Za-z0-9_]+\)/)
  name = substr(text, RSTART + 1, RLENGTH - 2)
  if (doc == "") {
    doc = "\\copydoc " name "Impl \\ilinebr \\ilinebr " name " is the holder of " name \
          "Impl: a shared pointer that makes, calls and moves the module; see ModuleHolder."
  }
  return "/** " doc " */ class " name " : public ModuleHolder<" name "Impl, " name "> {};"
}

# --- Lists ------------------------------------------------------------------------------------

function begin_macro(text) {
  macro_name = text
  sub(/^#[ \t]*define[ \t]+/, "", macro_name)
  macro_params = macro_name
  sub(/[( \t].*/, "", macro_name)
  delete_params()
  if (macro_params ~ /^[A-Z_0-9]+\(/) {
    sub(/^[^(]*\(/, "", macro_params)
    macro_rest = macro_params
    sub(/\).*/, "", macro_params)
    sub(/^[^)]*\)/, "", macro_rest)
    param_count = split(macro_params, param, /,[ \t]*/)
  } else {
    macro_rest = ""
  }
  if (comments > 0) {
    # The line above is an empty one, which the comment's own lines left.
    text = "/** " comment_text() " */\n" text
  }
  group = ""
  continues_macro = text ~ /\\$/
  sub(/[ \t]*\\$/, "", macro_rest)
  macro_body = macro_rest
  hides_macro = macro_name ~ /^TERN_DTYPE$/  # undefined again below
  if (inlined == 0) put(hides_macro ? "" : text)
}

function delete_params(    i) {
  for (i = 1; i <= param_count; i++) delete param[i]
  param_count = 0
}

function macro_line(text) {
  continues_macro = text ~ /\\$/
  if (inlined == 0) put(hides_macro ? "" : text)
  sub(/[ \t]*\\$/, "", text)
  macro_body = macro_body " " text
}

# Puts the declarations of a list where it is included, on one line.
function include(text,    path, row, outer) {
  path = text
  sub(/^#include <tern\//, "", path)
  sub(/>.*/, "", path)
  outer = inlined++ == 0
  if (outer) joined = ""
  if (path ~ /\.inc$/) {
    while ((getline row < path) > 0) line(row)
  } else {
    while ((getline row < path) > 0) {
      if (index(row, macro_name "(") == 1) put(expanded(row))
    }
  }
  close(path)
  inlined--
  group = ""
  if (outer) print joined
}

# The macro's body for one row of a list.
function expanded(row,    body, n, i, argument, c, depth, quoted, k) {
  row = substr(row, length(macro_name) + 2)
  sub(/\)[^)]*$/, "", row)
  n = 1
  argument[1] = ""
  depth = quoted = 0
  for (i = 1; i <= length(row); i++) {
    c = substr(row, i, 1)
    if (c == "\"") {
      quoted = !quoted
      continue
    }
    if (!quoted && c ~ /[(]/) depth++
    if (!quoted && c ~ /[)]/) depth--
    if (!quoted && c == "," && depth == 0) {
      argument[++n] = ""
      continue
    }
    if (argument[n] == "" && c == " " && !quoted) continue
    argument[n] = argument[n] c
  }
  body = macro_body
  gsub(/TERN_API /, "", body)
  for (k = 1; k <= param_count; k++) body = replaced(body, param[k], argument[k])
  gsub(/##/, "", body)
  return body
}

function replaced(text, word, by,    out, at, before, after) {
  out = ""
  while ((at = index(text, word)) > 0) {
    before = at == 1 ? "" : substr(text, at - 1, 1)
    after = substr(text, at + length(word), 1)
    if (before ~ /[A-Za-z0-9_]/ || after ~ /[A-Za-z0-9_]/) {
      out = out substr(text, 1, at + length(word) - 1)
    } else {
      out = out substr(text, 1, at - 1) by
    }
    text = substr(text, at + length(word))
  }
  return out text
}
