#pragma once

#include <gtest/gtest.h>

#include <string>

#include <tern/core/ops/ops.h>
#include <tern/core/tensor/state.h>
#include <tern/serialization/state_file.h>

namespace tern {

/// A suffix of each format that holds any State. What the tests with it say holds for all.
inline const char* const kStateFormats[] = {".json", ".npz", ".safetensors", ".pt"};

/// Stands beside the formats for a state in several files, where tests of saving take it.
inline const char* const kSharded = ".shards.safetensors";

inline bool is_sharded(std::string_view format) { return format == kSharded; }

/// How tests save in a format.
inline SaveOptions save_options(std::string_view format) {
  SaveOptions options;
  if (is_sharded(format)) options.max_shard_size = 512;  // three files for a sample_state
  return options;
}

/// The format as part of a test's name.
inline std::string format_name(const ::testing::TestParamInfo<const char*>& test) {
  const std::string suffix = test.param + 1;
  return suffix.substr(0, suffix.find('.'));
}

/// A checkpoint in small, different for each `seed`.
inline State sample_state(std::uint64_t seed, std::int64_t size = 64) {
  manual_seed(seed);
  State model;
  model.insert("fc.weight", randn({size, size}));
  model.insert("fc.bias", randn({size}, kDouble));
  model.insert("steps", tensor(static_cast<std::int64_t>(seed)));
  model.insert("mask", tensor({true, false}));
  State state;
  state.insert("model", model);
  state.insert("epoch", static_cast<std::int64_t>(seed));
  state.insert("lr", 0.125);
  return state;
}

}  // namespace tern
