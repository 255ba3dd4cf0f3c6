#include <tern/serialization/json/detail/values.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string_view>

#include <tern/core/base/detail/read_text.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {
namespace {

bool starts_with(const char* at, std::string_view word) {
  return std::strncmp(at, word.data(), word.size()) == 0;  // stops at a NUL
}

const char* skip_digits(const char* at) {
  while (is_digit(*at)) ++at;
  return at;
}

/// Returns the end of the JSON number at `at`, or null if `at` is not a number.
const char* number_end(const char* at, bool& is_integer) {
  if (*at == '-') ++at;
  if (!is_digit(*at)) return nullptr;
  at = *at == '0' ? at + 1 : skip_digits(at);
  is_integer = *at != '.' && *at != 'e' && *at != 'E';
  if (*at == '.') {
    if (!is_digit(*++at)) return nullptr;
    at = skip_digits(at);
  }
  if (*at == 'e' || *at == 'E') {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    if (!is_digit(*at)) return nullptr;
    at = skip_digits(at);
  }
  return at;
}

/// Moves past the string at the current position.
void skip_string(TextFile& text, const std::string& name) {
  text.skip(1);
  for (;;) {
    const char* end = text.at() + std::strcspn(text.at(), "\"\\");
    text.move_to(end);
    if (*end == '"') return text.skip(1);
    if (!text.is_cut(end)) {
      text.fail(text.offset(), "tensor '", name, "': the string has no end or contains an escape");
    }
  }
}

/// Names the kind of value that begins with `first`, for error texts.
std::string found_name(char first) {
  if (const char* const kind = value_kind(first)) return kind;
  switch (first) {
    case ']':
      return "the end of a list";
    case ',':
      return "a comma";
    case '\0':
      return "the end of the file";
    default:
      return '!' <= first && first <= '~' ? text_of('\'', first, '\'') : "an unexpected character";
  }
}

/// The range of numbers that a dtype can store. Numbers outside of the range do not fit into the
/// dtype, or would round to infinity.
template <class T>
struct NumberRange {
  T low, high;
};

template <class T>
NumberRange<T> range_of(ScalarType dtype) {
  return visit_dtype(dtype, [](auto tag) -> NumberRange<T> {
    using E = typename decltype(tag)::type;
    if constexpr (std::same_as<T, float> && !std::same_as<E, double>) {
      const float high = std::same_as<E, Half>       ? 0x1.ffdffep15f
                         : std::same_as<E, BFloat16> ? 0x1.fefffep127f
                                                     : std::numeric_limits<float>::max();
      return {static_cast<T>(-high), static_cast<T>(high)};
    }
    if constexpr (std::same_as<T, std::int64_t> && std::integral<E>) {
      return {std::numeric_limits<E>::min(), std::numeric_limits<E>::max()};
    }
    return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
  });
}

/// Parses numbers as type `Text`, converts them to T and stores them in a tensor. T is the compute
/// type of the tensor's dtype: the dtype itself, or a wider type.
template <class T, class Text = T>
class ValueReader {
 public:
  ValueReader(TextFile& text, const std::string& name, const Tensor& tensor)
      : text_(text),
        name_(name),
        sizes_(tensor.sizes()),
        index_(sizes_.size()),
        dtype_(tensor.dtype()),
        range_(range_of<Text>(tensor.dtype())),
        out_(static_cast<char*>(tensor.data_ptr())) {}

  /// Returns true if T stores every number of the text exactly.
  bool read() {
    read_level(0);
    return exact_;
  }

 private:
  void read_level(std::size_t dim) {
    depth_ = dim;
    const char next = text_.skip_space();
    if (dim == sizes_.size()) {
      store(element());
      return;
    }
    const std::int64_t count = sizes_[dim];
    if (next != '[') fail("expected a list of ", count, " elements, found ", found_name(next));
    text_.skip(1);
    for (index_[dim] = 0; index_[dim] < count; ++index_[dim]) {
      if (index_[dim] != 0) separator(dim, ',');
      read_level(dim + 1);
    }
    separator(dim, ']');
  }

  void separator(std::size_t dim, char expected) {
    const char next = text_.skip_space();
    if (next == expected) {
      text_.skip(1);
      return;
    }
    depth_ = dim;
    const std::int64_t count = sizes_[dim];
    if (next == ']') fail("expected ", count, " elements, found ", index_[dim]);
    if (expected == ']' && next != '\0') fail("expected ", count, " elements, found more");
    fail("expected '", expected, "', found ", found_name(next));
  }

