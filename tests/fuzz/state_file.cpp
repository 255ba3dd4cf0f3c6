#include <tern/core/base/error.h>
#include <tern/serialization/archive.h>
#include <tern/serialization/detail/save_state.h>
#include <tern/serialization/state_file.h>

#include "input.h"

// Any bytes as a state file of the format with the suffix TERN_FUZZ_SUFFIX: an error, or a state
// that is saved and loaded unchanged from then on. What no State can hold is left out. The same
// bytes in memory as an archive.

namespace {

/// Of no use for files in memory, and slow.
struct NoSync final : tern::detail::FileCalls {
  int fsync(int) override { return 0; }
};

void read_archive(const std::uint8_t* data, std::size_t size) {
  try {
    tern::serialize::InputArchive archive, inner;
    archive.load_from(reinterpret_cast<const char*>(data), size);
    for (const std::string& key : archive.keys()) archive.try_read(key, inner);
    tern::serialize::OutputArchive copy;
    copy.write_items(archive.state());
    copy.save_to([](const void* /*bytes*/, std::size_t count) { return count; });
    archive.optimizer_state();
  } catch (const tern::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tern::fuzz::Folder folder;
  static NoSync calls;
  read_archive(data, size);
  const std::string path = folder.file("input" TERN_FUZZ_SUFFIX, data, size);
  tern::State read;
  try {
    std::vector<std::pair<std::string, std::string>> skipped;
    read = tern::load_state(path, {.skipped = &skipped});
  } catch (const tern::FileError&) {
    return 0;
  } catch (const tern::OutOfMemoryError&) {
    return 0;
  }
  try {
    // May refuse: not every format holds every state.
    tern::detail::save_state(read, path, {}, calls);
  } catch (const tern::Error&) {
    return 0;
  }
  // From what tern wrote on nothing may change: the first state may hold a NaN with a payload.
  const tern::State state = tern::load_state(path);
  tern::detail::save_state(state, path, {}, calls);
  if (!tern::identical(tern::load_state(path), state)) throw std::logic_error("another state");
  return 0;
}
