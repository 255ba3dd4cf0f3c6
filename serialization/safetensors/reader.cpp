#include <tern/serialization/safetensors/detail/reader.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <tern/core/base/error.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/ops/create/creation.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/format.h>
#include <tern/serialization/safetensors/detail/index.h>
#include <tern/serialization/state/detail/elements.h>

namespace tern::detail {
namespace {

/// Changes bytes other than 0 and 1 to 1. Does not write to other bytes, because a write to a
/// mapped page copies the page.
void normalize_bools(const Tensor& tensor) {
  auto* const bytes = static_cast<unsigned char*>(tensor.data_ptr());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (bytes[i] > 1) bytes[i] = 1;
  }
}

/// A range of bytes in the file and its target in memory.
struct ByteRange {
  std::uint64_t offset;
  std::size_t size;
  char* to;
};

/// Reads with all threads, because most of the time goes into copying from the system's cache to
/// new memory.
void read_ranges(const InputFile& file, const std::vector<ByteRange>& ranges) {
  constexpr std::int64_t kGrain = 8 << 20;
  std::size_t total = 0;
  for (const ByteRange& range : ranges) total += range.size;
  std::mutex mutex;
  std::exception_ptr error;
  const auto read_part = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t place = 0;  // begin of the range in the sequence of all ranges
    for (const ByteRange& range : ranges) {
      const std::int64_t from = std::max(begin - place, std::int64_t{0});
      const std::int64_t to = std::min(end - place, static_cast<std::int64_t>(range.size));
      if (from < to) {
        file.read(range.offset + static_cast<std::uint64_t>(from), range.to + from,
                  static_cast<std::size_t>(to - from));
      }
      place += static_cast<std::int64_t>(range.size);
    }
  };
  parallel_for(0, static_cast<std::int64_t>(total), kGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 try {
                   read_part(begin, end);
                 } catch (...) {
                   const std::lock_guard lock(mutex);
                   error = std::current_exception();
                 }
               });
  if (error) std::rethrow_exception(error);
}

}  // namespace

SafetensorsReader::SafetensorsReader(const InputFile& file, const LoadFileOptions& options)
    : file_(file), header_(read_safetensors_header(file)) {
  if (options.map) mapping_ = std::make_shared<const MappedFile>(file, options.read_ahead);
}

/// Returns a view of the mapping. Undefined if the file is not mapped, the tensor is empty or its
/// elements are not aligned.
Tensor SafetensorsReader::map(const SafetensorsEntry& entry, ScalarType dtype) const {
  if (!mapping_ || entry.begin == entry.end) return Tensor();
  char* const data = mapping_->data() + entry.begin;
  if (reinterpret_cast<std::uintptr_t>(data) % element_size(dtype) != 0) return Tensor();
  return from_blob(
      data, entry.shape, [keep = mapping_](void*) {}, TensorOptions(dtype).device(kCPU));
}

std::vector<Tensor> SafetensorsReader::read(ArrayRef<SafetensorsEntry> entries,
                                            decltype(LoadFileOptions::skipped) skipped) const {
  for (const SafetensorsEntry& entry : entries) {
    if (dtype_of_file_name(entry.dtype)) continue;
    TERN_CHECK(skipped != nullptr, FileError, "load: '", file_.path(), "': tensor '",
               shown_name(entry.name), "': dtype ", entry.dtype,
               " is not supported, expected one of ", file_names_of_dtypes());
    skipped->emplace_back(entry.name, text_of("a tensor of dtype ", entry.dtype));
  }
  std::vector<Tensor> tensors;
  std::vector<ByteRange> ranges;
  for (const SafetensorsEntry& entry : entries) {
    Tensor& tensor = tensors.emplace_back();
    const auto dtype = dtype_of_file_name(entry.dtype);
    if (!dtype) continue;
    tensor = map(entry, *dtype);
    if (tensor.defined()) continue;
    tensor = make_tensor(entry.shape, *dtype, kCPU);
    ranges.push_back({entry.begin, tensor.nbytes(), static_cast<char*>(tensor.data_ptr())});
  }
  read_ranges(file_, ranges);
  for (const Tensor& tensor : tensors) {
    if (tensor.defined() && tensor.dtype() == kBool) normalize_bools(tensor);
  }
  return tensors;
}

void apply_metadata(const SafetensorsMetadata& metadata, FlatState& flat,
                    const LoadFileOptions& options) {
  std::unordered_map<std::string_view, const Tensor*> stored;
  for (const auto& [name, tensor] : flat.tensors) stored.emplace(name, &tensor);
  std::vector<std::pair<std::string, Tensor>> aliases;
  std::unordered_set<std::string_view> users;  // several files may have the same key
  for (const auto& [key, value] : metadata) {
    if (key == kTreeKey) {
      flat.tree = value;
    } else if (key != kFormatKey && key != kSaveKey) {
      const auto kept = stored.find(value);
      if (kept != stored.end() && stored.emplace(key, kept->second).second) {
        aliases.emplace_back(key, *kept->second);
      } else if (options.metadata != nullptr && kept == stored.end() && users.insert(key).second) {
        options.metadata->emplace_back(key, value);
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
  const SafetensorsHeader& header = reader.header();
  const std::vector<Tensor> tensors = reader.read(header.entries, options.skipped);
  FlatState flat;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].defined()) flat.tensors.emplace_back(header.entries[i].name, tensors[i]);
  }
  apply_metadata(header.metadata, flat, options);
  return unflatten(flat);
}

}  // namespace tern::detail
