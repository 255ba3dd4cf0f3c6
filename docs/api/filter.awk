# What Doxygen reads instead of a header (INPUT_FILTER), so that the headers keep the house rules.
#
# - One comment stands for all overloads directly under it: the filter repeats the comment.
# - Lists of declarations (.inc, .def) become part of the header that includes them. Parameters of
#   the macro are replaced in its comments, too.
# - TERN_ARG, TERN_OPTIM_ARG and TERN_MODULE become the declarations that they make.
# - "Shape:", "Throws:", "Example:" and the like at the start of a line become headings, indented
#   lines become code. Other characters that Doxygen would read as markup are escaped.
# - A comment behind a field or an enumerator documents it.
#
# Every line of the header gives one line of output, so warnings name the right line.

BEGIN {
  level = 0       # open braces
  state = "decl"  # "decl": between or inside declarations; "body": inside a function
  reset_statement()
}

FNR == 1 && FILENAME ~ /\.md$/ { is_markdown = 1 }
is_markdown { print markdown($0); next }
FILENAME ~ /\.dox$/ { print; next }

FNR == 1 { put("/** \\file */ " $0); next }
{ line($0) }
END { if (!is_markdown) flush_statement() }

# --- Output -----------------------------------------------------------------------------------

function put(text) {
  if (inlined > 0) joined = joined " " text
  else print text
}

function reset_statement() { statement = ""; lines = 0; parens = 0 }

# --- Lines ------------------------------------------------------------------------------------

function line(text,    code) {
  sub(/\r$/, "", text)
  if (continues_macro) {
    macro_line(text)
    return
  }
  if (state == "decl" && lines == 0) {
    if (text ~ /^[ \t]*\/\/\/([^\/<]|$)/) {
      sub(/^[ \t]*\/\/\/ ?/, "", text)
      comment[++comments] = text
      put("")
      return
    }
    if (text ~ /^[ \t]*$/) {
      group = ""
      put("")
      return
    }
    if (text ~ /^[ \t]*\/\//) {
      if (inlined == 0) put(text)
      return
    }
    if (text ~ /^#[ \t]*define/) {
      begin_macro(text)
      return
    }
    if (text ~ /^#include <tern\/.*\.(inc|def)>/) {
      include(text)
      return
    }
  }
  if (hidden_define) {
    hidden_define = text ~ /\\$/
    put("")
    return
  }
  if (text ~ /^[ \t]*#define TERN_(UNARY|COMPARISON|DTYPE)\(/) {
    hidden_define = text ~ /\\$/
    put("")
    return
  }
  if (text ~ /^[ \t]*#/) {
    gsub(/<tern\//, "<", text)
    if (inlined == 0) put(text)
    return
  }
  code = text
  gsub(/\\./, "", code)
  gsub(/"[^"]*"/, "\"\"", code)
  gsub(/'[^']*'/, "''", code)
  sub(/\/\/.*/, "", code)
  if (state == "body") {
    level += count(code, "{") - count(code, "}")
    if (level <= body_level) state = "decl"
    put(text)
    return
  }
  statement_line(text, code)
}

function count(text, what,    n) {
  n = 0
  while ((at = index(text, what)) > 0) {
    n++
    text = substr(text, at + 1)
  }
  return n
}

# --- Statements -------------------------------------------------------------------------------

