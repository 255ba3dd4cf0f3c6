#include <tern/core/base/error.h>
#include <tern/serialization/gguf.h>

#include "input.h"

// Any bytes as a GGUF file: an error, or a file whose values, tensors and blocks can be read, also
// as a Llama model.

namespace {

template <class Read>
void try_to(const Read& read) {
  try {
    read();
  } catch (const tern::Error&) {
  }
}

void read_all(const tern::GgufFile& file) {
  for (const std::string_view key : file.keys()) {
    file.text(key);
    try_to([&] { file.metadata(key); });
    try_to([&] { file.strings(key); });
    try_to([&] { file.integers(key); });
  }
  for (const tern::GgufEntry& entry : file.entries()) {
    try_to([&] { file.read(entry.name); });
    try_to([&] { file.read_blocks(entry.name); });
  }
  try_to([&] {
    const tern::GgufLlama llama(file);
    for (const tern::GgufLlamaName& name : llama.names()) {
      try_to([&] { llama.read(name.name); });
      try_to([&] { llama.read_blocks(name.name); });
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tern::fuzz::Folder folder;
  const std::string path = folder.file("input.gguf", data, size);
  for (const bool map : {false, true}) {
    try_to([&] { read_all(tern::GgufFile(path, {.map = map})); });
  }
  try_to([&] {
    std::vector<std::pair<std::string, std::string>> metadata, skipped;
    tern::load_state(path, {.metadata = &metadata, .skipped = &skipped});
  });
  return 0;
}
