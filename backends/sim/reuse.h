#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/backends/sim/failure.h>
#include <tern/backends/sim/stream.h>

namespace tern::sim {

/// The work of streams on memory that belongs to another stream, to find memory that was handed out
/// again while such work still runs: a tensor that went without record_stream().
class Reuse {
 public:
  /// Work that `stream` is about to get uses [first, last) of `block`. False when a stream that it
  /// does not wait for still uses what was there before.
  bool allows(const Stream& stream, const kernels::PluginBlock& block, const char* first,
              const char* last);

 private:
  struct Use {
    const char* first;
    const char* last;
    std::int64_t serial;  // of the block then
    const Stream* stream;
    std::int64_t position;
  };
  std::vector<Use> uses_;  // that are not done
};

/// What to throw then.
Failure reused_too_early(const std::string& what);

}  // namespace tern::sim
