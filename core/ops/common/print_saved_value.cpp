#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <utility>

#include <tern/core/autograd/saved_value.h>
#include <tern/core/base/text.h>
#include <tern/core/ops/common/print.h>

namespace tern::autograd {

namespace {

void print_one(std::ostream& out, bool value) { out << (value ? "True" : "False"); }
void print_one(std::ostream& out, std::int64_t value) {
  tern::detail::print_text(out, tern::detail::text_of(value));
}
template <class T>
void print_one(std::ostream& out, const T& value) {
  out << value;
}
/// Prints a whole number with a point.
void print_one(std::ostream& out, double value) {
  constexpr double kLargest = 1e10;
  if (std::abs(value) < kLargest && value == std::trunc(value)) {
    out << (std::signbit(value) ? "-" : "");
    print_one(out, static_cast<std::int64_t>(std::abs(value)));
    out << '.';
    return;
  }
  char text[32];
  constexpr int kDigits = std::numeric_limits<double>::max_digits10;
  const auto end = std::to_chars(text, std::end(text), value, std::chars_format::general, kDigits);
  tern::detail::print_text(out, {text, end.ptr});
}
template <class List>
void print_all(std::ostream& out, const List& list) {
  const char* before = "";
  for (const auto& element : list) {
    out << std::exchange(before, ", ");
    print_one(out, element);
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const SavedValue& value) {
  const auto print_list = [&](const auto& list) {
    out << '[';
    print_all(out, list);
    out << ']';
  };
  if (value.isNone()) {
    out << "None";
  } else if (value.isInt()) {
    print_one(out, value.toInt());
  } else if (value.isDouble()) {
    print_one(out, value.toDouble());
  } else if (value.isBool()) {
    print_one(out, value.toBool());
  } else if (value.isString()) {
    out << value.toStringRef();
  } else if (value.isTensor()) {
    out << value.toTensor();
  } else if (value.isIntList()) {
    print_list(value.toIntVector());
  } else if (value.isDoubleList()) {
    print_list(value.toDoubleVector());
  } else if (value.isBoolList()) {
    print_list(value.toBoolVector());
  } else if (value.isTensorList()) {
    print_list(value.toTensorVector());
  } else {
    out << '(';
    print_all(out, value.toTupleRef().elements());
    out << (value.toTupleRef().size() == 1 ? ",)" : ")");
  }
  return out;
}

}  // namespace tern::autograd
