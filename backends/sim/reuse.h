#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/backends/sim/failure.h>
#include <tern/backends/sim/stream.h>

namespace tern::sim {

/// Tracks the work of streams on memory of other streams. Detects memory that was handed out again
/// while such work still runs, because the tensor lacked record_stream().
class Reuse {
 public:
  /// Records that the next work of `stream` uses [first, last) of `block`. Returns false if another
  /// stream, for which `stream` does not wait, still uses an earlier block there.
  bool allows(const Stream& stream, const kernels::PluginBlock& block, const char* first,
              const char* last);

 private:
  struct Use {
    const char* first;
    const char* last;
    std::int64_t serial;  // of the block at that time
    const Stream* stream;
    std::int64_t position;
  };
  std::vector<Use> uses_;  // uses that are not done
};

/// Returns the Failure to throw if allows() is false.
Failure reused_too_early(const std::string& what);

}  // namespace tern::sim