function statement_line(text, code,    bare, rest) {
  bare = code
  gsub(/[ \t]/, "", bare)
  # Access labels and closing braces stand alone.
  if (lines == 0 && bare ~ /^(public|private|protected):$/) {
    group = ""
    put(text)
    return
  }
  if (lines == 0 && bare ~ /^}/) {
    level -= count(code, "}")
    while (scopes > 0 && scope_level[scopes] >= level) scopes--
    group = ""
    put(text)
    return
  }
  raw[++lines] = text
  statement = statement " " code
  parens += count(code, "(") - count(code, ")")
  if (parens > 0) return
  if (in_enum()) {
    level += count(code, "{") - count(code, "}")
    while (scopes > 0 && scope_level[scopes] >= level) scopes--
    emit(text ~ /\/\/ / ? "field" : "other")
    return
  }
  rest = unconstrained(statement)
  if (rest ~ /;[ \t]*$/ || rest ~ /}[ \t]*$/ && balanced(rest)) {
    emit("whole")
  } else if (rest ~ /{[ \t]*$/) {
    level += count(statement, "{") - count(statement, "}")
    if (statement ~ /^[ \t]*(template[ \t]*<.*>[ \t]*)?(TERN_API[ \t]+)?(inline[ \t]+)?(namespace|class|struct|enum|union|extern[ \t]+"")[ \t{]/ \
        && statement !~ /\)[ \t]*(const)?[ \t]*(noexcept)?[ \t]*{/) {
      scopes++
      scope_level[scopes] = level - 1
      scope_kind[scopes] = statement ~ /^[ \t]*enum[ \t]/ ? "enum" : "class"
      scope_name[scopes] = class_name(statement)
      emit("scope")
    } else {
      body_level = level - 1
      emit("function")
      state = "body"
    }
  }
}

function in_enum() { return scopes > 0 && scope_kind[scopes] == "enum" }
function balanced(text) { return count(text, "{") == count(text, "}") }

function class_name(text) {
  gsub(/alignas\([^)]*\)|TERN_API|final/, "", text)
  sub(/[ \t]*:[^:].*/, "", text)
  sub(/[ \t]*{.*/, "", text)
  sub(/<.*/, "", text) # a specialization
  sub(/.*[ \t]/, "", text)
  return text
}

# A declaration without its requires clauses, which Doxygen takes for a part of the type.
function unconstrained(text) {
  if (text ~ /concept /) return text
  while (match(text, /(^|[ \t>])requires[ \t(]/)) {
    text = substr(text, 1, RSTART) " " without_constraint(substr(text, RSTART + RLENGTH - 1))
  }
  return text
}

# The name of a function; nothing for other declarations.
function function_name(text,    at) {
  text = unconstrained(text)
  gsub(/decltype\(auto\)|__attribute__\(\([^)]*\)\)|explicit\([^)]*\)/, "", text)
  if (match(text, /operator[ \t]*\(\)/)) return "operator()"
  if (match(text, /operator[^(]*\(/)) {
    text = substr(text, RSTART, RLENGTH - 1)
    gsub(/[ \t]/, "", text)
    return text
  }
  # One comment stands for a run of constants or aliases.
  if (text ~ /^[ \t]*constexpr [^(]*=/) return "constexpr"
  if (text ~ /^[ \t]*using [A-Za-z_]+ =/) return "using"
  if ((at = index(text, "(")) == 0) return ""
  text = substr(text, 1, at - 1)
  if (text ~ /=/) return ""
  sub(/[ \t]*$/, "", text)
  sub(/.*[^A-Za-z0-9_~]/, "", text)
  return text == "end" && group == "begin" ? group : text
}

# Text after a requires clause.
function without_constraint(text) {
  text = after_constraint(text)
  while (sub(/^[ \t]*(\|\||&&)/, "", text)) text = after_constraint(text)
  return text
}

# Text after (..), requires (..) {..}, or one word with its template arguments.
function after_constraint(text,    i, c, depth) {
  sub(/^[ \t]+/, "", text)
  if (text ~ /^requires/) {
    sub(/^requires[ \t]*/, "", text)
    text = after_group(text)
    sub(/^[ \t]+/, "", text)
    return after_group(text)
  }
  if (text ~ /^[(!]/) return after_group(substr(text, index(text, "(")))
  depth = 0
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c ~ /[<(]/) depth++
    if (c ~ /[>)]/) depth--
    if (c ~ /[ \t]/ && depth == 0) return substr(text, i)
  }
  return ""
}

function after_group(text,    i, c, depth) {
  depth = 0
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c ~ /[({]/) depth++
    if (c ~ /[)}]/ && --depth == 0) return substr(text, i + 1)
  }
  return ""
}

