#include <tern/core/base/version.h>

namespace tern {

const char* version() noexcept { return TERN_VERSION; }

}  // namespace tern
