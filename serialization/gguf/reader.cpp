#include <tern/serialization/gguf/detail/reader.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include <tern/core/base/thread_pool.h>
#include <tern/core/ops/create/creation.h>
#include <tern/serialization/gguf/detail/cursor.h>
#include <tern/serialization/gguf/detail/format.h>
#include <tern/serialization/gguf/detail/values.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/state/detail/elements.h>

namespace tern::detail {
namespace {

/// Runs `part(begin, end)` for ranges of [0, count), with all threads, and rethrows an error.
template <class Part>
void in_parallel(std::int64_t count, std::int64_t grain, const Part& part) {
  std::mutex mutex;
  std::exception_ptr error;
  parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    try {
      part(begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace

GgufReader::GgufReader(const InputFile& file, const LoadFileOptions& options)
    : file_(file), header_(read_gguf_header(file)) {
  if (options.map) mapping_ = std::make_shared<const MappedFile>(file, options.read_ahead);
}

bool GgufReader::reads(const GgufEntry& entry) {
  return entry.blocks || dtype_of_file_name(entry.type);
}

Tensor GgufReader::read(const GgufEntry& entry, Source source) const {
  if (entry.blocks) return dequantized(entry, *entry.blocks, source);
  const auto dtype = dtype_of_file_name(entry.type);
  TERN_CHECK(dtype, FileError, "load: '", file_.path(), "': tensor '", shown_name(entry.name),
             "': the type ", entry.type,
             " is not supported, expected one of F32, F16, BF16, F64, I8, I16, I32, I64, Q8_0, "
             "Q4_0, Q4_1, Q4_K, Q6_K");
  return stored(entry, entry.shape, *dtype, source);
}

GgufBlocks GgufReader::read_blocks(const GgufEntry& entry, Source source) const {
  TERN_CHECK(entry.blocks, FileError, "load: '", file_.path(), "': tensor '",
             shown_name(entry.name), "' has the type ", entry.type,
             ", expected one of the blocks Q8_0, Q4_0, Q4_1, Q4_K, Q6_K");
  DimVector shape = entry.shape;
  shape[shape.size() - 1] =
      shape[shape.size() - 1] / elements_of_block(*entry.blocks) * bytes_of_block(*entry.blocks);
  return {*entry.blocks, entry.shape, stored(entry, shape, kByte, source)};
}

/// Returns the bytes of the file as a tensor: as a view of the mapping where that is asked for and
/// aligned.
Tensor GgufReader::stored(const GgufEntry& entry, IntArrayRef shape, ScalarType dtype,
                          Source source) const {
  if (mapping_ && source == Source::kMapping && entry.begin != entry.end) {
    char* const data = mapping_->data() + entry.begin;
    if (reinterpret_cast<std::uintptr_t>(data) % element_size(dtype) == 0) {
      return from_blob(
          data, shape, [keep = mapping_](void*) {}, TensorOptions(dtype).device(kCPU));
    }
  }
  if (mapping_) mapping_->set_apart(entry.begin, entry.end);
  Tensor tensor = make_tensor(shape, dtype, kCPU);
  auto* const data = static_cast<char*>(tensor.data_ptr());
  constexpr std::int64_t kGrain = 8 << 20;
  in_parallel(static_cast<std::int64_t>(entry.end - entry.begin), kGrain,
              [&](std::int64_t begin, std::int64_t end) {
                file_.read(entry.begin + static_cast<std::uint64_t>(begin), data + begin,
                           static_cast<std::size_t>(end - begin));
              });
  return tensor;
}

Tensor GgufReader::dequantized(const GgufEntry& entry, BlockFormat format, Source source) const {
  Tensor tensor = make_tensor(entry.shape, kFloat, kCPU);
  auto* const out = static_cast<float*>(tensor.data_ptr());
  const std::int64_t bytes = bytes_of_block(format), elements = elements_of_block(format);
  constexpr std::int64_t kGrain = 1 << 18;  // elements
  in_parallel(tensor.numel() / elements, kGrain / elements,
              [&](std::int64_t begin, std::int64_t end) {
                std::vector<std::byte> buffer;
                for (std::int64_t next; begin < end; begin = next) {
                  next = std::min(end, begin + kGrain / elements);
                  const auto at = entry.begin + static_cast<std::uint64_t>(begin * bytes);
                  const std::byte* blocks = buffer.data();
                  if (mapping_ && source == Source::kMapping) {
                    blocks = reinterpret_cast<const std::byte*>(mapping_->data() + at);
                  } else {
                    buffer.resize(static_cast<std::size_t>((next - begin) * bytes));
                    file_.read(at, buffer.data(), buffer.size());
                    blocks = buffer.data();
                  }
                  dequantize_blocks(format, blocks, next - begin, out + begin * elements);
                }
              });
  return tensor;
}

bool recognizes_gguf(std::string_view head) { return head.starts_with(kGgufMagic); }

State read_gguf(const InputFile& file, const LoadFileOptions& options) {
  const GgufReader reader(file, options);
  State state;
  for (const GgufEntry& entry : reader.header().entries) {
    if (options.skipped != nullptr && !GgufReader::reads(entry)) {
      options.skipped->emplace_back(entry.name, text_of("a tensor of type ", entry.type));
    } else {
      state.insert(entry.name, reader.read(entry));
    }
  }
  if (options.metadata == nullptr) return state;
  for (const GgufKey& key : reader.header().keys) {
    if (key.kind == kGgufArray) continue;
    GgufCursor cursor(file, key.at, text_of("key '", shown_name(key.name), "'"));
    options.metadata->emplace_back(key.name, read_gguf_text(cursor, key.kind));
  }
  return state;
}

}  // namespace tern::detail
