#include <tern/core/distributed/detail/nccl_transport.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/kernels/backend.h>

namespace tern::distributed::detail {
namespace {

using Kind = kernels::Collective::Kind;

kernels::Collectives* collectives_of(Device device) {
  return kernels::backend_of(device.type()).collectives();
}

kernels::Joining joining_of(Reduction op) {
  switch (op) {
    case Reduction::kMean:
      return kernels::Joining::kMean;
    case Reduction::kMax:
      return kernels::Joining::kMax;
    case Reduction::kMin:
      return kernels::Joining::kMin;
    default:
      return kernels::Joining::kSum;
  }
}

// What a rank tells the others before they connect.
struct Offer {
  kernels::CollectiveId id;  // of rank 0
  char reason[504];          // why the rank cannot; empty if it can
};

Offer offer_of(Device device, int rank) {
  Offer offer{};
  try {
    if (rank == 0) offer.id = collectives_of(device)->make_id();
  } catch (const std::exception& error) {
    std::strncpy(offer.reason, error.what(), sizeof(offer.reason) - 1);
  }
  return offer;
}

}  // namespace

bool has_nccl(Device device) {
  if (!device.is_cuda()) return false;
  const char* const setting = std::getenv("TERN_NCCL");
  if (setting != nullptr && std::string_view(setting) == "0") return false;
  kernels::Collectives* const collectives = collectives_of(device);
  return collectives != nullptr && collectives->missing().empty();
}

bool is_of_nccl(ScalarType dtype) { return dtype != kShort; }

NcclTransport::NcclTransport(Transport& host, Device device, double seconds)
    : DeviceTransport(host, device) {
  const Offer mine = offer_of(device, rank());
  std::vector<Offer> offers(static_cast<std::size_t>(size()));
  const Result result = host.all_gather(&mine, offers.data(), sizeof(mine));
  TERN_CHECK(result.outcome == Result::Outcome::kDone, DeviceError,
             "the ranks cannot exchange NCCL's id: ", result.text);
  for (int rank = 0; rank < size(); ++rank) {
    const char* const reason = offers[static_cast<std::size_t>(rank)].reason;
    TERN_CHECK(*reason == '\0', DeviceError, "rank ", rank, " cannot connect its device: ", reason);
  }
  links_ = collectives_of(device)->connect(device.index(), offers[0].id, rank(), size(), seconds);
}

Result NcclTransport::run(const kernels::Collective& collective) {
  return guarded([&] {
    links_->run(collective);
    return Result();
  });
}

Result NcclTransport::all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) {
  return run({Kind::kAllReduce, data, data, count, dtype, joining_of(op)});
}
Result NcclTransport::reduce_scatter(const void* in, void* out, std::int64_t count,
                                     ScalarType dtype, Reduction op) {
  return run({Kind::kReduceScatter, in, out, count, dtype, joining_of(op)});
}
Result NcclTransport::broadcast(void* data, std::int64_t bytes, int root) {
  return run({Kind::kBroadcast, data, data, bytes, kByte, kernels::Joining::kSum, root});
}
Result NcclTransport::all_gather(const void* in, void* out, std::int64_t bytes) {
  return run({Kind::kAllGather, in, out, bytes});
}
Result NcclTransport::all_to_all(const void* in, void* out, std::int64_t bytes) {
  return run({Kind::kAllToAll, in, out, bytes});
}

}  // namespace tern::distributed::detail