  T element() {
    const char* const at = text_.at();
    if constexpr (std::same_as<T, bool>) {
      for (const bool value : {false, true}) {
        const std::string_view word = value ? "true" : "false";
        if (!starts_with(at, word)) continue;
        text_.skip(word.size());
        return value;
      }
      fail("expected true or false, found ", found_name(*at));
    } else {
      bool is_integer = false;
      const char* end = number_end(at, is_integer);
      if (end == nullptr) return no_number(at);
      if (text_.is_cut(end))
        fail("expected at most ", TextFile::kMaxToken, " characters, found more in a number");
      if (std::integral<T> && !is_integer) {
        fail("expected an integer, found ", std::string_view(at, end));
      }
      Text value;
      const auto result = parse_number(at, end, value);
      if (result.ec != std::errc() || value < range_.low || value > range_.high) {
        fail("the number ", std::string_view(at, std::min(end, at + 40)),
             " is outside the range of ",
             dtype_info(std::same_as<T, Text> ? dtype_ : dtype_of<Text>()).file_name);
      }
      text_.move_to(end);
      if constexpr (!std::same_as<T, Text>) {
        // The conversion of a number beyond the largest T would be undefined behaviour.
        exact_ = exact_ && std::abs(value) <= std::numeric_limits<T>::max() &&
                 static_cast<Text>(static_cast<T>(value)) == value;
        if (!exact_) return T();
      }
      return static_cast<T>(value);
    }
  }

  void store(T value) {
    if (dtype_ == dtype_of<T>()) {
      std::memcpy(out_, &value, sizeof(T));
    } else {
      store_narrow(value);
    }
    out_ += element_size(dtype_);
  }

  void store_narrow(T value) {
    visit_dtype(dtype_, [&](auto tag) {
      const auto narrow = static_cast<typename decltype(tag)::type>(value);
      std::memcpy(out_, &narrow, sizeof(narrow));
    });
  }

  /// Reads "NaN", "Infinity" or "-Infinity". Throws for everything else.
  T no_number(const char* at) {
    if constexpr (std::floating_point<T>) {
      using Limits = std::numeric_limits<T>;
      const struct {
        std::string_view word;
        T value;
      } words[] = {{"\"NaN\"", Limits::quiet_NaN()},
                   {"\"Infinity\"", Limits::infinity()},
                   {"\"-Infinity\"", -Limits::infinity()}};
      for (const auto& [word, value] : words) {
        if (!starts_with(at, word)) continue;
        text_.skip(word.size());
        return value;
      }
    }
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (starts_with(at, word)) {
        fail("the word ", word, " is not valid JSON; write the string \"", word, "\"");
      }
    }
    fail("expected a number, found ", found_name(*at));
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) {
    std::string place = "data";
    for (std::size_t i = 0; i < depth_; ++i) place += text_of('[', index_[i], ']');
    text_.fail(text_.offset(), "tensor '", name_, "': ", place, ": ", parts...);
  }

  TextFile& text_;
  const std::string& name_;
  const IntArrayRef sizes_;
  DimVector index_;        // index of the current element; valid for the first depth_ dimensions
  std::size_t depth_ = 0;  // number of open lists
  bool exact_ = true;
  const ScalarType dtype_;
  const NumberRange<Text> range_;
  char* out_;
};

}  // namespace

ValueOutline outline_value(TextFile& text, const std::string& name) {
  ValueOutline outline{{}, kFloat};
  DimVector counts;  // number of elements so far in each open list
  bool any_int = false, any_bool = false, any_other = false;
  do {
    char next = text.skip_space();
    if (next == ',') {
      text.skip(1);
      next = text.skip_space();
    } else if (next == ']' && !counts.empty()) {
      auto& size = outline.sizes[counts.size() - 1];
      if (size < 0) size = counts.back();
      counts.pop_back();
      text.skip(1);
      continue;
    }
    if (!counts.empty()) ++counts.back();
    if (next == '[') {
      if (counts.size() == kMaxFileDims) {
        text.fail(text.offset(), "tensor '", name, "': lists are nested deeper than ",
                  kMaxFileDims);
      }
      if (counts.size() == outline.sizes.size()) outline.sizes.push_back(-1);
      counts.push_back(0);
      text.skip(1);
      continue;
    }
    bool is_integer = false;
    if (next == '"') {
      skip_string(text, name);
    } else {
      const char* at = text.at();
      const char* end = at + std::strcspn(at, ",[]{}\": \n\r\t");
      if (end == at) {
        text.fail(text.offset(), "tensor '", name, "': expected a value, found ", found_name(next));
      }
      number_end(at, is_integer);
      text.move_to(end);
    }
    (is_integer ? any_int : next == 't' || next == 'f' ? any_bool : any_other) = true;
  } while (!counts.empty());
  if (any_other || (any_int && any_bool)) {
    outline.dtype = kDouble;
  } else if (any_int || any_bool) {
    outline.dtype = any_int ? kLong : kBool;
  }
  return outline;
}

void read_value(TextFile& text, const std::string& name, const Tensor& tensor) {
  const auto read = [&](auto tag) {
    ValueReader<typename decltype(tag)::type>(text, name, tensor).read();
  };
  switch (tensor.dtype()) {
    case kBool:
      return read(TypeTag<bool>());
    case kDouble:
      return read(TypeTag<double>());
    default:
      return tensor.is_floating_point() ? read(TypeTag<float>()) : read(TypeTag<std::int64_t>());
  }
}

bool read_narrow_value(TextFile& text, const std::string& name, const Tensor& tensor) {
  return ValueReader<float, double>(text, name, tensor).read();
}

}  // namespace tern::detail
