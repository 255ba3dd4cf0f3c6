// Compiled for size.

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/node.h>
#include <tern/core/base/detail/plain_text.h>
#include <tern/core/ops/common/print.h>
#include <tern/core/ops/shape/join.h>
#include <tern/core/ops/shape/view.h>

// Prints tensors in Python's format. The rules (when to use scientific notation, how wide a column
// is, what is summarised) are those of PyTorch's Python printing.

namespace tern {
namespace {

using detail::number_text;

PrintOptions print_options;

std::string padded(const std::string& text, std::size_t width) {
  std::string out(width > text.size() ? width - text.size() : 0, ' ');
  out += text;
  return out;
}

// Starts `count` new lines and indents the last one.
void new_lines(std::string& out, std::size_t count, std::size_t indent) {
  out.append(count, '\n');
  out.append(indent, ' ');
}

// The format of all elements of one tensor.
class Style {
 public:
  Style(ScalarType dtype, const std::vector<double>& shown, const PrintOptions& options)
      : dtype_(dtype), precision_(options.precision) {
    if (is_floating_point(dtype)) choose(shown, options.sci_mode);
    for (double value : shown) {
      // Values that are not finite do not widen the columns.
      if (!is_floating_point(dtype) || (std::isfinite(value) && value != 0)) widen(value);
    }
    if (width_ == 0) width_ = 1;
  }

  std::string text(double value) const { return padded(unpadded(value), width_); }
  std::size_t width() const { return width_; }

 private:
  void choose(const std::vector<double>& shown, std::optional<bool> sci_mode) {
    double low = 0, high = 0;
    bool any = false;
    for (double value : shown) {
      const double size = std::abs(value);
      if (!std::isfinite(value) || value == 0) continue;
      low = any ? std::min(low, size) : size;
      high = any ? std::max(high, size) : size;
      any = true;
      if (value != std::ceil(value)) whole_ = false;
    }
    const bool needed = high / low > 1000 || high > 1e8 || low < 1e-4;
    if (any) scientific_ = sci_mode.value_or(needed);
  }
  void widen(double value) { width_ = std::max(width_, unpadded(value).size()); }

  std::string unpadded(double value) const {
    if (dtype_ == kBool) return value != 0 ? "True" : "False";
    if (!is_floating_point(dtype_)) return number_text(value, 'f', 0);
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (scientific_) return number_text(value, 'e', precision_);
    if (whole_) return number_text(value, 'f', 0) + ".";
    return number_text(value, 'f', precision_);
  }

  ScalarType dtype_;
  int precision_;
  bool whole_ = true;
  bool scientific_ = false;
  std::size_t width_ = 0;
};

// Returns the elements that are shown: the ends of dimensions that are cut, all of the others.
Tensor without_middle(Tensor tensor, std::int64_t edge) {
  for (std::int64_t dim = 0; dim < tensor.dim(); ++dim) {
    const std::int64_t size = tensor.size(dim);
    if (size <= 2 * edge) continue;
    tensor = cat({tensor.narrow(dim, 0, edge), tensor.narrow(dim, size - edge, edge)}, dim);
  }
  return tensor;
}

class Printer {
 public:
  Printer(const Tensor& tensor, const PrintOptions& options)
      : options_(options), dtype_(tensor.dtype()) {
    const NoGradGuard no_grad;
    Tensor shown = tensor.detach();
    const bool summarises = tensor.numel() > options.threshold;
    if (summarises) shown = without_middle(shown, options.edgeitems);
    sizes_ = shown.sizes().vec();
    for (std::int64_t dim = 0; dim < tensor.dim(); ++dim) {
      is_cut_.push_back(summarises && tensor.size(dim) > std::int64_t{2} * options.edgeitems);
    }
    if (dtype_ == kLong) {
      integers_ = shown.reshape({-1}).to_vector<std::int64_t>();
    } else {
      values_ = shown.to(kCPU, kDouble).reshape({-1}).to_vector<double>();
    }
  }

  std::string text(std::size_t indent) {
    if (!is_cut_.empty() && is_cut_[0] && options_.edgeitems == 0) return "[...]";
    const Style style(dtype_, values_, options_);
    style_ = &style;
    width_ = style.width();
    for (const std::int64_t value : integers_) {
      width_ = std::max(width_, std::to_string(value).size());
    }
    return block(0, 0, indent);
  }

 private:
  std::int64_t stride(std::size_t dim) const {
    std::int64_t stride = 1;
    for (std::size_t d = dim + 1; d < sizes_.size(); ++d) stride *= sizes_[d];
    return stride;
  }

  // Calls visit(i) for the shown positions of a dimension, and visit(-1) for the dots.
  template <class Visit>
  void visit_positions(std::size_t dim, const Visit& visit) const {
    for (std::int64_t i = 0; i < sizes_[dim]; ++i) {
      if (is_cut_[dim] && i == options_.edgeitems) visit(-1);
      visit(i);
    }
  }

  std::string element(std::int64_t offset) const {
    const auto at = static_cast<std::size_t>(offset);
    if (dtype_ != kLong) return style_->text(values_[at]);
    return padded(std::to_string(integers_[at]), width_);
  }

