#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <tern/core/tensor/detail/shape.h>
#include <tern/serialization/numpy/detail/format.h>
#include <tern/serialization/state/detail/elements.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 1 << 16;

/// Returns NumPy's name of a dtype, such as "f4" for float32. Empty for bfloat16, which NumPy does
/// not have.
std::string npy_type(ScalarType dtype) {
  const DtypeInfo info = dtype_info(dtype);
  const std::string_view name = info.python_name;
  return name == "bfloat16" ? "" : name[0] + std::to_string(info.size);
}

std::optional<ScalarType> dtype_of_npy_type(std::string_view type) {
  if (type.empty()) return std::nullopt;
#define TERN_DTYPE(name, ...) \
  if (type == npy_type(ScalarType::name)) return ScalarType::name;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  return std::nullopt;
}

struct Header {
  std::optional<ScalarType> dtype;  // nullopt if tern does not have the dtype
  std::string descr;
  bool big_endian = false;
  bool fortran_order = false;
  DimVector sizes;
};

/// Reads the dictionary of the header, whose three keys may have any order.
class NpyHeaderReader {
 public:
  /// With `any_dtype`, dtypes that tern does not have are no error.
  NpyHeaderReader(const ByteStream& stream, std::string_view text, bool any_dtype)
      : stream_(stream), rest_(text), any_dtype_(any_dtype) {}

  Header read() {
    expect("{");
    while (!accept("}")) {
      const std::string_view key = quoted();
      expect(":");
      const auto* known = std::ranges::find(kKeys, key);
      if (known == kKeys.end()) fail("unknown key '", key, "'");
      bool& seen = seen_[static_cast<std::size_t>(known - kKeys.begin())];
      if (std::exchange(seen, true)) fail("key '", key, "' appears twice");
      read_value(key);
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (!seen_[i]) fail("missing key '", kKeys[i], "'");
    }
    skip_space();
    if (!rest_.empty()) fail("unexpected text after the dictionary");
    return std::move(header_);
  }

 private:
  static constexpr std::array<std::string_view, 3> kKeys = {"descr", "fortran_order", "shape"};

  void read_value(std::string_view key) {
    if (key == "descr") {
      skip_space();
      rest_.starts_with('[') ? skip_fields() : set_type(quoted());
    } else if (key == "fortran_order") {
      header_.fortran_order = accept("True");
      if (!header_.fortran_order) expect("False");
    } else {
      expect("(");
      while (!accept(")")) {
        header_.sizes.push_back(size());
        if (header_.sizes.size() > kMaxFileDims)
          fail("shape: expected at most ", kMaxFileDims, " sizes, found more");
        if (!accept(",")) {
          expect(")");
          break;
        }
      }
    }
  }

  /// Skips the list of the fields of a structured array.
  void skip_fields() {
    if (!any_dtype_) fail("structured arrays are not supported");
    std::size_t end = 0;
    int depth = 0;
    do {
      if (end == rest_.size()) fail("a list has no end");
      const char c = rest_[end++];
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    } while (depth > 0);
    header_.descr = rest_.substr(0, std::min(end, kMaxShown));
    rest_.remove_prefix(end);
  }

  void set_type(std::string_view descr) {
    const bool has_order = !descr.empty() && std::string_view("<>=|").find(descr[0]) != descr.npos;
    header_.big_endian = descr.starts_with('>');
    header_.descr = descr.substr(0, kMaxShown);
    header_.dtype = dtype_of_npy_type(descr.substr(has_order ? 1 : 0));
    if (!header_.dtype && !any_dtype_) {
      fail("descr '", header_.descr, "' is not a dtype of tern",
           descr.ends_with('O') ? "; it means Python objects, which tern never loads" : "");
    }
  }

  std::int64_t size() {
    skip_space();
    std::int64_t value = 0;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (result.ec != std::errc() || value < 0) fail("shape: expected sizes from 0 to 2^63 - 1");
    rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
    return value;
  }

  std::string_view quoted() {
    expect("'");
    const std::size_t end = rest_.find('\'');
    if (end == rest_.npos) fail("a string has no end");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }

