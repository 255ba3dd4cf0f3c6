// Compiled for size.

#include <algorithm>
#include <string>

#include <tern/core/ops/linalg/detail/einsum.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::detail {
namespace {

constexpr int kLetters = 52;
constexpr int kEllipsis = -1;  // until the rank of the ellipsis is known

int label_of(std::string_view equation, std::size_t at) {
  const char c = equation[at];
  const bool is_upper = c >= 'A' && c <= 'Z', is_lower = c >= 'a' && c <= 'z';
  TERN_CHECK(is_upper || is_lower, Error, "invalid subscript given at index ", at,
             " in the equation string, subscripts must be in [a-zA-Z]");
  return is_upper ? c - 'A' : c - 'a' + 26;
}

char letter_of(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }

// Returns true if the three points of an ellipsis begin at `at`.
bool is_ellipsis(std::string_view text, std::size_t at) { return text.substr(at, 3) == "..."; }

}  // namespace

EinsumEquation::EinsumEquation(std::string_view equation, TensorList tensors) {
  TERN_CHECK(!tensors.empty(), Error, "must provide at least one operand");
  const std::size_t arrow = equation.find("->");
  read_operands(equation.substr(0, arrow), tensors);
  if (arrow != std::string_view::npos) read_output(equation, arrow);
  expand_ellipses(tensors);
  if (arrow == std::string_view::npos) find_output();
  find_sizes(tensors);
}

void EinsumEquation::read_operands(std::string_view text, TensorList tensors) {
  operands.emplace_back();
  bool has_ellipsis = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t operand = operands.size() - 1;
    if (text[i] == ' ') continue;
    if (text[i] == ',') {
      operands.emplace_back();
      has_ellipsis = false;
      TERN_CHECK(operands.size() <= tensors.size(), Error,
                 "fewer operands were provided than specified in the equation: ", tensors.size());
    } else if (text[i] == '.') {
      TERN_CHECK(!has_ellipsis, Error, "found '.' for operand ", operand,
                 " for which an ellipsis was already found");
      TERN_CHECK(is_ellipsis(text, i), Error, "found '.' for operand ", operand,
                 " that is not part of any ellipsis");
      operands.back().push_back(kEllipsis);
      has_ellipsis = true;
      i += 2;
    } else {
      operands.back().push_back(label_of(text, i));
    }
  }
  TERN_CHECK(operands.size() == tensors.size(), Error,
             "more operands were provided than specified in the equation: ", tensors.size(),
             " for ", operands.size());
}

void EinsumEquation::read_output(std::string_view equation, std::size_t arrow) {
  bool has_ellipsis = false;
  for (std::size_t i = arrow + 2; i < equation.size(); ++i) {
    if (equation[i] == ' ') continue;
    if (equation[i] == '.') {
      TERN_CHECK(!has_ellipsis, Error,
                 "found '.' for output but an ellipsis (...) was already found");
      TERN_CHECK(is_ellipsis(equation, i), Error,
                 "found '.' for output that is not part of any ellipsis (...)");
      output.push_back(kEllipsis);
      has_ellipsis = true;
      i += 2;
      continue;
    }
    const int label = label_of(equation, i);
    TERN_CHECK(std::count(output.begin(), output.end(), label) == 0, Error, "output subscript ",
               letter_of(label), " appears more than once in the output");
    const auto has_label = [label](const std::vector<int>& labels) {
      return std::count(labels.begin(), labels.end(), label) != 0;
    };
    TERN_CHECK(std::any_of(operands.begin(), operands.end(), has_label), Error, "output subscript ",
               letter_of(label), " does not appear in the equation for any input operand");
    output.push_back(label);
  }
}

// The dimensions of all ellipses are aligned at their end.
void EinsumEquation::expand_ellipses(TensorList tensors) {
  const auto count_of = [&](std::size_t i) {
    return std::count(operands[i].begin(), operands[i].end(), kEllipsis);
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto letters = static_cast<std::int64_t>(operands[i].size()) - count_of(i);
    if (count_of(i) == 0) {
      TERN_CHECK(letters == tensors[i].dim(), Error, "the number of subscripts in the equation (",
                 letters, ") does not match the number of dimensions (", tensors[i].dim(),
                 ") for operand ", i, " and no ellipsis was given");
      continue;
    }
    TERN_CHECK(letters <= tensors[i].dim(), Error, "the number of subscripts in the equation (",
               letters, ") is more than the number of dimensions (", tensors[i].dim(),
               ") for operand ", i);
    ellipsis_rank_ = std::max(ellipsis_rank_, tensors[i].dim() - letters);
  }
  const auto expand = [this](std::vector<int>& labels, std::int64_t rank) {
    const auto at = std::find(labels.begin(), labels.end(), kEllipsis);
    if (at == labels.end()) return;
    std::vector<int> dims;
    for (std::int64_t d = ellipsis_rank_ - rank; d < ellipsis_rank_; ++d) {
      dims.push_back(kLetters + static_cast<int>(d));
    }
    labels.insert(labels.erase(at), dims.begin(), dims.end());
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto letters = static_cast<std::int64_t>(operands[i].size()) - count_of(i);
    expand(operands[i], tensors[i].dim() - letters);
  }
  expand(output, ellipsis_rank_);
}

// Without "->": the ellipsis, then the letters that occur once.
void EinsumEquation::find_output() {
  for (int d = 0; d < static_cast<int>(ellipsis_rank_); ++d) output.push_back(kLetters + d);
  for (int label = 0; label < kLetters; ++label) {
    std::ptrdiff_t uses = 0;
    for (const auto& labels : operands) uses += std::count(labels.begin(), labels.end(), label);
    if (uses == 1) output.push_back(label);
  }
}

void EinsumEquation::find_sizes(TensorList tensors) {
  sizes.assign(static_cast<std::size_t>(kLetters + ellipsis_rank_), -1);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t d = 0; d < operands[i].size(); ++d) {
      const int label = operands[i][d];
      const std::int64_t size = tensors[i].size(static_cast<std::int64_t>(d));
      for (std::size_t before = 0; before < d; ++before) {
        const std::int64_t other = tensors[i].size(static_cast<std::int64_t>(before));
        TERN_CHECK(operands[i][before] != label || other == size, ShapeError, "subscript ",
                   letter_of(label), " is repeated for operand ", i, " but the sizes don't match, ",
                   size, " != ", other);
      }
      std::int64_t& known = sizes[static_cast<std::size_t>(label)];
      const bool fits = known == -1 || known == 1 || size == 1 || known == size;
      if (label < kLetters) {
        TERN_CHECK(fits, ShapeError, "subscript ", letter_of(label), " has size ", size,
                   " for operand ", i, " which does not broadcast with previously seen size ",
                   known);
      } else {
        TERN_CHECK(fits, ShapeError, "dimension ", label - kLetters,
                   " covered by ellipsis in operand ", i, " has size ", size,
                   " which does not broadcast with previously seen ellipsis with size ", known,
                   " for the respective dimension");
      }
      if (known == -1 || known == 1) known = size;
    }
  }
}

}  // namespace tern::detail
