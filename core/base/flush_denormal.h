#pragma once

#include <tern/core/base/visibility.h>

namespace tern {

/// Whether arithmetic of this thread takes and gives zero for denormals: numbers closer to zero
/// than the smallest normal one (1.2e-38 in float32), which some processors handle slowly. The
/// pool's workers do the same while they run what this thread started. Off at first. Returns
/// false, having changed nothing, where the processor has no such mode (others than x86).
TERN_API bool set_flush_denormal(bool on);

namespace detail {

/// The mode of this thread, for handing it to another one.
unsigned denormal_mode();
void set_denormal_mode(unsigned mode);

/// Flushes denormals for a scope.
class FlushDenormals {
 public:
  FlushDenormals() : before_(denormal_mode()) { set_flush_denormal(true); }
  ~FlushDenormals() { set_denormal_mode(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned before_;
};

}  // namespace detail
}  // namespace tern
