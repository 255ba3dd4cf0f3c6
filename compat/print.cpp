#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <tern/compat/print.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/detail/plain_text.h>
#include <tern/core/ops/common/print.h>
#include <tern/nn/detail/printing.h>

namespace tern::compat {

namespace {

/// Returns the shortest text that reads back as the same double, without ".0".
std::string shortest(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  std::string scientific(text, end.ptr);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  if (exponent < -4 || exponent >= 16) return scientific;
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr};
}

/// The format of the values of one matrix: one common width, perhaps divided by a scale.
class Format {
 public:
  explicit Format(const std::vector<double>& values) {
    bool whole = true;
    double low = 0, high = 0;
    bool any = false;
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      whole = whole && value == std::ceil(value);
      const double size = std::abs(value);
      low = any ? std::min(low, size) : size;
      high = any ? std::max(high, size) : size;
      any = true;
    }
    choose(whole, exponent_of(low), exponent_of(high));
  }

  std::int64_t width() const { return static_cast<std::int64_t>(width_); }
  bool is_scaled() const { return scale_ != 1; }
  /// Returns "0.001 *" and the end of the line, or nothing without a scale.
  std::string scale_text() const { return is_scaled() ? shortest(scale_) + " *\n" : ""; }
  std::string text(double value) const {
    std::string text = std::isfinite(value)
                           ? tern::detail::number_text(value / scale_, kind_, precision_)
                           : shortest(value);
    if (text.size() < width_) text.insert(0, width_ - text.size(), ' ');
    return text;
  }

 private:
  static int exponent_of(double size) {
    return size == 0 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  }

  void choose(bool whole, int low, int high) {
    if (whole && high <= 9) {
      set('g', 6, high + 1);
    } else if (whole) {
      set('e', 4, 11);
    } else if (high - low > 4) {
      set('e', 4, std::abs(high) > 99 || std::abs(low) > 99 ? 12 : 11);
    } else if (high > 5 || high < 0) {
      set('f', 4, 7);
      scale_ = std::pow(10.0, high - 1);
    } else {
      set('f', 4, high == 0 ? 7 : high + 6);
    }
  }
  void set(char kind, int precision, int width) {
    kind_ = kind;
    precision_ = precision;
    width_ = static_cast<std::size_t>(width);
  }

  char kind_ = 'f';
  int precision_ = 4;
  std::size_t width_ = 0;
  double scale_ = 1;
};

/// Appends one tensor to a text, from its values on the host as double.
class Printer {
 public:
  Printer(std::string& out, const Tensor& tensor, std::int64_t linesize)
      : out_(out), linesize_(linesize), sizes_(tensor.sizes().vec()) {
    const NoGradGuard no_grad;
    values_ = tensor.detach().to(Device(kCPU)).to(kDouble).to_vector<double>();
  }

  void print() {
    if (values_.empty()) return;
    if (sizes_.empty()) {
      out_ += shortest(values_[0]) + '\n';
    } else if (sizes_.size() == 1) {
      const Format format(values_);
      out_ += format.scale_text();
      for (const double value : values_) out_ += format.text(value) + '\n';
    } else if (sizes_.size() == 2) {
      matrix(0, 0);
    } else {
      matrices();
    }
  }

 private:
  /// Prints every matrix of the last two dimensions under its index; the first dimension varies
  /// fastest.
  void matrices() {
    const std::size_t leading = sizes_.size() - 2;
    std::vector<std::int64_t> index(leading, 0);
    const std::int64_t size = sizes_[leading] * sizes_[leading + 1];
    for (bool first = true;; first = false) {
      if (!first) out_ += '\n';
      std::int64_t offset = 0;
      out_ += '(';
      for (std::size_t dim = 0; dim < leading; ++dim) {
        out_ += std::to_string(index[dim] + 1) + ',';
        offset = offset * sizes_[dim] + index[dim];
      }
      out_ += ".,.) = \n";
      matrix(offset * size, 1);
      std::size_t dim = 0;
      while (dim < leading && ++index[dim] == sizes_[dim]) index[dim++] = 0;
      if (dim == leading) return;
    }
  }

  /// Prints the matrix that starts at `offset`, in blocks of columns that fit the line.
  void matrix(std::int64_t offset, std::int64_t indent) {
    const std::int64_t rows = sizes_[sizes_.size() - 2], columns = sizes_.back();
    const auto begin = values_.begin() + offset;
    const Format format(std::vector<double>(begin, begin + rows * columns));
    const std::string indentation(static_cast<std::size_t>(indent), ' ');
    const std::int64_t fitting =
        std::max<std::int64_t>(1, (linesize_ - indent) / (format.width() + 1));
    for (std::int64_t from = 0; from < columns; from += fitting) {
      const std::int64_t to = std::min(columns, from + fitting);
      if (fitting < columns) {
        if (from != 0) out_ += '\n';
        out_ += "Columns " + std::to_string(from + 1) + " to " + std::to_string(to);
        out_ += indentation;
      }
      if (format.is_scaled()) out_ += format.scale_text() + indentation;
      const std::string margin = indentation + (format.is_scaled() ? " " : "");
      for (std::int64_t row = 0; row < rows; ++row) {
        if (row != 0) out_ += margin;
        for (std::int64_t column = from; column < to; ++column) {
          out_ += format.text(*(begin + row * columns + column)) + (column + 1 < to ? ' ' : '\n');
        }
      }
    }
  }

  std::string& out_;
  std::int64_t linesize_;
  std::vector<std::int64_t> sizes_;
  std::vector<double> values_;
};

void print_default(std::ostream& out, const Tensor& tensor) { print(out, tensor); }

}  // namespace

void print(std::ostream& out, const Tensor& tensor, std::int64_t linesize) {
  if (!tensor.defined()) {
    out << "[ Tensor (undefined) ]";
    return;
  }
  std::string text;
  Printer(text, tensor, linesize).print();
  const char* const device = tensor.is_cpu() ? "CPU" : tensor.is_cuda() ? "CUDA" : "Meta";
  text += tern::detail::text_of("[ ", device, tensor.scalar_type(), "Type{");
  const char* separator = "";
  for (const std::int64_t size : tensor.sizes()) {
    text += tern::detail::text_of(std::exchange(separator, ","), size);
  }
  out << text << "} ]";
}

bool follow_libtorch() {
  tern::detail::as_libtorch = true;
  tern::detail::tensor_printer() = print_default;
  nn::detail::printed_namespace() = "torch";
  return true;
}

}  // namespace tern::compat
