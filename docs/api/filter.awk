# What Doxygen reads instead of a header (INPUT_FILTER), so that the headers keep the house rules.
#
# - One comment stands for all overloads directly under it and for the in-place form: the filter
#   repeats the comment.
# - Lists of declarations (.inc, .def) become part of the header that includes them. Parameters of
#   the macro are replaced in its comments, too.
# - TERN_ARG, TERN_OPTIM_ARG and TERN_MODULE become the declarations that they make.
# - "Shape:", "Throws:", "Example:" and the like at the start of a line become headings, indented
#   lines become code. Other characters that Doxygen would read as markup are escaped.
# - A comment behind a field or an enumerator documents it.
#
# Every line of the header gives one line of output, so warnings name the right line. lists.awk and
# comments.awk hold the functions for macros, lists and comments.

BEGIN {
  level = 0       # open braces
  state = "decl"  # "decl": between or inside declarations; "body": inside a function
  reset_statement()
}

FNR == 1 { put("/** \\file */ " $0); next }
{ line($0) }
END { flush_statement() }

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
  if (text ~ /^[ \t]*#define TERN_DTYPE\(/) {
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
  if (text ~ /^[ \t]*using [A-Za-z0-9_]+ =/) return "using"
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
  # On one line with others, a comment would hide them. (Examples in `text` may have some.)
  for (i = 1; inlined > 0 && i <= lines; i++) sub(/[ \t]*\/\/.*/, "", raw[i])
  name = kind == "whole" || kind == "function" ? function_name(statement) : ""
  text = comments > 0 ? comment_text() : ""
  if (text != "") {
    group = name
    group_text = text
  } else if (name != "" && name == group) {
    text = group_text
  } else if (group != "" && name == group "_") {
    text = "In-place form of " group "(): writes the result into `self` and returns it." \
           "\\ilinebr \\ilinebr " group_text
  } else if (statement ~ /=[ \t]*delete;/) {
    text = "Not copyable."
  }
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

function flush_statement(    i) {
  for (i = 1; i <= lines; i++) put(raw[i])
}
