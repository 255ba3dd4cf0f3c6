#include <tern/serialization/safetensors/detail/writer.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <tern/core/base/error.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/dtype.h>
#include <tern/serialization/safetensors/detail/format.h>
#include <tern/serialization/safetensors/detail/header.h>
#include <tern/serialization/state/detail/finite.h>

namespace tern::detail {
namespace {

/// Returns a key that is equal for tied tensors: the same storage, offset, dtype, sizes and
/// strides.
auto view_of(const Tensor& tensor) {
  return std::make_tuple(tensor.self().storage.get(), tensor.storage_offset(), tensor.dtype(),
                         tensor.sizes().vec(), tensor.strides().vec());
}

/// Returns the tensors in the order of their data: by descending alignment, then by name, as in the
/// reference implementation.
std::vector<const NamedTensor*> data_order(std::vector<const NamedTensor*> tensors) {
  std::ranges::sort(tensors, [](const NamedTensor* a, const NamedTensor* b) {
    const auto* dtype_a = find_safetensors_dtype(dtype_info(a->second.dtype()).file_name);
    const auto* dtype_b = find_safetensors_dtype(dtype_info(b->second.dtype()).file_name);
    return dtype_a != dtype_b ? dtype_a > dtype_b : a->first < b->first;
  });
  return tensors;
}

/// Returns the header with the 8 bytes before it. Its entries keep the order of the state, because
/// the data have another order.
std::string header_of(const SafetensorsContent& content,
                      const std::vector<const NamedTensor*>& order, const std::string& path) {
  std::map<const NamedTensor*, std::size_t> begins;
  std::size_t end = 0;
  for (const NamedTensor* tensor : order) {
    begins.emplace(tensor, end);
    end += tensor->second.nbytes();
  }
  std::string text(sizeof(std::uint64_t), ' ');
  text += "{" + quote_json(kMetadataKey) + ":{";
  for (const auto& [key, value] : content.metadata) {
    if (text.back() != '{') text += ',';
    text += quote_json(key) + ':' + quote_json(value);
  }
  text += '}';
  for (const NamedTensor* tensor : content.tensors) {
    const auto& [name, value] = *tensor;
    const std::size_t begin = begins.at(tensor);
    text += ',' + quote_json(name) + ":{\"dtype\":\"" + dtype_info(value.dtype()).file_name +
            "\",\"shape\":[";
    for (const std::int64_t size : value.sizes()) {
      if (text.back() != '[') text += ',';
      text += std::to_string(size);
    }
    text += "],\"data_offsets\":[" + std::to_string(begin) + ',' +
            std::to_string(begin + value.nbytes()) + "]}";
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the elements
  const std::uint64_t size = text.size() - sizeof size;
  TERN_CHECK(content.metadata.size() <= kMaxMetadata, FileError, "save: '", path,
             "': ", content.metadata.size(), " strings of metadata, at most ", kMaxMetadata,
             " are allowed");
  TERN_CHECK(size <= kMaxHeaderSize, FileError, "save: '", path, "': the header takes ", size,
             " bytes; safetensors allows ", kMaxHeaderSize);
  text.replace(0, sizeof size, reinterpret_cast<const char*>(&size), sizeof size);
  return text;
}

/// Throws if a reader would take one of the user's strings for the name of a tied tensor.
void check_metadata(const SafetensorsMetadata& metadata, const FlatState& flat,
                    const std::string& path) {
  std::set<std::string_view> names;
  for (const NamedTensor& tensor : flat.tensors) names.insert(tensor.first);
  for (const auto& [key, value] : metadata) {
    TERN_CHECK(
        !names.contains(key) && !names.contains(value), FileError, "save: '", path, "': metadata '",
        key, "': '", value,
        "' must not contain the name of a tensor, because such metadata describes tied tensors");
  }
}

}  // namespace

SafetensorsContent safetensors_content(const FlatState& flat, const SaveOptions& options,
                                       const std::string& path) {
  check_metadata(options.metadata, flat, path);
  std::map<decltype(view_of(Tensor())), const NamedTensor*> kept;
  for (const NamedTensor& tensor : flat.tensors) {
    TERN_CHECK(tensor.first != kMetadataKey, FileError, "save: '", path,
               "': in safetensors no tensor can have the name '", kMetadataKey, "'");
    const NamedTensor*& keeper = kept[view_of(tensor.second)];
    if (keeper == nullptr || tensor.first < keeper->first) keeper = &tensor;
  }
  SafetensorsContent content{{}, {{std::string(kFormatKey), "pt"}}};
  for (const NamedTensor& tensor : flat.tensors) {
    const NamedTensor* const keeper = kept[view_of(tensor.second)];
    const bool is_key = tensor.first == kFormatKey || tensor.first == kTreeKey;
    if (keeper == &tensor || tensor.second.numel() == 0 || is_key) {
      content.tensors.push_back(&tensor);
    } else {
      content.metadata.emplace_back(tensor.first, keeper->first);
    }
  }
  // The header loses the position of tied tensors, so the tree stores the order of the names.
  const bool has_ties = content.tensors.size() != flat.tensors.size();
  const std::string& tree = flat.tree.empty() && has_ties ? flat.order : flat.tree;
  if (!tree.empty()) content.metadata.emplace_back(kTreeKey, tree);
  content.metadata.insert(content.metadata.end(), options.metadata.begin(), options.metadata.end());
  return content;
}

void write_safetensors_file(const SafetensorsContent& content, const SaveOptions& options,
                            AtomicFile& file) {
  const std::vector<const NamedTensor*> order = data_order(content.tensors);
  file.write(header_of(content, order, file.path()));
  for (const NamedTensor* tensor : order) {
    // Copies one tensor at a time, to save memory.
    const Tensor host = tensor->second.detach().contiguous().cpu();
    if (!options.allow_non_finite) refuse_non_finite(file.path(), tensor->first, host);
    file.write(bytes_of(host));
  }
}

void write_safetensors(const State& state, const SaveOptions& options, AtomicFile& file) {
  const FlatState flat = flatten(state);
  write_safetensors_file(safetensors_content(flat, options, file.path()), options, file);
}

}  // namespace tern::detail
