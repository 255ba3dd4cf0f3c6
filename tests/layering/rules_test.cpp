#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <utility>

#include "source.h"

// What backward needs is kept in a SavedTensor, which notices changes in place and tells the
// allocator that backward reads the memory on another stream. A node has no tensor as a member, and
// a rule captures none. OpSavedTest looks at the same while ops run.

namespace layering {
namespace {

using Names = std::set<std::string>;

const std::vector<std::string> kGraphs = {"core", "nn", "train", "compat"};

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + name;
  return text;
}

/// The lines of a file without comments.
std::string text_of(const Source& source) {
  std::string text = "\n";
  for (const std::string& line : source.lines) text += line.substr(0, line.find("//")) + '\n';
  return text;
}

/// Types with tensors that a node may have.
const Names kAllowed = {
    "SavedTensor",
    "GradSlot",      // a leaf's gradient, which the accumulator records on the stream of backward
    "BackwardCall",  // gradients, from one node to another in one backward
    "ProcessGroup",  // tensors of calls that run, which end before the node's function does
    "AutogradContext",  // lists that are empty behind forward; saved_data records the stream
};

/// The words of a declaration.
Names words_in(const std::string& code) {
  Names words;
  std::string word;
  for (const char c : code + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
  return words;
}

bool have_one_of(const Names& words, const Names& wanted) {
  return std::ranges::any_of(words, [&](const auto& word) { return wanted.contains(word); });
}

/// The types that hold tensors: those of the library, and classes of ops with such members.
Names holders_in(const std::vector<Source>& sources) {
  static const std::regex head("(struct|class) (?:TERN_API )?(\\w+).*\\{");
  static const std::regex member("  (\\w[\\w:<>, ]*) \\w+( = [^()]*)?;.*");
  std::vector<std::pair<std::string, Names>> members;  // a type, and the words of a member's type
  for (const Source& source : sources) {
    std::string type;
    for (const std::string& line : source.lines) {
      std::smatch match;
      // Before the slow look at a line, a quick one that leaves out most.
      const bool may_begin = line.starts_with("struct ") || line.starts_with("class ");
      if (may_begin && std::regex_match(line, match, head)) type = match[2];
      if (line == "};") type.clear();
      if (type.empty() || !line.starts_with("  ") || line.starts_with("   ")) continue;
      const std::string code = line.substr(0, line.find("//"));
      if (code.find(';') == code.npos || !std::regex_match(code, match, member)) continue;
      if (!kAllowed.contains(type)) members.emplace_back(type, words_in(match[1]));
    }
  }
  Names holders = {"Tensor", "Tensors", "TensorList", "Pieces", "variable_list", "Gradients"};
  for (std::size_t known = 0; known != holders.size();) {
    known = holders.size();
    for (const auto& [type, words] : members) {
      if (have_one_of(words, holders)) holders.insert(type);
    }
  }
  return holders;
}

/// What can be part of a graph, read once.
struct Graphs {
  std::vector<Source> sources = read_sources(kGraphs);
  Names holders = holders_in(sources);
};
const Graphs& graphs() {
  static const Graphs all;
  return all;
}

/// The names that `code` declares as tensors or as what holds them. A value made by
/// without_tensors() and the like holds none.
Names tensors_in(const std::string& code, const Names& holders) {
  const std::regex declaration("\\b(" + joined(holders) + ")>?&?\\s+(?!const)(\\w+)((, \\w+)*)");
  static const std::regex word("\\w+");
  Names names;
  for (std::sregex_iterator i(code.begin(), code.end(), declaration), end; i != end; ++i) {
    const auto after = static_cast<std::size_t>(i->position(2) + i->length(2));
    const std::string rest = code.substr(after, code.find(';', after) - after);
    if (rest.starts_with("(") || rest.find(".without_") != std::string::npos) continue;
    names.insert(i->str(2));
    const std::string more = i->str(3);
    for (std::sregex_iterator k(more.begin(), more.end(), word); k != end; ++k) {
      names.insert(k->str());
    }
  }
  for (const char* word_of_parameters : {"const", "std"}) names.erase(word_of_parameters);
  return names;
}

/// Returns the text from the bracket at `from` to its partner.
std::string bracketed(const std::string& text, std::size_t from, char open, char close) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return text.substr(from, i + 1 - from);
  }
  return text.substr(from);
}

/// The names that a lambda copies: those of its captures, or with [=] those that its body reads.
Names captured(const std::string& captures, const std::string& parameters, const std::string& body,
               const Names& holders) {
  Names names;
  std::smatch match;
  if (captures.starts_with("=")) {
    static const std::regex read("(^|[^.\\w>:])(\\w+)(?=[^\\w(])");
    for (std::sregex_iterator i(body.begin(), body.end(), read), end; i != end; ++i)
      names.insert(i->str(2));
    for (const std::string& name : tensors_in(parameters, holders)) names.erase(name);
    for (const std::string& name : tensors_in(body, holders)) names.erase(name);
    return names;
  }
  static const std::regex one("\\s*(\\w+)(\\s*=\\s*(std::move\\()?(\\w+)\\)?)?\\s*");
  std::size_t begin = 0;
  while (begin < captures.size()) {
    const std::size_t end = std::min(captures.find(',', begin), captures.size());
    const std::string capture = captures.substr(begin, end - begin);
    if (std::regex_match(capture, match, one)) names.insert(match[4].matched ? match[4] : match[1]);
    begin = end + 1;
  }
  return names;
}

