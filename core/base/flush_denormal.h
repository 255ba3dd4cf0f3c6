#pragma once

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// Sets whether arithmetic on this thread treats denormal operands and results as zero. Denormals
/// are closer to zero than the smallest normal number (1.2e-38 in float32), and some processors
/// handle them slowly. Workers of the thread pool use the mode of the thread whose work they run.
/// Off by default.
///
/// Returns: false, without any change, on processors without this mode (all except x86).
TERN_API bool set_flush_denormal(StrictBool on);

namespace detail {

/// Returns or sets the denormal mode of this thread, for passing the mode to another thread.
unsigned denormal_mode();
void set_denormal_mode(unsigned mode);

/// Flushes denormals to zero on this thread while the scope lives.
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
