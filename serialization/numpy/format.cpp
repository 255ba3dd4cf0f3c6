#include <tern/serialization/numpy/detail/format.h>

#include <tern/serialization/state/detail/finite.h>
#include <tern/serialization/state/detail/flat_state.h>
#include <tern/serialization/zip/detail/writer.h>

namespace tern::detail {
namespace {

constexpr std::string_view kNpySuffix = ".npy";

Tensor host_copy(const Tensor& tensor) { return tensor.detach().cpu().contiguous(); }

}  // namespace

bool recognizes_npy(std::string_view head) { return head.starts_with("\x93NUMPY"); }

void write_npy_state(const State& state, const SaveOptions& options, AtomicFile& file) {
  const std::string place = text_of("save: '", file.path(), "'");
  TERN_CHECK(state.is_tensor(), FileError, place, ": an .npy file stores one tensor, not ",
             kind_name(state.kind()), "; use .npz");
  const Tensor tensor = host_copy(state.tensor());
  if (!options.allow_non_finite) refuse_non_finite(file.path(), "tensor", tensor);
  file.write(npy_header(tensor, place));
  file.write(bytes_of(tensor));
}

State read_npy_state(const InputFile& file, const LoadFileOptions&) {
  ByteStream stream(file, 0);
  return read_npy_array(stream);
}

/// Returns true for a ZIP archive that is empty or whose first entry is an .npy file or the tree.
bool recognizes_npz(std::string_view head) {
  constexpr std::size_t kNameSize = 26, kName = 30;  // offsets of the name's size and of the name
  if (head.starts_with("PK\5\6")) return true;
  if (!head.starts_with("PK\3\4") || head.size() < kName) return false;
  const std::size_t size = load_little<std::uint16_t>(head.data() + kNameSize);
  // Names in a file of torch.save are shorter than the head.
  return size > head.size() - kName || head.substr(kName, size).ends_with(kNpySuffix) ||
         head.substr(kName, size) == kTreeKey;
}

void write_npz_state(const State& state, const SaveOptions& options, AtomicFile& file) {
  const FlatState flat = flatten(state);
  ZipWriter zip(file);
  for (const auto& [name, tensor] : flat.tensors) {
    const Tensor host = host_copy(tensor);
    if (!options.allow_non_finite) refuse_non_finite(file.path(), name, host);
    const std::string header =
        npy_header(host, text_of("save: '", file.path(), "': tensor '", name, "'"));
    zip.add(name + std::string(kNpySuffix), {header, bytes_of(host)});
  }
  if (!flat.tree.empty()) zip.add(kTreeKey, {flat.tree});
  zip.finish();
}

State read_npz_state(const InputFile& file, const LoadFileOptions& options) {
  const ZipArchive zip(file);
  FlatState flat;
  for (const ZipEntry& entry : zip.entries()) {
    ByteStream stream(file, entry);
    if (entry.name == kTreeKey) {
      stream.refuse_expansion();
      flat.tree = stream.text(stream.remaining());
      stream.finish();
      continue;
    }
    if (!entry.name.ends_with(kNpySuffix)) stream.fail("the name does not end in .npy");
    std::string name = entry.name.substr(0, entry.name.size() - kNpySuffix.size()), unsupported;
    Tensor array = read_npy_array(stream, options.skipped == nullptr ? nullptr : &unsupported);
    if (array.defined()) {
      flat.tensors.emplace_back(std::move(name), std::move(array));
    } else {
      options.skipped->emplace_back(std::move(name), "an array of dtype " + unsupported);
    }
  }
  return unflatten(flat);
}

}  // namespace tern::detail
