#include "ops/page_pictures.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include <tern/tern.h>

namespace tern::testing {
namespace {

/// A tensor of one or two dimensions with the code that makes it.
struct Panel {
  std::string title;
  Tensor cells;
  std::string sign = "";  // in front of it
  bool colored = true;    // false for indices and sums
};
using Rows = std::vector<std::vector<Panel>>;

/// A panel whose title is its code.
#define PANEL(sign, ...) \
  Panel { #__VA_ARGS__, __VA_ARGS__, sign }
/// The same without colours.
#define PLAIN(sign, ...) \
  Panel { #__VA_ARGS__, __VA_ARGS__, sign, false }

constexpr double kCell = 36, kHeight = 26, kTitle = 24, kGap = 22, kSign = 18, kMargin = 14;
constexpr double kLetter = 7.25;  // the width of a letter of 12 px

Tensor as_matrix(const Tensor& cells) { return cells.dim() == 2 ? cells : cells.reshape({1, -1}); }

double width_of(const Panel& panel) {
  const double cells = kCell * static_cast<double>(as_matrix(panel.cells).size(1));
  return std::max(cells, kLetter * static_cast<double>(panel.title.size()));
}

/// Returns a light colour of the hue, a part of the circle in [0, 1).
std::string light_color(double hue) {
  std::ostringstream out;
  out << "rgb(";
  for (int i = 0; i < 3; ++i) {
    const double distance = std::abs(std::remainder(hue - i / 3., 1.)) * 6;  // 0 to 3
    const double part = std::clamp(2 - distance, 0., 1.);
    out << (i > 0 ? "," : "") << std::lround(185 + 65 * part);
  }
  return out.str() + ")";
}

/// Draws one row of panels per row, and grows `width`.
class Drawing {
 public:
  explicit Drawing(const Rows& rows) {
    for (const auto& row : rows) {
      for (const Panel& panel : row) {
        if (!panel.colored) continue;
        for (const auto value : panel.cells.contiguous().to_vector<std::int64_t>()) {
          if (value != 0) hues_[value] = 0;
        }
      }
    }
    double hue = 0;
    for (auto& [value, place] : hues_) {
      place = hue / static_cast<double>(hues_.size());
      hue += 1;
    }
    for (const auto& row : rows) add(row);
  }

  std::string svg() const {
    std::ostringstream out;
    const double width = width_ + kMargin, height = y_ - kGap + kMargin;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
        << "\" viewBox=\"0 0 " << width << ' ' << height
        << "\" font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\" font-size=\"12\" "
           "fill=\"#222\" text-anchor=\"middle\">\n"
           "<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"white\"/>\n"
        << out_.str() << "</svg>\n";
    return out.str();
  }

 private:
  void add(const std::vector<Panel>& row) {
    double x = kMargin, bottom = y_;
    for (const Panel& panel : row) {
      if (!panel.sign.empty()) {
        text(x + kSign / 2, y_ + kTitle + kHeight / 2, panel.sign);
        x += kSign + kGap / 2;
      }
      bottom = std::max(bottom, add(panel, x));
      x += width_of(panel) + kGap;
    }
    width_ = std::max(width_, x - kGap);
    y_ = bottom + kGap;
  }

  /// Returns where the panel ends.
  double add(const Panel& panel, double x) {
    const Tensor cells = as_matrix(panel.cells);
    out_ << "<text text-anchor=\"start\" x=\"" << x << "\" y=\"" << y_ + 14 << "\">" << panel.title
         << "</text>\n";
    for (std::int64_t i = 0; i < cells.size(0); ++i) {
      for (std::int64_t j = 0; j < cells.size(1); ++j) {
        const auto value = cells[i][j].item<std::int64_t>();
        const double left = x + kCell * static_cast<double>(j);
        const double top = y_ + kTitle + kHeight * static_cast<double>(i);
        const bool colored = panel.colored && value != 0;
        out_ << "<rect x=\"" << left << "\" y=\"" << top << "\" width=\"" << kCell << "\" height=\""
             << kHeight << "\" stroke=\"#888\" fill=\""
             << (colored ? light_color(hues_.at(value)) : "white") << "\"/>";
        text(left + kCell / 2, top + kHeight / 2, std::to_string(value));
      }
    }
    return y_ + kTitle + kHeight * static_cast<double>(cells.size(0));
  }

  void text(double x, double y, const std::string& what) {
    out_ << "<text x=\"" << x << "\" y=\"" << y + 4 << "\">" << what << "</text>\n";
  }

  std::map<std::int64_t, double> hues_;
  std::ostringstream out_;
  double y_ = kMargin, width_ = 0;
};

}  // namespace

std::map<std::string, std::string> page_pictures() {
  const Tensor x = tensor({{10, 20, 30}, {40, 50, 60}}), index = tensor({{2, 0}, {1, 1}});
  const Tensor rows = tensor({{1, 0, 1}}), places = tensor({{3, 0, 1}, {0, 1, 3}});
  const Tensor columns = tensor({2, 0}), v = tensor({10, 20, 30, 40, 50});
  const Tensor column = tensor({{10}, {20}}), row = tensor({1, 2, 3});
  const Tensor m = arange(1, 17).reshape({4, 4}), into = zeros({2, 4}, kLong), r = v.slice(0, 0, 3);
  const std::map<std::string, Rows> all = {
      {"gather",
       {{PANEL("", x), PLAIN("", index), PANEL("=", gather(x, 1, index))},
        {PANEL("", x), PLAIN("", rows), PANEL("=", gather(x, 0, rows))}}},
      {"scatter",
       {{PANEL("", into), PLAIN("", places), PANEL("", x)},
        {PANEL("=", scatter(into, 1, places, x))}}},
      {"index_select",
       {{PANEL("", x), PLAIN("", columns), PANEL("=", index_select(x, 1, columns))},
        {PANEL("", x), PLAIN("", index), PANEL("=", take_along_dim(x, index, 1))}}},
      {"unfold", {{PANEL("", v), PANEL("", unfold(v, 0, 3, 1)), PANEL("", unfold(v, 0, 3, 2))}}},
      {"broadcast",
       {{PANEL("", column), PANEL("", broadcast_to(column, {2, 3}))},
        {PANEL("", row), PANEL("", broadcast_to(row, {2, 3})), PLAIN("", column + row)}}},
      {"roll",
       {{PANEL("", x), PANEL("", roll(x, 1, 1)), PANEL("", roll(x, 1))},
        {PANEL("", rot90(x)), PANEL("", t(x)), PANEL("", flip(x, {1}))}}},
      {"tril",
       {{PANEL("", tril(m)), PANEL("", tril(m, 1)), PANEL("", tril(m, -1))},
        {PANEL("", triu(m)), PANEL("", triu(m, 1)), PANEL("", triu(m, -1))},
        {PANEL("", diagonal(m)), PANEL("", diagonal(m, 1)), PANEL("", diagonal(m, -1))}}},
      {"repeat", {{PANEL("", r), PANEL("", repeat(r, {2})), PANEL("", repeat_interleave(r, 2))}}}};
  std::map<std::string, std::string> pictures;
  for (const auto& [name, picture] : all) pictures[name + ".svg"] = Drawing(picture).svg();
  return pictures;
}

}  // namespace tern::testing
