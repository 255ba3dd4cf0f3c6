#include <tern/serialization/detail/json_values.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstring>
#include <limits>
#include <string_view>

namespace tern::detail {
namespace {

// The text ends with a NUL, which is part of nothing that is looked for below: no loop needs to
// compare with the end.

constexpr std::size_t kMaxDims = 64;  // as PyTorch

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool starts_with(const char* at, std::string_view word) {
  return std::strncmp(at, word.data(), word.size()) == 0;  // stops at the NUL
}

const char* skip_digits(const char* at) {
  while (is_digit(*at)) ++at;
  return at;
}

/// Behind the JSON number at `at`; null when there is none.
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

/// Behind the number, word or string at `at`, whatever it is.
const char* leaf_end(const char* at) {
  if (*at != '"') return at + std::strcspn(at, ",[]{}\": \n\r\t");
  const char* end = at + 1 + std::strcspn(at + 1, "\"\\");
  return *end == '"' ? end + 1 : end;
}

/// What stands at `at`, in words.
const char* found_name(const char* at) {
  switch (*at) {
    case '[':
      return "a list";
    case ']':
      return "the end of a list";
    case '{':
      return "an object";
    case '"':
      return "a string";
    case 't':
    case 'f':
      return "a bool";
    case 'n':
      return "null";
    case ',':
      return "a comma";
    case '\0':
      return "the end of the file";
    default:
      return is_digit(*at) || *at == '-' ? "a number" : "something that is no JSON";
  }
}

template <class T>
class ValueReader {
 public:
  ValueReader(const TextFile& file, const char* at, const std::string& name, const Tensor& tensor)
      : file_(file),
        at_(at),
        name_(name),
        tensor_(tensor),
        sizes_(tensor.sizes()),
        index_(sizes_.size()),
        out_(tensor.data_ptr<T>()) {}

  const char* read() {
    read_level(0);
    return at_;
  }

 private:
  void read_level(std::size_t dim) {
    at_ = skip_space(at_);
    depth_ = dim;
    if (dim == sizes_.size()) {
      *out_++ = element();
      return;
    }
    const std::int64_t count = sizes_[dim];
    if (*at_ != '[') fail("expected a list of ", count, ", found ", found_name(at_));
    ++at_;
    for (index_[dim] = 0; index_[dim] < count; ++index_[dim]) {
      if (index_[dim] != 0) separator(dim, ',');
      read_level(dim + 1);
    }
    separator(dim, ']');
  }

  void separator(std::size_t dim, char expected) {
    at_ = skip_space(at_);
    if (*at_ == expected) {
      ++at_;
      return;
    }
    depth_ = dim;
    const std::int64_t count = sizes_[dim];
    if (*at_ == ']') fail("expected ", count, " elements, found ", index_[dim]);
    if (expected == ']' && *at_ != '\0') fail("expected ", count, " elements, found more");
    fail("expected '", expected, "', found ", found_name(at_));
  }

  T element() {
    if constexpr (std::same_as<T, bool>) {
      for (const bool value : {false, true}) {
        const std::string_view word = value ? "true" : "false";
        if (!starts_with(at_, word)) continue;
        at_ += word.size();
        return value;
      }
      fail("expected true or false, found ", found_name(at_));
    } else {
      bool is_integer = false;
      const char* end = number_end(at_, is_integer);
      if (end == nullptr) return no_number();
      if (std::integral<T> && !is_integer) {
        fail("expected an integer, found ", std::string_view(at_, end));
      }
      T value;
      const auto result = std::from_chars(at_, end, value);
      if (result.ec != std::errc()) {
        fail("the number ", std::string_view(at_, std::min(end, at_ + 40)),
             " is outside the range of ", dtype_info(tensor_.dtype()).file_name);
      }
      at_ = end;
      return value;
    }
  }

  /// One of the three strings that stand for numbers; everything else is an error.
  T no_number() {
    if constexpr (std::floating_point<T>) {
      using Limits = std::numeric_limits<T>;
      const struct {
        std::string_view word;
        T value;
      } words[] = {{"\"NaN\"", Limits::quiet_NaN()},
                   {"\"Infinity\"", Limits::infinity()},
                   {"\"-Infinity\"", -Limits::infinity()}};
      for (const auto& [word, value] : words) {
        if (!starts_with(at_, word)) continue;
        at_ += word.size();
        return value;
      }
    }
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (starts_with(at_, word)) {
        fail("a bare ", word, " is no JSON; state files write the string \"", word, "\"");
      }
    }
    fail("expected a number, found ", found_name(at_));
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) {
    std::string place = "data";
    for (std::size_t i = 0; i < depth_; ++i) place += text_of('[', index_[i], ']');
    file_.fail(at_, "tensor '", name_, "': ", place, ": ", parts...);
  }

  const TextFile& file_;
  const char* at_;
  const std::string& name_;
  const Tensor& tensor_;
  const IntArrayRef sizes_;
  DimVector index_;        // of the element that is read, as far as
  std::size_t depth_ = 0;  // this many levels
  T* out_;
};

}  // namespace

ValueOutline outline_value(const TextFile& file, const char* at, const std::string& name) {
  ValueOutline outline{at, {}, kFloat};
  DimVector counts;  // elements so far of each open list
  bool any_int = false, any_bool = false, any_other = false;
  do {
    at = skip_space(at);
    if (*at == ',') {
      at = skip_space(at + 1);
    } else if (*at == ']' && !counts.empty()) {
      auto& size = outline.sizes[counts.size() - 1];
      if (size < 0) size = counts.back();
      counts.pop_back();
      ++at;
      continue;
    }
    if (!counts.empty()) ++counts.back();
    if (*at == '[') {
      if (counts.size() == kMaxDims) {
        file.fail(at, "tensor '", name, "': lists are nested deeper than ", kMaxDims);
      }
      if (counts.size() == outline.sizes.size()) outline.sizes.push_back(-1);
      counts.push_back(0);
      ++at;
      continue;
    }
    const char* end = leaf_end(at);
    if (end == at) file.fail(at, "tensor '", name, "': expected a value, found ", found_name(at));
    if (*at == '"' && (end == at + 1 || end[-1] != '"')) {
      file.fail(end, "tensor '", name, "': a string of elements has no end or an escape");
    }
    bool is_integer = false;
    number_end(at, is_integer);
    (is_integer ? any_int : *at == 't' || *at == 'f' ? any_bool : any_other) = true;
    at = end;
  } while (!counts.empty());
  outline.end = at;
  if (any_other || (any_int && any_bool)) {
    outline.dtype = kDouble;
  } else if (any_int || any_bool) {
    outline.dtype = any_int ? kLong : kBool;
  }
  return outline;
}

const char* read_value(const TextFile& file, const char* at, const std::string& name,
                       const Tensor& tensor) {
  return visit_dtype(tensor.dtype(), [&](auto tag) {
    return ValueReader<typename decltype(tag)::type>(file, at, name, tensor).read();
  });
}

}  // namespace tern::detail
