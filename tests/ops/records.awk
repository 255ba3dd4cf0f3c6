# Makes C++ of the records in tests/ops/cases:
#
#   awk -v what=cases -v family=view -f records.awk view/t.json view/mT.json > view_cases.cpp
#   awk -v what=forms -v family=view -f records.awk view/t.json view/mT.json > view_forms.cpp
#
# tests/ops/op_case.h describes a record. The tests read the samples and the numbers themselves. With
# -v out_forms=core/ops/out_forms.txt, a case whose code is one call of such an op gets a function that
# writes to a given tensor.

BEGIN {
  while ((getline line < out_forms) > 0) {
    if (line ~ /^#/) continue
    count = split(line, names, " ")
    for (i = 1; i <= count; i++) has_out_form[names[i]] = 1
  }
}

function fail(text) {
  print FILENAME ":" FNR ": " text > "/dev/stderr"
  failed = 1
  exit 1
}

# Opens an object or an array. Records have objects of interest at depth 3: forms[i] and cases[i].
function open(bracket) {
  bracket_at[++depth] = bracket
  key[depth] = ""
  wants_key = bracket == "{"
  if (depth == 3) split("", field)
}

function close_with(bracket) {
  if (depth == 0 || bracket_at[depth] != bracket) fail("unexpected " (bracket == "{" ? "}" : "]"))
  if (depth == 3 && key[1] == "forms" && what == "forms") add_form()
  if (depth == 3 && key[1] == "cases" && what == "cases") add_case()
  depth--
  wants_key = 0
}

function take_string(text) {
  if (wants_key) {
    key[depth] = text
    wants_key = 0
  } else if (depth == 3 && key[2] == "" && bracket_at[3] == "{") {
    field[key[3]] = text
    line_of[key[3]] = FNR
  }
}

# Returns how many characters the string has with which `text` begins; 0 if it does not end.
function string_length(text,  i, c) {
  for (i = 2; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c == "\\") i++
    else if (c == "\"") return i
  }
  return 0
}

# Returns the text that a string of JSON stands for.
function unescaped(text,  out, i) {
  while (i = index(text, "\\")) {
    out = out substr(text, 1, i - 1) substr(text, i + 1, 1)
    text = substr(text, i + 2)
  }
  return out text
}

# Returns how many of the arguments a, b, c, .. the code uses.
function arity(code,  count, word, before, i) {
  while (match(code, /[A-Za-z_][A-Za-z_0-9]*/)) {
    word = substr(code, RSTART, RLENGTH)
    before = RSTART > 1 ? substr(code, RSTART - 1, 1) : ""
    if (before == ">" && (RSTART < 3 || substr(code, RSTART - 2, 1) != "-")) before = ""
    i = length(word) == 1 ? index("abcdefgh", word) : 0
    if (i > count && (before == "" || index(".:>0123456789", before) == 0)) count = i
    code = substr(code, RSTART + RLENGTH)
  }
  return count + 0
}

function line_directive(name) {
  return "#line " line_of[name] " \"tests/ops/cases/" FILENAME "\"\n"
}

# A function of the tensors in `in`. Only an in-place form may change its first argument. `out` is the
# call that writes to the tensor `out`, or missing.
function function_of(name, code_name, out,  code, count, i, type, text) {
  code = out != "" ? out : unescaped(field[code_name])
  count = arity(code)
  text = "Tensor " name "(" (out != "" ? "Tensor& out, " : "") \
         "[[maybe_unused]] const std::vector<Tensor>& in) {\n"
  for (i = 1; i <= count; i++) {
    type = code_name == "in_place" && i == 1 ? "Tensor " : "const Tensor& "
    text = text "  [[maybe_unused]] " type substr("abcdefgh", i, 1) " = in.at(" i - 1 ");\n"
  }
  return text line_directive(code_name) "  return " code ";\n}\n\n"
}

