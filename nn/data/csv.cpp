#include <tern/nn/data/csv.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <tern/core/base/detail/read_text.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/shape/view.h>
#include <tern/nn/data/detail/read_file.h>

namespace tern::data {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_missing(std::string_view text) {
  return text.empty() || text == "NA" || text == "NaN" || text == "nan" || text == "null" ||
         text == "?";
}

/// Shortens a value for an error text.
std::string shown(std::string_view value) {
  std::string text(value.substr(0, 40));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  }
  return value.size() > 40 ? text + "..." : text;
}

/// Splits the file into lines and values, and knows where it is.
class Scanner {
 public:
  Scanner(const std::string& path, std::string_view text, char separator)
      : path_(path), text_(text), separator_(separator) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // byte order mark
  }

  /// Goes to the next line that is not empty. Returns false at the end of the file.
  bool next_line() {
    line_ += lines_in_value_;
    lines_in_value_ = 0;
    while (!text_.empty()) {
      ++line_;
      if (!is_line_end(text_.front())) {
        column_ = 0;
        return true;
      }
      skip_line_end(0);
    }
    return false;
  }

  /// Returns the next value of the line. `is_last` says if it ends the line. The value is valid
  /// until the next call.
  std::string_view next_value(bool& is_last) {
    ++column_;
    std::size_t begin = 0;
    while (begin < text_.size() && (text_[begin] == ' ' || text_[begin] == '\t') &&
           text_[begin] != separator_) {
      ++begin;
    }
    std::string_view value;
    std::size_t end = begin;
    if (begin < text_.size() && text_[begin] == '"') {
      end = read_quoted(begin + 1);
      value = quoted_;
    } else {
      while (end < text_.size() && text_[end] != separator_ && !is_line_end(text_[end])) ++end;
      value = trimmed(text_.substr(begin, end - begin));
    }
    is_last = end >= text_.size() || text_[end] != separator_;
    is_last ? skip_line_end(end) : text_.remove_prefix(end + 1);
    return value;
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    tern::detail::raise<FileError>("csv: ", path_, ", line ", line_, ", column ", column_, ": ",
                                   parts...);
  }
  /// Sets the column that error texts name.
  void set_column(std::size_t column) { column_ = column; }
  const std::string& path() const { return path_; }

 private:
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

  /// Removes the text to the end of the line at index `at`: CR, LF or both.
  void skip_line_end(std::size_t at) {
    text_.remove_prefix(at);
    text_.remove_prefix(text_.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, text_.size()));
  }

  /// Reads to the closing quote and returns the index of the separator behind it.
  std::size_t read_quoted(std::size_t at) {
    quoted_.clear();
    while (true) {
      if (at >= text_.size()) fail("expected a closing quote, found the end of the file");
      const char c = text_[at++];
      if (c == '\n' || (c == '\r' && !text_.substr(at).starts_with('\n'))) ++lines_in_value_;
      if (c != '"') {
        quoted_ += c;
      } else if (at < text_.size() && text_[at] == '"') {
        quoted_ += c;
        ++at;
      } else {
        break;
      }
    }
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t') &&
           text_[at] != separator_) {
      ++at;
    }
    if (at < text_.size() && text_[at] != separator_ && !is_line_end(text_[at])) {
      fail("expected the end of the value behind the closing quote, found '", text_.substr(at, 1),
           "'");
    }
    return at;
  }

  const std::string& path_;
  std::string_view text_;
  char separator_;
  std::string quoted_;
  std::size_t line_ = 0, lines_in_value_ = 0, column_ = 0;
};

[[noreturn]] void fail_range(const Scanner& scanner, std::string_view value,
                             const std::string& name, const char* dtype) {
  scanner.fail("the number ", shown(value), " of '", name, "' does not fit ", dtype);
}

double number_of(const Scanner& scanner, std::string_view value, const std::string& name,
                 bool may_be_header) {
  std::string_view digits = value;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double number = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = tern::detail::parse_number(digits.data(), end, number);
  if (error == std::errc() && rest == end) return number;
  if (error == std::errc::result_out_of_range && rest == end) {
    fail_range(scanner, value, name, "float64");
  }
  scanner.fail("expected a number for '", name, "', found \"", shown(value), "\"",
               may_be_header ? "; if the first line has names, use CsvOptions().header(true)"
                             : "; if the column has texts, name it in CsvOptions().categories(..)");
}

std::size_t find_name(const std::vector<std::string>& names, const std::string& name,
                      const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    std::string all;
    for (std::size_t i = 0; i < names.size() && i < 20; ++i) {
      all += (i == 0 ? "'" : ", '") + shown(names[i]) + "'";
    }
    if (names.size() > 20) all += ", ...";
    tern::detail::raise<IndexError>("csv: ", what, " '", name, "' is none of the columns ", all);
  }
  return static_cast<std::size_t>(found - names.begin());
}

/// The sorted texts of a column, and the class of each row in the order of appearance.
struct Category {
  std::map<std::string, std::size_t, std::less<>> seen;

  double add(std::string_view text) {
    auto found = seen.find(text);
    if (found == seen.end()) found = seen.emplace(std::string(text), seen.size()).first;
    return static_cast<double>(found->second);
  }
};

void check_options(const CsvOptions& options) {
  const char c = options.separator();
  const bool is_wrong = c == '"' || c == '\n' || c == '\r' || c == '.' || c == '+' || c == '-' ||
                        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool is_line_end = c == '\n' || c == '\r';
  TERN_CHECK(!is_wrong, Error,
             "csv: the separator cannot be a quote, a line end, a point, a sign, ",
             "a digit or a letter, got ", is_line_end ? "a line end" : std::string{'\'', c, '\''});
  TERN_CHECK(options.dtype() == kFloat || options.dtype() == kDouble, DTypeError,
             "csv: the dtype must be Float or Double, got ", options.dtype());
}

