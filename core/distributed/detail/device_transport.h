#pragma once

#include <functional>

#include <tern/core/distributed/detail/transport.h>
#include <tern/core/tensor/device.h>

namespace tern::distributed::detail {

/// Collectives whose pointers are to memory of one device, beside `host`, which links the same
/// ranks. Messages of two ranks and splits go over `host` itself.
class DeviceTransport : public Transport {
 public:
  int rank() const override { return host_.rank(); }
  int size() const override { return host_.size(); }
  void set_timeout(double /*seconds*/) override {}
  Result send(const void* data, std::int64_t bytes, int to) final;
  Result recv(void* data, std::int64_t bytes, int from) final;
  Result split(int color, int key, Transport** part) final;
  void enter(const Call* /*call*/) override {}
  void call_roll(const char* /*mine*/, char* /*positions*/) override {}

 protected:
  DeviceTransport(Transport& host, Device device) : host_(host), device_(device) {}

  /// Runs `body`, whose exceptions become failures.
  static Result guarded(const std::function<Result()>& body);

  Transport& host_;  // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes): for parts
  const Device device_;
};

}  // namespace tern::distributed::detail