/// Where the function around `at` begins: at the end of the line before it.
std::size_t begin_of_function(const std::string& text, std::size_t at) {
  static const std::regex other("(namespace|using|struct|class|enum|template)[^]*");
  for (std::size_t end = at; end != 0;) {
    end = text.rfind('\n', end - 1);
    if (end == text.npos) break;
    if (std::isalpha(static_cast<unsigned char>(text[end + 1])) == 0) continue;
    if (!std::regex_match(text.substr(end + 1, 10), other)) return end;
  }
  return 0;
}

/// Appends the rules that copy a tensor; returns the number of rules.
int tensors_of_rules(const std::string& path, const std::string& text, const Names& holders,
                     std::vector<std::string>* found) {
  static const std::regex rule(
      "\\[([^\\[\\]&]*)\\]\\s*(\\(\\s*const (Tensor|Tensors|std::vector<Tensor>)& "
      "(g|gg|grad\\w*)\\b)");
  int count = 0;
  if (text.find("& g") == text.npos) return count;
  for (std::sregex_iterator i(text.begin(), text.end(), rule), end; i != end; ++i) {
    ++count;
    const auto at = static_cast<std::size_t>(i->position());
    const std::string before = text.substr(0, at);
    const auto open = static_cast<std::size_t>(i->position(2));
    const std::string parameters = bracketed(text, open, '(', ')');
    const std::string body = bracketed(text, text.find('{', open + parameters.size()), '{', '}');
    const Names tensors = tensors_in(before.substr(begin_of_function(text, at)), holders);
    for (const std::string& name : captured(i->str(1), parameters, body, holders)) {
      if (!tensors.contains(name)) continue;
      const auto line = std::count(before.begin(), before.end(), '\n');
      found->push_back(path + ":" + std::to_string(line) + ": " + name);
    }
  }
  return count;
}

/// Appends the members of gradient rules that keep a tensor, itself or in one of `holders`, and
/// counts the classes.
int tensors_of_nodes(const Source& source, const Names& holders, std::vector<std::string>* found) {
  static const std::regex head("(class|struct) \\w+( final)? : public [\\w:]*(Node|Backward) \\{");
  const std::regex member(".*\\b(" + joined(holders) +
                          "|TensorImpl|Storage|SavedValue)\\b(?!::)[^()]*\\b\\w+_( = [^()]*)?;.*");
  int count = 0;
  bool is_node = false;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    if (line.find(" : public ") != line.npos && std::regex_match(line, head)) {
      is_node = true;
      ++count;
    } else if (line == "};") {
      is_node = false;
    } else if (is_node && line.find(';') != line.npos && std::regex_match(line, member)) {
      found->push_back(source.path + ":" + std::to_string(i + 1) + ": " + line);
    }
  }
  return count;
}

TEST(Nodes, KeepTensorsAsSavedTensors) {
  std::vector<std::string> found;
  const Source example{
      "x.cpp",
      {"class Rule final : public autograd::NamedNode {",
       "  void run(const Tensor* gradients, Tensor* results) override;", "  Tensor mask_;",
       "  autograd::SavedTensor input_, weight_;", "  std::vector<Tensor> parts_ = {};",
       "  std::shared_ptr<const Bags> bags_;", "};", "class Other {", "  Tensor mask_;", "};"}};
  EXPECT_EQ(tensors_of_nodes(example, {"Tensor", "Bags"}, &found), 1);
  EXPECT_EQ(found, (std::vector<std::string>{"x.cpp:3:   Tensor mask_;",
                                             "x.cpp:5:   std::vector<Tensor> parts_ = {};",
                                             "x.cpp:6:   std::shared_ptr<const Bags> bags_;"}));
  found.clear();
  int count = 0;
  const auto& [sources, holders] = graphs();
  for (const Source& source : sources) count += tensors_of_nodes(source, holders, &found);
  EXPECT_GT(count, 8);
  for (const std::string& place : found) ADD_FAILURE() << place << ": keep a SavedTensor";
}

TEST(Nodes, RulesCaptureNoTensors) {
  const std::string example = R"(
Tensor twice(const Tensor& self, const Bags& bags, double factor) {
  const Tensor mask = self > 0;
  const Tensor other = mask;
  const Bags rest = bags.without_tensors();
  record(wrt(self, [mask, factor](const Tensor& g) { return g * factor; }));
  record(wrt(self, [=](const Tensor& g, const Tensor& mask) { return g * mask * factor; }));
  record(wrt(self, [=](const Tensor& grad) { return grad * other; }));
  record(wrt(self, [kept = std::move(bags)](const Tensor& g) { return g; }));
  record(wrt(self, [rest, shape = self.sizes()](const Tensor& g) { return g; }));
})";
  std::vector<std::string> found;
  EXPECT_EQ(tensors_of_rules("x.cpp", example, {"Tensor", "Bags"}, &found), 5);
  EXPECT_EQ(found, (std::vector<std::string>{"x.cpp:5: mask", "x.cpp:7: other", "x.cpp:8: bags"}));
  found.clear();
  const auto& [sources, holders] = graphs();
  for (const char* name : {"Bags", "Selection", "CtcBatch"})
    EXPECT_TRUE(holders.contains(name)) << name;
  int count = 0;
  for (const Source& source : sources) {
    count += tensors_of_rules(source.path, text_of(source), holders, &found);
  }
  EXPECT_GT(count, 200);
  for (const std::string& place : found) ADD_FAILURE() << place << ": pass it to wrt() to save it";
}

}  // namespace
}  // namespace layering
