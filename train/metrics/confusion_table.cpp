#include <algorithm>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/ops/ops.h>
#include <tern/train/detail/utf8.h>
#include <tern/train/metrics/confusion_matrix.h>

// The text of a confusion matrix.

namespace tern::metrics {
namespace {

using train::detail::code_points_in;

std::string fixed(double value) { return tern::detail::number_text(value, 'f', 3); }

/// Rows of cells in columns of equal width; the first column is left-aligned, the others right.
std::string table_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], code_points_in(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - code_points_in(row[i]) + (i == 0 ? 0 : 2), ' ');
      text += i == 0 ? row[i] + blanks : blanks + row[i];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string ConfusionMatrix::str(const std::vector<std::string>& labels) const {
  const auto classes = static_cast<std::size_t>(num_classes_);
  TERN_CHECK(labels.empty() || labels.size() == classes, Error, "ConfusionMatrix::str: expected ",
             classes, " labels, got ", labels.size());
  const auto label = [&](std::size_t i) { return labels.empty() ? std::to_string(i) : labels[i]; };
  const auto counts = compute().reshape({-1}).to_vector<std::int64_t>();
  const auto precisions = precision(Average::None).to_vector<double>();
  const auto recalls = recall(Average::None).to_vector<double>();
  const auto f1s = f1(Average::None).to_vector<double>();

  std::vector<std::vector<std::string>> rows = {{"target \\ predicted"}};
  for (std::size_t i = 0; i < classes; ++i) rows[0].push_back(label(i));
  rows[0].emplace_back("recall");
  rows.push_back({"precision"});
  rows.push_back({"F1"});
  for (std::size_t i = 0; i < classes; ++i) {
    std::vector<std::string> row = {label(i)};
    for (std::size_t j = 0; j < classes; ++j)
      row.push_back(std::to_string(counts[i * classes + j]));
    row.push_back(fixed(recalls[i]));
    rows.insert(rows.end() - 2, row);
    rows[rows.size() - 2].push_back(fixed(precisions[i]));
    rows.back().push_back(fixed(f1s[i]));
  }
  return table_of(rows);
}

std::ostream& operator<<(std::ostream& out, const ConfusionMatrix& matrix) {
  return tern::detail::print_text(out, matrix.str());
}

}  // namespace tern::metrics