  bool accept(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail("expected ", token, ", found '", rest_.substr(0, 20), "'");
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    stream_.fail("the header of the array: ", parts...);
  }

  static constexpr std::size_t kMaxShown = 40;

  const ByteStream& stream_;
  std::string_view rest_;
  const bool any_dtype_;
  std::array<bool, 3> seen_{};
  Header header_;
};

Header read_header(ByteStream& stream, bool any_dtype) {
  if (stream.remaining() < kNpyMagic.size() + 2 || stream.text(kNpyMagic.size()) != kNpyMagic) {
    stream.fail("not an .npy file: it does not begin with \\x93NUMPY");
  }
  const int version = stream.number<std::uint8_t>(), minor = stream.number<std::uint8_t>();
  if (version < 1 || version > 3 || minor != 0) {
    stream.fail("unknown version ", version, ".", minor, " of .npy, expected 1.0, 2.0 or 3.0");
  }
  const std::uint32_t size =
      version == 1 ? stream.number<std::uint16_t>() : stream.number<std::uint32_t>();
  if (size > kMaxHeader)
    stream.fail("the header has ", size, " bytes, at most ", kMaxHeader, " are allowed");
  const std::string text = stream.text(size);
  return NpyHeaderReader(stream, text, any_dtype).read();
}

/// Throws unless the elements take as many bytes as the stream still has.
void check_size(const Header& header, const ByteStream& stream) {
  const auto extent =
      extent_of(header.sizes, static_cast<std::int64_t>(element_size(*header.dtype)));
  if (!extent) stream.fail("shape ", IntArrayRef(header.sizes), " has too many elements");
  const auto bytes = extent->is_empty ? 0 : static_cast<std::uint64_t>(extent->product);
  if (bytes != stream.remaining()) {
    stream.fail("shape ", IntArrayRef(header.sizes), " of ", *header.dtype, " takes ", bytes,
                " bytes, but ", stream.remaining(), " follow the header");
  }
}

}  // namespace

std::string npy_header(const Tensor& tensor, std::string_view place) {
  const std::string type = npy_type(tensor.dtype());
  TERN_CHECK(!type.empty(), FileError, place, ": NumPy has no dtype ",
             dtype_info(tensor.scalar_type()).python_name,
             "; convert the tensor or use another format");
  std::string shape;
  for (const std::int64_t size : tensor.sizes()) shape += std::to_string(size) + ", ";
  // A Python tuple of one number ends in a comma: (3,) but (3, 4).
  if (!shape.empty()) shape.resize(shape.size() - (tensor.dim() == 1 ? 1 : 2));
  const char* order = tensor.element_size() == 1 ? "|" : "<";
  std::string text =
      "{'descr': '" + (order + type) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  const std::size_t before = kNpyMagic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kNpyMagic);
  header += '\1';
  header += '\0';
  append_little<std::uint16_t>(header, static_cast<std::uint16_t>(text.size()));
  return header + text;
}

Tensor read_npy_array(ByteStream& stream, std::string* unsupported) {
  const Header header = read_header(stream, unsupported != nullptr);
  if (!header.dtype) {
    *unsupported = header.descr;
    return Tensor();
  }
  check_size(header, stream);
  DimVector sizes = header.sizes;
  if (header.fortran_order) std::ranges::reverse(sizes);
  Tensor tensor = make_tensor(sizes, *header.dtype, kCPU);
  auto* const data = static_cast<char*>(tensor.data_ptr());
  stream.read(data, tensor.nbytes());
  stream.finish();
  if (header.dtype == kBool) {  // a bool of C++ must be 0 or 1
    for (std::size_t i = 0; i < tensor.nbytes(); ++i) data[i] = data[i] != 0 ? 1 : 0;
  }
  if (header.big_endian) {
    const std::size_t size = tensor.element_size();
    for (std::size_t i = 0; i < tensor.nbytes(); i += size) std::reverse(data + i, data + i + size);
  }
  if (!header.fortran_order) return tensor;
  DimVector strides = tensor.strides();
  std::ranges::reverse(strides);
  return make_alias(tensor, header.sizes, strides, 0);
}

}  // namespace tern::detail
