#pragma once

#include <vector>

#include <tern/core/distributed/detail/device_transport.h>
#include <tern/core/tensor/tensor.h>

namespace tern::distributed::detail {

/// Collectives of tensors on devices by an MPI that takes pointers to their memory. MPI moves bytes
/// between two ranks alone, because OpenMPI's non-blocking collectives, which can have a time-out,
/// do not take such pointers; what the ranks bring is joined on the device, in the order of the
/// ranks. Calls wait for the current stream, so that MPI finds what was computed.
class DirectTransport final : public DeviceTransport {
 public:
  /// `mpi` takes device memory, and outlives this object.
  DirectTransport(Transport& mpi, Device device) : DeviceTransport(mpi, device) {}

  Result all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) override;
  Result reduce_scatter(const void* in, void* out, std::int64_t count, ScalarType dtype,
                        Reduction op) override;
  Result broadcast(void* data, std::int64_t bytes, int root) override;
  Result all_gather(const void* in, void* out, std::int64_t bytes) override;
  Result all_to_all(const void* in, void* out, std::int64_t bytes) override;

 private:
  /// Returns `count` elements of memory of the device.
  Tensor elements(const void* data, std::int64_t count, ScalarType dtype) const;
  Result exchange_all(const std::vector<Message>& messages);
  /// Sends `own[r]` to every other rank r, and receives in `theirs[r]` what it sends.
  Result swap(const std::vector<Tensor>& own, const std::vector<Tensor>& theirs);
  /// Sends `own[r]` to every other rank r, and joins what this rank gets, and its own, in `out`.
  Result join(const std::vector<Tensor>& own, const Tensor& out, Reduction op);
  Result reduce_piece(const Tensor& piece, Reduction op);
};

}  // namespace tern::distributed::detail
