#include <tern/core/base/flush_denormal.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tern {
namespace {

// Bits of the MXCSR register: flush results to zero, take denormal operands as zero.
constexpr unsigned kFlushBits = 0x8000 | 0x0040;

}  // namespace

bool set_flush_denormal([[maybe_unused]] StrictBool on) {
#if defined(__x86_64__)
  detail::set_denormal_mode(on ? kFlushBits : 0);
  return true;
#else
  return false;
#endif
}

namespace detail {

#if defined(__x86_64__)

unsigned denormal_mode() { return _mm_getcsr() & kFlushBits; }

void set_denormal_mode(unsigned mode) {
  const unsigned before = _mm_getcsr();
  const unsigned after = (before & ~kFlushBits) | mode;
  if (after != before) _mm_setcsr(after);  // _mm_setcsr waits for earlier arithmetic
}

#else

unsigned denormal_mode() { return 0; }
void set_denormal_mode(unsigned) {}

#endif

}  // namespace detail
}  // namespace tern
