#include <tern/core/distributed/detail/device_transport.h>

#include <exception>

namespace tern::distributed::detail {

Result DeviceTransport::guarded(const std::function<Result()>& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

Result DeviceTransport::send(const void* /*data*/, std::int64_t /*bytes*/, int /*to*/) {
  return failed("messages of two ranks go over host memory");
}
Result DeviceTransport::recv(void* /*data*/, std::int64_t /*bytes*/, int /*from*/) {
  return failed("messages of two ranks go over host memory");
}
Result DeviceTransport::split(int /*color*/, int /*key*/, Transport** /*part*/) {
  return failed("groups are split over host memory");
}

}  // namespace tern::distributed::detail