  std::string row(std::int64_t offset, std::size_t indent) const {
    const auto per_line = static_cast<std::size_t>(
        std::max<std::int64_t>(1, (options_.linewidth - static_cast<std::int64_t>(indent)) /
                                      static_cast<std::int64_t>(width_ + 2)));
    std::string out = "[";
    std::size_t count = 0;
    visit_positions(sizes_.size() - 1, [&](std::int64_t i) {
      if (count != 0) out += ",";
      if (count != 0 && count % per_line == 0) {
        new_lines(out, 1, indent + 1);
      } else if (count != 0) {
        out += " ";
      }
      out += i < 0 ? " ..." : element(offset + i);
      ++count;
    });
    out += "]";
    return out;
  }

  std::string block(std::size_t dim, std::int64_t offset, std::size_t indent) const {
    if (sizes_.empty()) return element(0);
    if (dim + 1 == sizes_.size()) return row(offset, indent);
    const std::size_t gaps = sizes_.size() - dim - 1;  // lines between blocks of this depth
    std::string out = "[";
    visit_positions(dim, [&](std::int64_t i) {
      if (out.size() > 1) {
        out += ",";
        new_lines(out, gaps, indent + 1);
      }
      out += i < 0 ? "..." : block(dim + 1, offset + i * stride(dim), indent + 1);
    });
    out += "]";
    return out;
  }

  PrintOptions options_;
  ScalarType dtype_;
  std::vector<std::int64_t> sizes_;  // of the shown elements
  std::vector<bool> is_cut_;
  std::vector<double> values_;          // the shown elements,
  std::vector<std::int64_t> integers_;  // and those of int64
  const Style* style_ = nullptr;
  std::size_t width_ = 1;
};

std::string python_sizes(IntArrayRef sizes) {
  std::string out = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  }
  return out += sizes.size() == 1 ? ",)" : ")";
}

// Returns the name of the tensor's rule; empty for a leaf. A view that is invalid because its base
// changed is printed as in Python.
std::string node_name(const Tensor& tensor) {
  try {
    const auto grad_fn = tensor.grad_fn();
    return grad_fn ? grad_fn->name() : std::string();
  } catch (const Error&) {
    return "Invalid";
  }
}

std::vector<std::string> suffixes_of(const Tensor& tensor) {
  std::vector<std::string> suffixes;
  if (!tensor.is_cpu()) suffixes.push_back("device='" + tensor.device().str() + "'");
  const bool is_empty = tensor.numel() == 0;
  if (tensor.is_meta() || (is_empty ? tensor.dim() != 1 : print_options.edgeitems == 0)) {
    suffixes.push_back("size=" + python_sizes(tensor.sizes()));
  }
  const ScalarType dtype = tensor.dtype();
  const bool is_usual = is_empty || tensor.is_meta()
                            ? dtype == get_default_dtype()
                            : dtype == get_default_dtype() || dtype == kLong || dtype == kBool;
  if (!is_usual) {
    suffixes.push_back(std::string("dtype=torch.") + dtype_info(dtype).python_name);
  }
  if (const std::string node = node_name(tensor); !node.empty()) {
    suffixes.push_back("grad_fn=<" + node + ">");
  } else if (tensor.requires_grad()) {
    suffixes.push_back("requires_grad=True");
  }
  return suffixes;
}

}  // namespace

void set_printoptions(const PrintOptions& options) {
  const auto check = [](const char* name, std::int64_t value) {
    TERN_CHECK(value >= 0, Error, "set_printoptions: expected ", name, " >= 0, got ", value);
  };
  check("precision", options.precision);
  check("threshold", options.threshold);
  check("edgeitems", options.edgeitems);
  check("linewidth", options.linewidth);
  print_options = options;
}

PrintOptions print_profile(const std::string& name) {
  if (name == "default") return {};
  if (name == "short") return {.precision = 2, .edgeitems = 2};
  TERN_CHECK(name == "full", Error,
             "print_profile: expected \"default\", \"short\" or \"full\", got \"", name, "\"");
  return {.threshold = std::numeric_limits<std::int64_t>::max()};
}

PrintOptions get_printoptions() { return print_options; }

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "tensor(undefined)";
  std::string out = "tensor(";
  const std::size_t indent = out.size();
  if (tensor.is_meta()) {
    out += "...";
  } else if (tensor.numel() == 0) {
    out += "[]";
  } else {
    out += Printer(tensor, print_options).text(indent);
  }
  // A suffix that would exceed the line starts a new line. Python counts the last line of the
  // elements two characters too long.
  const std::size_t last_break = out.rfind('\n');
  std::size_t column = out.size() + 2 - (last_break == std::string::npos ? 0 : last_break + 1);
  for (const std::string& suffix : suffixes_of(tensor)) {
    if (column + suffix.size() + 2 > static_cast<std::size_t>(print_options.linewidth)) {
      out += ",";
      new_lines(out, 1, indent);
      out += suffix;
      column = indent + suffix.size();
    } else {
      out += ", " + suffix;
      column += suffix.size() + 2;
    }
  }
  out += ")";
  return out;
}

detail::TensorPrinter& detail::tensor_printer() {
  static constinit TensorPrinter printer = nullptr;
  return printer;
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (const detail::TensorPrinter printer = detail::tensor_printer()) {
    printer(out, tensor);
    return out;
  }
  return out << to_string(tensor);
}

}  // namespace tern
