#include <tern/serialization/detail/safetensors_reader.h>

#include <cstring>
#include <unordered_map>

#include <tern/core/base/error.h>
#include <tern/core/ops/creation.h>
#include <tern/serialization/detail/safetensors_file.h>

namespace tern::detail {
namespace {

/// Bytes of a bool other than 0 and 1 are true. Writes to none that need not change: they may be
/// mapped.
void normalize_bools(const Tensor& tensor) {
  auto* const bytes = static_cast<unsigned char*>(tensor.data_ptr());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (bytes[i] > 1) bytes[i] = 1;
  }
}

}  // namespace

SafetensorsReader::SafetensorsReader(const InputFile& file, const LoadFileOptions& options)
    : file_(file), header_(read_safetensors_header(file)) {
  if (options.map) mapping_ = std::make_shared<const MappedFile>(file);
}

ScalarType SafetensorsReader::dtype_of(const SafetensorsEntry& entry) const {
  std::string known;
#define TERN_DTYPE(type_name, type, number, file_name, python_name, category) \
  if (entry.dtype == file_name) return ScalarType::type_name;                 \
  known += known.empty() ? file_name : ", " file_name;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  raise<FileError>("load: '", file_.path(), "': tensor '", shown_name(entry.name), "': dtype ",
                   entry.dtype, " is none of those that tern has: ", known);
}

Tensor SafetensorsReader::read(const SafetensorsEntry& entry) const {
  const ScalarType dtype = dtype_of(entry);
  const auto size = static_cast<std::size_t>(entry.end - entry.begin);
  char* const mapped = mapping_ ? mapping_->data() + entry.begin : nullptr;
  Tensor tensor;
  if (mapped != nullptr && size > 0 &&
      reinterpret_cast<std::uintptr_t>(mapped) % element_size(dtype) == 0) {
    tensor = from_blob(
        mapped, entry.shape, [keep = mapping_](void*) {}, TensorOptions(dtype).device(kCPU));
  } else {
    tensor = make_tensor(entry.shape, dtype, kCPU);
    file_.read(entry.begin, tensor.data_ptr(), size);
  }
  if (dtype == kBool) normalize_bools(tensor);
  return tensor;
}

void SafetensorsReader::read_all(FlatState& flat) const {
  for (const SafetensorsEntry& entry : header_.entries) dtype_of(entry);
  for (const SafetensorsEntry& entry : header_.entries) {
    flat.tensors.emplace_back(entry.name, read(entry));
  }
}

void apply_metadata(const SafetensorsMetadata& metadata, FlatState& flat) {
  std::unordered_map<std::string_view, const Tensor*> stored;
  for (const auto& [name, tensor] : flat.tensors) stored.emplace(name, &tensor);
  std::vector<std::pair<std::string, Tensor>> aliases;
  for (const auto& [key, value] : metadata) {
    if (key == kTreeKey) {
      flat.tree = value;
    } else if (key != kFormatKey && !stored.contains(key)) {
      if (const auto kept = stored.find(value); kept != stored.end()) {
        stored.emplace(key, kept->second);
        aliases.emplace_back(key, *kept->second);
      }
    }
  }
  for (auto& alias : aliases) flat.tensors.push_back(std::move(alias));
}

bool recognizes_safetensors(std::string_view head) {
  std::uint64_t size = 0;
  if (head.size() < sizeof size) return false;
  std::memcpy(&size, head.data(), sizeof size);
  const std::size_t first = head.find_first_not_of(" \t\r\n", sizeof size);
  return size <= kMaxHeaderSize && first != head.npos && head[first] == '{';
}

State read_safetensors(const InputFile& file, const LoadFileOptions& options) {
  const SafetensorsReader reader(file, options);
  FlatState flat;
  reader.read_all(flat);
  apply_metadata(reader.header().metadata, flat);
  return unflatten(flat);
}

}  // namespace tern::detail
