#include <tern/serialization/safetensors.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include <tern/serialization/state_file.h>
#include <tern/tern.h>

#include "bench.h"
#include "peak.h"

// 512 MB of weights as safetensors, synced to disk like every save; its peer is Python's library:
// safetensors_state.py. With the argument "stream": saves and loads 4 GB with as little memory as
// possible and prints the memory needed beyond the start, in kB.

namespace {

constexpr std::int64_t kTensors = 32;

tern::State weights() {
  tern::State state;
  for (std::int64_t i = 0; i < kTensors; ++i) {
    state.insert("layer." + std::to_string(i), tern::rand({2048, 2048}));
  }
  return state;
}

void time(const std::string& path) {
  const tern::State state = weights();
  bench::report("512 MB as safetensors, saved", [&] { tern::save(state, path); });
  tern::LoadFileOptions mapped;
  mapped.map = true;
  bench::report("512 MB as safetensors, mapped", [&] { tern::load_state(path, mapped); });
  bench::report("512 MB as safetensors, mapped and touched", [&] {
    int sum = 0;
    const tern::State loaded = tern::load_state(path, mapped);
    for (const auto& [key, value] : loaded) {
      const tern::Tensor tensor = value;
      const auto* bytes = static_cast<const char*>(tensor.data_ptr());
      for (std::size_t i = 0; i < tensor.nbytes(); i += 4096) sum += bytes[i];
    }
    [[maybe_unused]] static volatile int sink;
    sink = sum;
  });
  bench::report("512 MB as safetensors, read", [&] { tern::load_state(path); });
}

/// Views of 128 MB each when they are written, which take no memory before.
void stream(const std::string& path) {
  const long start = bench::peak();
  tern::State state;
  const tern::Tensor row = tern::rand({4096});
  for (std::int64_t i = 0; i < kTensors; ++i) {
    state.insert("layer." + std::to_string(i), (row + i).expand({8192, 4096}));
  }
  tern::save(state, path);
  std::printf("4 GB as safetensors, saved\t%ld kB\n", bench::peak() - start);
  const tern::SafetensorsFile file(path);
  double sum = 0;
  for (const tern::SafetensorsEntry& entry : file.entries()) {
    sum += file.read(entry.name)[0][0].item<double>();
  }
  std::printf("4 GB as safetensors, read one by one\t%ld kB\t(%g)\n", bench::peak() - start, sum);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[THREADS | stream]", 1);
  const std::string path =
      (std::filesystem::temp_directory_path() / "tern-bench.safetensors").string();
  if (arguments.text(1) == "stream") {
    stream(path);
  } else {
    tern::set_num_threads(arguments.threads());
    time(path);
  }
  std::filesystem::remove(path);
}