# Prints the collected lines of a declaration with its comment.
function emit(kind,    name, text, i, field, tail) {
  name = kind == "whole" || kind == "function" ? function_name(statement) : ""
  text = comments > 0 ? comment_text() : ""
  if (text != "") {
    group = name
    group_text = text
  } else if (name != "" && name == group) {
    text = group_text
  } else if (in_methods && !collecting && name != "") {
    text = method_text(name)
  } else if (statement ~ /=[ \t]*delete;/) {
    text = "Not copyable."
  }
  if (collecting && name != "" && text != "") function_comment[name] = text
  if (statement ~ /^[ \t]*TERN_(OPTIM_)?ARG\(/) raw[1] = accessors(raw[1], text)
  else if (statement ~ /^[ \t]*TERN_MODULE\(/) raw[1] = holder(raw[1], text)
  else if (statement ~ /^[ \t]*(extern[ \t]+)?template[ \t]+(class|struct)/) raw[1] = ""
  else {
    if (text == "" && lines == 1 && (kind == "whole" && name == "" || kind == "field") &&
        match(raw[1], /\/\/<? ?/)) {
      tail = substr(raw[1], RSTART + RLENGTH)
      raw[1] = substr(raw[1], 1, RSTART - 1)
      if (tail !~ /^(clang-format|NOLINT)/) {
        raw[1] = kind == "field" ? raw[1] "/**< " sentence(tail) " */" \
                                 : "/** " sentence(tail) " */ " one_each(raw[1], sentence(tail))
      }
    }
    if (text != "") raw[1] = "/** " text " */ " (name == "" ? one_each(raw[1], text) : raw[1])
  }
  if (statement ~ /[ \t>]requires[ \t(]/) {
    for (i = 2; i <= lines; i++) {
      raw[1] = raw[1] " " raw[i]
      raw[i] = ""
    }
    raw[1] = unconstrained(raw[1])
  }
  for (i = 1; i <= lines; i++) {
    if (inlined > 0) sub(/[ \t]*\/\/.*/, "", raw[i])
    gsub(/TERN_API /, "", raw[i])
    put(raw[i])
  }
  comments = 0
  reset_statement()
}

# `Tensor weight, bias;` as two declarations with one comment each.
function one_each(text, doc,    type) {
  if (lines > 1 || text !~ /^ *[A-Za-z0-9_:]+ [a-z_]+( = [^,;({]+)?(, [a-z_]+( = [^,;({]+)?)+;/) return text
  type = text
  sub(/^ */, "", type)
  sub(/ .*/, "", type)
  gsub(/, /, "; /** " doc " */ " type " ", text)
  return text
}

# A method means what the function of its name means; add_ is add in place.
function method_text(name,    base) {
  if (name in function_comment) return function_comment[name]
  base = name
  if (sub(/_$/, "", base) && base in function_comment) {
    return "In-place form of " base "(): writes the result into this tensor and returns it." \
           "\\ilinebr \\ilinebr " function_comment[base]
  }
  return ""
}

function flush_statement(    i) {
  for (i = 1; i <= lines; i++) put(raw[i])
}

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
  hides_macro = macro_name ~ /^TERN_(UNARY|COMPARISON|DTYPE)$/  # undefined again below
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
    collect_comments(path)
    in_methods = 1
    while ((getline row < path) > 0) line(row)
    in_methods = 0
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

# Learns the comments of the functions in pointwise.h for the methods in pointwise_methods.inc.
function collect_comments(path,    row, before) {
  sub(/_methods\.inc$/, ".h", path)
  before = joined
  save()
  split("", function_comment)
  collecting = 1
  while ((getline row < path) > 0) line(row)
  collecting = 0
  close(path)
  restore()
  joined = before
}

function save() {
  saved_level = level
  saved_scopes = scopes
  level = scopes = 0
}

function restore() {
  level = saved_level
  scopes = saved_scopes
  scope_name[scopes] = "Tensor"
  state = "decl"
  group = ""
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

# --- Comments ---------------------------------------------------------------------------------

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

# --- Pages ------------------------------------------------------------------------------------

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
    } else if (target !~ /^[a-z]+:|\.md$|\.png$/) {
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