class Reader {
 public:
  Reader(const std::string& path, std::string_view text, const CsvOptions& options)
      : scanner_(path, text, options.separator()), options_(options) {}

  CsvTable read() {
    if (options_.header()) read_header();
    bool is_first = !options_.header();
    while (scanner_.next_line()) {
      read_row(is_first);
      is_first = false;
    }
    TERN_CHECK(rows_ > 0, FileError, "csv: ", scanner_.path(), " has no row of values",
               options_.header() ? " behind its header" : "");
    return table();
  }

 private:
  void read_header() {
    if (!scanner_.next_line()) return;
    for (bool is_last = false; !is_last;) {
      names_.emplace_back(scanner_.next_value(is_last));
    }
    std::vector<std::string> sorted = names_;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) scanner_.fail("two columns are called '", shown(*twice), "'");
    choose();
  }

  /// Finds the columns of the options by their names.
  void choose() {
    categories_.resize(names_.size());
    is_category_.assign(names_.size(), false);
    for (const std::string& name : options_.categories()) {
      is_category_[find_name(names_, name, "the category")] = true;
    }
    target_.assign(names_.size(), options_.columns().empty() ? 0 : kSkipped);
    for (std::size_t i = 0; i < names_.size() && options_.columns().empty(); ++i) target_[i] = i;
    for (std::size_t i = 0; i < options_.columns().size(); ++i) {
      target_[find_name(names_, options_.columns()[i], "the column")] = i;
    }
    width_ = options_.columns().empty() ? names_.size() : options_.columns().size();
  }

  void read_row(bool names_columns) {
    const std::size_t begin = values_.size();
    if (!names_columns) values_.resize(begin + width_);
    std::size_t column = 0;
    for (bool is_last = false; !is_last; ++column) {
      const std::string_view value = scanner_.next_value(is_last);
      if (names_columns) {  // the first row says how many columns there are
        first_row_.emplace_back(value);
        names_.push_back(std::to_string(column));
      } else {
        if (column >= names_.size()) fail_width(column + 1, is_last);
        set(begin, column, value, false);
      }
    }
    if (names_columns) {
      choose();
      values_.resize(width_);
      for (std::size_t i = 0; i < first_row_.size(); ++i) {
        scanner_.set_column(i + 1);
        set(0, i, first_row_[i], true);
      }
    } else if (column != names_.size()) {
      fail_width(column, true);
    }
    ++rows_;
  }

  [[noreturn]] void fail_width(std::size_t found, bool is_all) const {
    scanner_.fail("expected ", names_.size(), " values in the line, found ",
                  is_all ? "" : "at least ", found);
  }

  void set(std::size_t begin, std::size_t column, std::string_view value, bool may_be_header) {
    if (target_[column] == kSkipped) return;
    double& number = values_[begin + target_[column]];
    if (is_missing(value)) {
      number = is_category_[column] ? kNoClass : options_.missing();
    } else if (is_category_[column]) {
      number = categories_[column].add(value);
    } else {
      number = number_of(scanner_, value, names_[column], may_be_header);
      if (options_.dtype() == kFloat && std::isfinite(number) &&
          std::abs(number) >= kFloatOverflow) {
        fail_range(scanner_, value, names_[column], "float32");
      }
    }
  }

  CsvTable table() {
    CsvTable result;
    result.names.resize(width_);
    result.classes.resize(width_);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (target_[i] == kSkipped) continue;
      result.names[target_[i]] = names_[i];
      if (!is_category_[i]) continue;
      // From the order of appearance to the sorted order.
      std::vector<double> rank(categories_[i].seen.size());
      for (const auto& [text, number] : categories_[i].seen) {
        rank[number] = static_cast<double>(result.classes[target_[i]].size());
        result.classes[target_[i]].push_back(text);
      }
      for (std::size_t row = 0; row < rows_; ++row) {
        double& value = values_[row * width_ + target_[i]];
        value = value == kNoClass ? options_.missing() : rank[static_cast<std::size_t>(value)];
      }
    }
    result.values = empty({static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(width_)},
                          TensorOptions(options_.dtype()).device(kCPU));
    if (options_.dtype() == kFloat) {
      std::ranges::transform(values_, result.values.data_ptr<float>(),
                             [](double value) { return static_cast<float>(value); });
    } else {
      std::ranges::copy(values_, result.values.data_ptr<double>());
    }
    return result;
  }

  static constexpr std::size_t kSkipped = static_cast<std::size_t>(-1);
  static constexpr double kNoClass = -1;                    // a missing value of a category
  static constexpr double kFloatOverflow = 0x1.ffffffp127;  // rounds to infinity in float32

  Scanner scanner_;
  const CsvOptions& options_;
  std::vector<std::string> names_, first_row_;
  std::vector<std::size_t> target_;  // the column of the result
  std::vector<Category> categories_;
  std::vector<bool> is_category_;
  std::vector<double> values_;
  std::size_t width_ = 0, rows_ = 0;
};

}  // namespace

Tensor CsvTable::column(const std::string& name) const {
  return values.select(1, static_cast<std::int64_t>(find_name(names, name, "the name")));
}

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  check_options(options);
  const std::string text = detail::read_file("csv", path);
  TERN_CHECK(!tern::detail::is_utf16(text), FileError, "csv: ", path,
             " is UTF-16; convert the file to UTF-8");
  return Reader(path, text, options).read();
}

}  // namespace tern::data
