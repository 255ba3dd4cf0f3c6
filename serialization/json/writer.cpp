#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <tern/serialization/file/detail/base64.h>
#include <tern/serialization/json/detail/format.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {
namespace {

class JsonWriter {
 public:
  JsonWriter(AtomicFile& file, const SaveOptions& options) : file_(file), options_(options) {}

  void write(const FlatState& flat) {
    text("{\n\"format\": ");
    text(quote_json(kJsonFormat));
    text(",\n\"version\": ");
    text(std::to_string(kJsonVersion));
    text(",\n\"metadata\": {");
    const char* separator = "";
    const auto string = [&](std::string_view key, const std::string& value) {
      text(std::exchange(separator, ", "));
      write_key(key);
      text(": ");
      text(quote_json(value));
    };
    for (const auto& [key, value] : options_.metadata) string(key, value);
    if (!flat.tree.empty()) string(kTreeKey, flat.tree);
    text("},\n\"tensors\": {");
    bool first = true;
    for (const auto& [name, tensor] : flat.tensors) {
      text(std::exchange(first, false) ? "\n" : ",\n");
      write_tensor(name, tensor.detach().cpu().contiguous());
    }
    text("\n}\n}\n");
    flush();
  }

 private:
  void write_tensor(const std::string& name, const Tensor& tensor) {
    name_ = &name;
    sizes_ = tensor.sizes();
    write_key(name);
    text(": {\"dtype\": ");
    text(quote_json(dtype_info(tensor.dtype()).file_name));
    text(", \"shape\": ");
    text(text_of(sizes_));
    const bool base64 = options_.base64 || is_endless(sizes_);
    if (base64) text(", \"encoding\": \"base64\"");
    text(", \"data\": ");
    visit_dtype(tensor.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* data = tensor.data_ptr<T>();
      if (!options_.allow_non_finite) refuse_non_finite(data, tensor.numel());
      if (base64) {
        write_base64(tensor);
      } else {
        write_level(data, 0);
      }
    });
    text("}");
  }

  void write_key(std::string_view key) {
    TERN_CHECK(key.size() <= kMaxJsonKey, FileError, "save: '", file_.path(), "': a key of ",
               key.size(), " bytes; ", kMaxJsonKey, " may be: '", shown_name(key), "'");
    text(quote_json(key));
  }

  /// Whether an empty tensor would be more empty lists than anybody reads.
  static bool is_endless(IntArrayRef sizes) {
    constexpr std::int64_t kMostLists = 1 << 16;
    std::int64_t lists = 1;
    for (const std::int64_t size : sizes) {
      if (size == 0) return lists > kMostLists;
      if (__builtin_mul_overflow(lists, size, &lists)) return true;
    }
    return false;
  }

  /// Nested lists with one row of numbers per line; returns the end of what was written.
  template <class T>
  const T* write_level(const T* data, std::size_t dim) {
    if (dim == sizes_.size()) {
      element(*data);
      return data + 1;
    }
    text("[");
    for (std::int64_t i = 0; i < sizes_[dim]; ++i) {
      if (i != 0) text(dim + 1 == sizes_.size() ? "," : ",\n");
      data = write_level(data, dim + 1);
    }
    text("]");
    return data;
  }

  void element(bool value) { text(value ? "true" : "false"); }

  void element(Half value) { element(static_cast<float>(value)); }
  void element(BFloat16 value) { element(static_cast<float>(value)); }

  template <class T>
  void element(T value) {
    if constexpr (std::is_integral_v<T> && sizeof(T) < 8) {
      return element(static_cast<std::int64_t>(value));
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) {
        text("\"");
        text(non_finite_word(value));
        text("\"");
        return;
      }
    }
    if (buffer_.size() - used_ < kMaxNumberText) flush();
    used_ = static_cast<std::size_t>(write_number(buffer_.data() + used_, value) - buffer_.data());
  }

  void write_base64(const Tensor& tensor) {
    static_assert(std::endian::native == std::endian::little, "the format is little-endian");
    constexpr std::size_t kChunk = 3 << 14;  // a multiple of 3 needs no padding in between
    std::string_view bytes(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
    text("\"");
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kChunk, bytes.size()))) {
      text(base64_encode(bytes.substr(0, kChunk)));
    }
    text("\"");
  }

  template <class T>
  void refuse_non_finite(const T* data, std::int64_t count) {
    if constexpr (is_floating_point(dtype_of<T>())) {
      const T* found =
          std::find_if(data, data + count, [](T x) { return !std::isfinite(double{x}); });
      if (found == data + count) return;
      std::string place;
      std::int64_t rest = found - data;
      for (std::size_t dim = sizes_.size(); dim-- > 0; rest /= sizes_[dim]) {
        place = text_of('[', rest % sizes_[dim], ']', place);
      }
      raise<FileError>("save: '", file_.path(), "': tensor '", *name_, "': data", place, " is ",
                       non_finite_word(double{*found}));
    }
  }

  void text(std::string_view bytes) {
    if (bytes.size() > buffer_.size() - used_) flush();
    if (bytes.size() > buffer_.size()) {
      file_.write(bytes);
      return;
    }
    std::memcpy(buffer_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }

  void flush() {
    file_.write({buffer_.data(), used_});
    used_ = 0;
  }

  AtomicFile& file_;
  const SaveOptions& options_;
  const std::string* name_ = nullptr;  // of the tensor that is written
  IntArrayRef sizes_;
  std::array<char, 1 << 16> buffer_;
  std::size_t used_ = 0;
};

}  // namespace

void write_json_state(const State& state, const SaveOptions& options, AtomicFile& file) {
  JsonWriter(file, options).write(flatten(state));
}

}  // namespace tern::detail
