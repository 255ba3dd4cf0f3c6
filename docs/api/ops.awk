# Lists the public functions, methods and classes of headers as a table of Markdown, with the first
# sentence of each comment and what the records say, and the examples of these functions behind it.
# docs/api/ops.sh calls it, with these files before the headers:
#
#   kind=facts        NAME<tab>DTYPES<tab>GRADIENT<tab>DEVICES, from tests/ops/page_test.cpp
#   kind=examples     docs/api/examples/*.txt
#   kind=differences  docs/pytorch-differences.md
#
# and with `-v heading=...` for a section, and `-v plain=1` where names have no record.

kind == "facts" {
  split($0, part, "\t")
  facts[part[1]] = " " part[2] " | " part[3] " | " part[4] " |"
  next
}

# The names in the first cell of a row of differences: "`histc` of one large number, `x.sum_(1)`".
kind == "differences" {
  if ($0 !~ /^\| /) next
  cell = substr($0, 3, index(substr($0, 3), " | ") - 1)
  for (i = split(cell, part, "`") - 1; i > 0; i -= 2) {
    sub(/^x\./, "", part[i])
    if (!match(part[i], /^[a-z][a-z_0-9]*/) || substr(part[i], RLENGTH + 1) !~ /^(\(|$)/) continue
    op = substr(part[i], 1, RLENGTH)
    sub(/_$/, "", op)
    if (last[op] == FNR) continue
    last[op] = FNR
    differs[op] = differs[op] (differs[op] != "" ? "<br>" : "") "[" cell "](pytorch-differences.md)"
  }
  next
}

# An example: "NAME: sentence", then "picture: FILE: ALT", "> CODE" and the lines that it prints.
kind == "examples" {
  if (/^#/ || NF == 0) next
  if (/^picture: /) {
    split($0, part, ": ")
    add("![" part[3] "](images/ops/" part[2] ".svg)\n\n")
  } else if (/^> /) {
    end_output()
    add("```cpp\nstd::cout << " substr($0, 3) " << '\\n';\n```\n\n```text\n")
    shown = 1
  } else if (shown && !/^[a-z_0-9]+:( |$)/) {
    add($0 "\n")
  } else {
    end_output()
    of = substr($0, 1, index($0, ":") - 1)
    if (of in example) fail("a second example of " of)
    add("**`" of "`**" substr($0, length(of) + 2) "\n\n")
  }
  next
}

function fail(text) {
  print FILENAME ":" FNR ": " text > "/dev/stderr"
  exit 1
}
function add(text) { example[of] = example[of] text }
function end_output() {
  if (shown) add("```\n\n")
  shown = 0
}

function note(name, call, text,  base) {
  base = substr(name, 1, length(name) - 1)
  if (name ~ /_out$/) return
  if (name ~ /_$/ && base in calls) return in_place[base] = name
  if (!(name in calls)) names[++count] = name
  if (summary[name] == "") summary[name] = text
  call = "`" call "`"
  if (calls[name] == "") calls[name] = call
  else if (index("<br>" calls[name] "<br>", "<br>" call "<br>") == 0) calls[name] = calls[name] "<br>" call
}

END {
  end_output()
  for (i = 1; i <= count; i++) if (names[i] in facts && !plain) has_facts = 1
  printf "\n## %s\n\n", heading
  if (has_facts) print "| call | what | dtypes | gradient | devices | differs from PyTorch |\n| --- | --- | --- | --- | --- | --- |"
  else print "| name | what |\n| --- | --- |"
  for (i = 1; i <= count; i++) {
    name = names[i]
    printf "| %s%s | %s |", calls[name], name in in_place ? "<br>`" in_place[name] "`" : "", summary[name]
    if (has_facts) {
      printf "%s", name in facts ? facts[name] : " | | |"
      sub(/_$/, "", name)
      printf "%s |", differs[name] != "" ? " " differs[name] : ""
    }
    print ""
    if (!plain && names[i] in example) examples = examples example[names[i]]
  }
  sub(/\n$/, "", examples)
  if (examples) {
    print "\n<!-- prepare\nconst Tensor x = tensor({{10, 20, 30}, {40, 50, 60}});\n-->\n\n" examples
  }
}

# The first sentence, fit for a cell.
function sentence(text) {
  if (match(text, /\. [A-Z`]|\. *\n/)) text = substr(text, 1, RSTART - 1)
  sub(/^Returns /, "", text)
  if (text !~ /\.\.$/) sub(/[.:]$/, "", text)
  gsub(/\|/, "\\|", text)
  while (match(text, /<[A-Za-z]/)) text = substr(text, 1, RSTART - 1) "&lt;" substr(text, RSTART + 1)
  return text
}

# What stands before the first parenthesis: the name of a function.
function name_of(line) {
  sub(/\(.*/, "", line)
  sub(/.*[ &]/, "", line)
  return line
}

# The parameters of a declaration without their types: "(self, dim, keepdim = false)".
function parameters(text,  out, i, c, depth, one) {
  text = substr(text, index(text, "(") + 1)
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (depth == 0 && (c == "," || c == ")")) {
      out = out (out != "" ? ", " : "") parameter(one)
      one = ""
      if (c == ")") return "(" out ")"
      continue
    }
    if (c ~ /[<({]/) depth++
    if (c ~ /[>)}]/) depth--
    one = one c
  }
  return "(" out ")"
}
function parameter(text,  value) {
  if (match(text, / = /)) {
    value = substr(text, RSTART)
    text = substr(text, 1, RSTART - 1)
    sub(/std::nullopt|[A-Z][A-Za-z:]*(\(\)|\{\})/, "{}", value)
  }
  sub(/.*[ &>]/, "", text)
  return text value
}

# Returns the declaration that begins on this line, on one line.
function whole(text,  next_line) {
  while (gsub(/\(/, "(", text) > gsub(/\)/, ")", text) && (getline next_line) > 0) {
    sub(/^ +/, "", next_line)
    text = text " " next_line
  }
  return text
}

FNR == 1 {
  in_detail = in_macro = 0
  inner = ""
  comment = ""
  is_methods = FILENAME ~ /\.inc$/
}
{
  was_macro = in_macro
  in_macro = /\\$/
  if (was_macro || in_macro) next
}
/^namespace .*detail \{/ { in_detail = 1 }
/^\}  \/\/ namespace .*detail/ { in_detail = 0 }
in_detail { next }
$1 == "namespace" && $2 ~ /^(tern::)?linalg$/ { inner = "linalg::" }
$3 == "namespace" && $4 ~ /linalg$/ { inner = "" }

/^ *\/\/\/ / {
  sub(/^ *\/\/\/ /, "")
  comment = comment (comment ? " " : "") $0
  next
}
/^ *\/\/\/$/ {
  comment = comment "\n"
  next
}
/^ *(template|requires) ?</ { next }

!is_methods && /^(TERN_API|inline) [A-Za-z0-9_:<>, ]+&? [a-z][a-z_0-9]*\(/ && !/operator/ {
  name = inner name_of($0)
  note(name, name parameters(whole($0)), sentence(comment))
}
is_methods && /^  [A-Z:a-z_<>, ]+&? [A-Za-z_0-9]+\(/ && !/^  requires/ {
  note(name_of($0), "x." name_of($0) parameters(whole($0)), sentence(comment))
}
/^class (TERN_API )?[A-Za-z0-9]+Impl( |$)/ {
  name = $2 == "TERN_API" ? $3 : $2
  sub(/Impl$/, "", name)
  of_class[name] = sentence(comment)
}
/^TERN_MODULE\(/ || (/^class [A-Za-z]+( |$)/ && $2 in of_class) {
  name = $0
  gsub(/^(TERN_MODULE\(|class )|\).*| .*/, "", name)
  note(name, name, of_class[name])
}
/^class TERN_API [A-Za-z0-9]+ : public (Optimizer|OptimizerOf<.*>|LRScheduler) \{/ || /^class TERN_API ReduceLROnPlateau \{/ {
  if ($3 != "OptimizerOf") note($3, $3, sentence(comment))
}
{ comment = "" }