# Returns the call of `code`, add(a, b) or a.add(b), as add_out(out, a, b); "" if there is no such form.
function out_call(code,  name, arguments, depth, i, c) {
  if (!match(code, /^([a-h]\.)?[a-z_0-9]+\(/)) return ""
  name = substr(code, 1, RLENGTH - 1)
  arguments = substr(code, RLENGTH + 1)
  for (i = 1; i <= length(arguments) && depth >= 0; i++) {
    c = substr(arguments, i, 1)
    if (c == "(") depth++
    else if (c == ")") depth--
  }
  if (depth >= 0 || i <= length(arguments)) return ""
  arguments = substr(arguments, 1, length(arguments) - 1)
  if (substr(name, 2, 1) == ".") {
    arguments = substr(name, 1, 1) (arguments == "" ? "" : ", ") arguments
    name = substr(name, 3)
  }
  return name in has_out_form ? name "_out(out, " arguments ")" : ""
}

function add_case(  name, out) {
  if (field["name"] == "" || field["cpp"] == "") fail("a case needs \"name\" and \"cpp\"")
  name = field["name"]
  functions = functions function_of("case_" name, "cpp")
  if (field["in_place"] != "") functions = functions function_of("in_place_" name, "in_place")
  out = out_call(unescaped(field["cpp"]))
  if (out != "") functions = functions function_of("out_" name, "cpp", out)
  rows = rows "    {\"" FILENAME "\", \"" name "\", \"" field["cpp"] "\", case_" name ", \"" \
         field["in_place"] "\", " (field["in_place"] != "" ? "in_place_" name : "nullptr") ", " \
         (out != "" ? "out_" name : "nullptr") "},\n"
}

# Programs know a form by its Python. If an op has several forms of the same text, as for a tensor
# and for a number, a comment behind the text tells them apart.
function add_form(  python, name, again) {
  if (field["cpp"] == "") fail("a form needs \"cpp\"")
  if (field["parameters"] == "") fail("a form needs \"parameters\"")
  python = field["python"] != "" ? field["python"] : field["cpp"]
  again = uses[FILENAME, python]++
  if (again) python = python " #" again
  name = "form_" family "_" ++form_count
  functions = functions "auto " name "(" field["parameters"] ") {\n" line_directive("cpp") \
              "  return " unescaped(field["cpp"]) ";\n}\n\n"
  rows = rows "    make_form(\"" python "\", \"" field["cpp"] "\", " name "),\n"
}

FNR == 1 && depth { fail("the record before does not end") }

{
  # One line per entry of "golden", which says nothing about code.
  if ($1 == "{\"inputs\":" && gsub(/[{]/, "{") == gsub(/[}]/, "}")) next
  rest = $0
  while (match(rest, /[][{},"]/)) {
    rest = substr(rest, RSTART)
    c = substr(rest, 1, 1)
    size = 1
    if (c == "\"") {
      size = string_length(rest)
      if (!size) fail("a string does not end")
      take_string(substr(rest, 2, size - 2))
    } else if (c == "{" || c == "[") {
      open(c)
    } else if (c == "}" || c == "]") {
      close_with(c == "}" ? "{" : "[")
    } else if (c == ",") {
      wants_key = bracket_at[depth] == "{"
    }
    rest = substr(rest, size + 1)
  }
}

END {
  if (failed) exit 1
  if (depth) fail("the record does not end")
  is_cases = what == "cases"
  space = "tern::testing" (is_cases ? "" : "::differential")
  print "// Made of tests/ops/cases/" family " by tests/ops/records.awk."
  print "#include \"" (is_cases ? "ops/record_functions.h" : "differential/form.h") "\"\n"
  print "namespace " space " {\nnamespace {\n"
  print functions "[[maybe_unused]] const bool k_" family "_" what " = " \
        (is_cases ? "add_functions" : "add_forms") "({"
  print rows "});\n\n}  // namespace\n}  // namespace " space
}
