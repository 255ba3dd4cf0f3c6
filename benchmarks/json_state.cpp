#include <filesystem>

#include <tern/serialization/state_file.h>

#include "bench.h"
#include "vae.h"

// The state of the autoencoder as JSON, synced to disk like every save. Its peer is Python's json
// with the same lists: json_state.py.

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  const bench::Autoencoder model;
  const std::string path =
      (std::filesystem::temp_directory_path() / "tern-bench-state.json").string();
  bench::report("VAE state as JSON, saved", [&] { tern::save(model, path); });
  bench::report("VAE state as JSON, loaded", [&] { tern::load_state(path); });
  std::filesystem::remove(path);
}
