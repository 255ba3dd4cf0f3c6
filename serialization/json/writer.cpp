#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <tern/serialization/file/detail/base64.h>
#include <tern/serialization/json/detail/format.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/state/detail/finite.h>
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
    text(flat.tree.empty() ? "1" : "2");
    text(",\n\"metadata\": {");
    for (const auto& [key, value] : options_.metadata) {
      if (&key != &options_.metadata.front().first) text(", ");
      write_key(key);
      text(": ");
      text(quote_json(value));
    }
    text("}");
    if (!flat.tree.empty()) write_state(flat.tree);
    text(",\n\"tensors\": {");
    bool first = true;
    for (const auto& [name, tensor] : flat.tensors) {
      text(std::exchange(first, false) ? "\n" : ",\n");
      write_tensor(name, tensor.detach().cpu().contiguous());
    }
    text("\n}\n}\n");
    flush();
  }

 private:
  void write_state(const std::string& tree) {
    const bool is_object = tree.starts_with('{');
    text(",\n\"state\": ");
    if (!is_object) text("{" + quote_json(kRootWord) + ": ");
    text(tree);
    if (!is_object) text("}");
  }

  void write_tensor(const std::string& name, const Tensor& tensor) {
    sizes_ = tensor.sizes();
    write_key(name);
    text(": {\"dtype\": ");
    text(quote_json(dtype_info(tensor.dtype()).file_name));
    text(", \"shape\": ");
    text(text_of(sizes_));
    const bool base64 = options_.base64 || is_endless(sizes_);
    if (base64) text(", \"encoding\": \"base64\"");
    text(", \"data\": ");
    if (!options_.allow_non_finite) refuse_non_finite(file_.path(), name, tensor);
    if (base64) {
      write_base64(tensor);
    } else {
      visit_dtype(tensor.dtype(), [&](auto tag) {
        write_level(tensor.data_ptr<typename decltype(tag)::type>(), 0);
      });
    }
    text("}");
  }

  void write_key(std::string_view key) {
    TERN_CHECK(key.size() <= kMaxJsonKey, FileError, "save: '", file_.path(), "': the key '",
               shown_name(key), "' has ", key.size(), " bytes, at most ", kMaxJsonKey,
               " are allowed");
    text(quote_json(key));
  }

  /// Returns true if an empty tensor would become more than 65536 empty lists.
  static bool is_endless(IntArrayRef sizes) {
    constexpr std::int64_t kMostLists = 1 << 16;
    std::int64_t lists = 1;
    for (const std::int64_t size : sizes) {
      if (size == 0) return lists > kMostLists;
      if (__builtin_mul_overflow(lists, size, &lists)) return true;
    }
    return false;
  }

  /// Writes nested lists with one row of numbers per line. Returns the end of the elements.
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
    constexpr std::size_t kChunk = 3 << 14;  // a multiple of 3: only the last chunk needs padding
    std::string_view bytes = bytes_of(tensor);
    text("\"");
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kChunk, bytes.size()))) {
      text(base64_encode(bytes.substr(0, kChunk)));
    }
    text("\"");
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
  IntArrayRef sizes_;
  std::array<char, 1 << 16> buffer_;
  std::size_t used_ = 0;
};

}  // namespace

void write_json_state(const State& state, const SaveOptions& options, AtomicFile& file) {
  JsonWriter(file, options).write(flatten(state, TreeLayout::kLines));
}

}  // namespace tern::detail
