#include <algorithm>

#include <tern/serialization/numpy/detail/format.h>
#include <tern/serialization/torch/detail/format.h>
#include <tern/serialization/torch/detail/pickle.h>
#include <tern/serialization/torch/detail/script.h>

namespace tern::detail {
namespace {

// The magic number of the older form in every pickle protocol: LONG1, ten bytes, STOP.
constexpr std::string_view kOldMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
constexpr std::int64_t kOldVersion = 1001;

void fill(const Tensor& elements, ByteStream& stream) {
  auto* const data = static_cast<char*>(elements.data_ptr());
  stream.read(data, elements.nbytes());
  if (elements.dtype() == kBool) {  // a bool of C++ must be 0 or 1
    for (std::size_t i = 0; i < elements.nbytes(); ++i) data[i] = data[i] != 0 ? 1 : 0;
  }
}

const ZipEntry& entry_of(const ZipArchive& zip, const std::string& name) {
  const ZipEntry* entry = zip.find(name);
  TERN_CHECK(entry != nullptr, FileError, "load: '", zip.file().path(),
             "': the archive has no entry '", name, "'; was it written by torch.save?");
  TERN_CHECK(!entry->deflated, FileError, "load: '", zip.file().path(), "': entry '", name,
             "' is compressed, but torch.save never compresses");
  return *entry;
}

std::string folder_of(const ZipArchive& zip) {
  const std::string first = zip.entries().empty() ? "" : zip.entries()[0].name;
  return first.substr(0, first.find('/') + 1);
}

/// With `as_tree`, the modules of an archive of TorchScript are dictionaries in the state.
State read_zip(const InputFile& file, const LoadFileOptions& options, bool as_tree) {
  const ZipArchive zip(file);
  const std::string folder = folder_of(zip);
  if (zip.find(folder + "byteorder") != nullptr) {
    ByteStream stream(file, entry_of(zip, folder + "byteorder"));
    constexpr std::string_view kLittle = "little";
    if (stream.remaining() != kLittle.size() || stream.text(kLittle.size()) != kLittle) {
      stream.fail("the elements must be little-endian");
    }
    stream.finish();
  }
  const auto entry_of_storage = [&](const std::string& key) -> const ZipEntry& {
    return entry_of(zip, folder + "data/" + key);
  };
  ByteStream stream(file, entry_of(zip, folder + "data.pkl"));
  TorchPickle pickle(
      stream, options.skipped,
      [&](const std::string& key, std::uint64_t) { return entry_of_storage(key).size; },
      /*requires_grad=*/as_tree);
  State state = pickle.read();
  stream.finish();
  for (const TorchPickle::Storage& storage : pickle.storages()) {
    ByteStream elements(file, entry_of_storage(storage.key), storage.note);
    fill(storage.elements, elements);
    elements.finish();
  }
  if (as_tree || zip.find(folder + "constants.pkl") == nullptr) return state;
  TERN_CHECK(state.is_dict(), FileError, "load: '", file.path(),
             "' is a TorchScript archive, a program with its weights; load it in Python with "
             "torch.jit.load and torch.save its state_dict()");
  return flat_script(state);
}

/// Throws unless the machine that wrote the file was little-endian.
void check_machine(const State& facts, const ByteStream& stream) {
  const State* little = facts.is_dict() ? facts.find("little_endian") : nullptr;
  if (little == nullptr || !little->is_bool() || !little->to<bool>()) {
    stream.fail("the elements must be little-endian");
  }
}

/// Reads the part after the pickles: for each key of the list, a count and the elements.
void read_old_storages(const State& keys, const TorchPickle& pickle, ByteStream& stream) {
  std::unordered_map<std::string_view, const TorchPickle::Storage*> missing;
  for (const TorchPickle::Storage& storage : pickle.storages()) {
    missing.emplace(storage.key, &storage);
  }
  for (const State& key : keys.elements()) {
    const auto found = missing.find(key.string());
    const auto count = stream.number<std::int64_t>();
    if (found == missing.end()) {
      const std::size_t size = pickle.element_size(key.string());
      std::uint64_t bytes = 0;
      if (size == 0 || count < 0 || __builtin_mul_overflow(size, count, &bytes))
        stream.fail("no tensor uses storage '", key.string(), "'");
      stream.skip(bytes);  // of a value that the state does not hold
      continue;
    }
    const TorchPickle::Storage& storage = *found->second;
    if (count != storage.elements.numel()) {
      stream.fail(storage.note, "storage '", storage.key, "': expected ", storage.elements.numel(),
                  " elements, found ", count);
    }
    if (storage.elements.nbytes() > stream.remaining())
      stream.fail(storage.note, "the file ends inside the elements");
    fill(storage.elements, stream);
    missing.erase(found);
  }
  if (!missing.empty()) {
    const TorchPickle::Storage& storage = *missing.begin()->second;
    stream.fail(storage.note, "storage '", storage.key, "' is missing");
  }
  stream.finish();
}

State read_old(const InputFile& file, std::uint64_t offset, const LoadFileOptions& options) {
  ByteStream stream(file, offset);
  std::uint64_t room = file.size();  // all storages together cannot be larger than the file
  TorchPickle pickle(stream, options.skipped, [&](const std::string&, std::uint64_t bytes) {
    const std::uint64_t found = std::min(bytes, room);
    room -= found;
    return found;
  });
  const State version = pickle.read();
  if (!version.is_int() || version.to<std::int64_t>() != kOldVersion) {
    stream.fail("version of the old format: expected ", kOldVersion);
  }
  check_machine(pickle.read(), stream);
  State state = pickle.read();
  read_old_storages(pickle.read(), pickle, stream);
  return state;
}

}  // namespace

State read_script_tree(const InputFile& file) { return read_zip(file, {}, /*as_tree=*/true); }

bool is_script(const InputFile& file) {
  if (!file.head(4).starts_with("PK")) return false;
  const ZipArchive zip(file);
  return zip.find(folder_of(zip) + "constants.pkl") != nullptr;
}

bool recognizes_torch(std::string_view head) {
  return (head.starts_with("PK\3\4") && !recognizes_npz(head)) ||
         (head.starts_with('\x80') && head.find(kOldMagic) != head.npos);
}

State read_torch_state(const InputFile& file, const LoadFileOptions& options) {
  const std::string head = file.head(64);
  if (head.starts_with("PK")) return read_zip(file, options, /*as_tree=*/false);
  const std::size_t magic = head.find(kOldMagic);
  TERN_CHECK(magic != head.npos, FileError, "load: '", file.path(),
             "' is neither a ZIP archive nor a file of torch.save in the older format");
  return read_old(file, magic + kOldMagic.size(), options);
}

}  // namespace tern::detail
