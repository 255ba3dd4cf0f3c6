# Turns the C++ of Markdown pages into tests, one per section and one per whole program:
#
#   awk -f snippets.awk README.md docs/*.md > snippets.cpp
#
# docs/testing.md says how to write a page. With -v programs=DIR it writes each whole program into a
# file of that folder instead, as a reader would copy it.

function fail(text) {
  print FILENAME ":" FNR ": " text > "/dev/stderr"
  failed = 1
  exit 1
}

# A C++ identifier made of a file's name or a heading.
function identifier(text,  words, count, i, name) {
  count = split(text, words, /[^A-Za-z0-9]+/)
  for (i = 1; i <= count; i++) name = name toupper(substr(words[i], 1, 1)) substr(words[i], 2)
  return name
}

function literal(text) { return has_text ? "R\"~(" text ")~\"" : "nullptr" }

function emit_test(name, code) {
  printf "TEST_F(%s, %s) {\n  run([&] {\n%s  }, %s);\n}\n", page, name, code, literal(expected)
  has_text = 0
  expected = ""
}

function end_program(  file) {
  if (program == "") return
  if (programs) {
    file = programs "/" page program_line ".cpp"
    printf "%s", program > file
    close(file)
  } else {
    sub(/int main\(\)/, "inline void main_program()", program)
    printf "%snamespace %s%d {\n", includes, page, program_line
    printf "#line %d \"%s\"\n%s}\n", program_line, program_file, program
    emit_test("Program" program_line, "    " page program_line "::main_program();\n")
  }
  program = includes = ""
}

function end_section() {
  end_program()
  if (statements != "") {
    statements = each statements
    includes = each_includes includes
  }
  if (!programs && declarations statements != "") {
    printf "%snamespace %s_page {\nusing namespace tern;\n%s", includes, page, declarations
    if (statements != "") emit_test(section, statements)
    print "}"
  }
  declarations = statements = includes = expected = ""
  has_text = 0
}

# What a block is follows from its first line of code.
function end_block(  code) {
  code = "#line " block_line " \"" FILENAME "\"\n" block
  if (kind == "each") {
    each = code
    return
  }
  if (kind == "text") {
    has_text = 1
    expected = expected block
    return
  }
  end_program()
  if (kind == "json") {
    statements = statements "write_file(\"block.json\", R\"~(" block ")~\");\n"
  } else if (is_program) {
    if (statements != "") fail("a whole program needs a section of its own")
    program = block
    program_line = block_line
    program_file = FILENAME
  } else if (first ~ /^(struct|class|template|static|TERN_MODULE)/ ||
             first ~ /^[A-Za-z_:<>]+&? [a-z_]+\(.*\) \{$/) {
    declarations = declarations code
  } else {
    statements = statements code
  }
}

FNR == 1 {
  if (kind != "") fail("the page before ends inside a block")
  end_section()
  each = each_includes = ""
  page = FILENAME
  sub(/.*\//, "", page)
  sub(/\.md$/, "", page)
  page = identifier(tolower(page))
  section = "Beginning"
  if (!programs) {
    if (!begun++) print "// Made of the pages by tests/docs/snippets.awk.\n#include \"docs/snippet.h\""
    printf "namespace { using %s = tern::testing::Snippets; }\n", page
  }
}

kind != "" && (kind == "prepare" || kind == "each" ? /^-->$/ : /^```/) {
  if (kind != "other") end_block()
  kind = ""
  next
}
kind != "" {
  if (kind == "other") next
  if ($0 ~ /^#include/ && kind != "text") {
    if (kind == "each") each_includes = each_includes $0 "\n"
    else includes = includes $0 "\n"
    block = block (programs ? $0 : "") "\n"
    next
  }
  block = block $0 "\n"
  if ($0 ~ /^int main\(\)/) is_program = 1
  if (first == "" && $0 !~ /^ *(#.*|\/\/.*|using .*|namespace [a-z]+ =.*)?$/) first = $0
  next
}
/^```(c|C|cc|c\+\+|cxx)$/ { fail("write ```cpp") }
/^ +```(cpp|text)/ { fail("begin the block in the first column, or no test compiles it") }
/^```/ || /^<!-- prepare( each section)?$/ {
  kind = $0 == "```cpp" ? "cpp" : $0 == "```text" ? "text" : $0 == "```json" ? "json" : $0 ~ /^<.*each/ ? "each" : $0 ~ /^</ ? "prepare" : "other"
  block = first = ""
  is_program = 0
  block_line = FNR + 1
  next
}
/^#+ / {
  end_section()
  section = identifier($0)
}
END {
  if (failed) exit failed
  if (kind != "") fail("the page ends inside a block")
  end_section()
}
