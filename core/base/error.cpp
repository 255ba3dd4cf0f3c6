#include <tern/core/base/error.h>

namespace tern {

// The destructors live here so that each class has one home for its type information.
Error::~Error() = default;
ShapeError::~ShapeError() = default;
DTypeError::~DTypeError() = default;
DeviceError::~DeviceError() = default;
IndexError::~IndexError() = default;
OutOfMemoryError::~OutOfMemoryError() = default;
FileError::~FileError() = default;
NotImplementedError::~NotImplementedError() = default;

namespace detail {

void assertion_failed(const char* condition, const char* file, int line) {
  raise<Error>("internal error in tern: ", condition, " does not hold (", file, ":", line,
               "); please report it");
}

}  // namespace detail
}  // namespace tern
