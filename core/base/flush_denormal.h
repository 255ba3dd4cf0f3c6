#pragma once

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// Sets whether this thread's arithmetic takes and gives zero for denormal numbers, which some
/// processors handle slowly. Denormals are closer to zero than the smallest normal number (1.2e-38
/// in float32). The workers of the thread pool follow while they run this thread's work. Off by
/// default.
///
/// Returns: false, without any change, where the processor has no such mode (others than x86).
TERN_API bool set_flush_denormal(StrictBool on);

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
