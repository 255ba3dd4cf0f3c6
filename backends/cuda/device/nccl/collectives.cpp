#include <chrono>
#include <cstdio>
#include <new>
#include <thread>

#include <tern/backends/cuda/device/nccl/library.h>
#include <tern/backends/cuda/device/runtime/relaxed_capture.h>
#include <tern/backends/cuda/device/runtime/runtime.h>

// The plugin's collectives, by NCCL.

namespace tern::cuda::device {
namespace {

using Clock = std::chrono::steady_clock;

// A communicator of a device. Its calls return before they are done, so that a rank that does not
// come is an error.
struct DeviceLinks {
  const nccl::Library* library = nullptr;
  nccl::Communicator communicator = nullptr;
  std::int32_t device = 0;
  std::int32_t rank = 0, size = 1;
  double seconds = 0;
  bool failed = false;
};

void report(const DeviceLinks& links, const char* reason, PluginStatus* status) {
  status->code = StatusCode::kDeviceFault;
  const char* const last = links.library->ncclGetLastError(links.communicator);
  const bool has_more = last != nullptr && *last != '\0';
  std::snprintf(status->message, sizeof(status->message), "NCCL error: %s%s%s", reason,
                has_more ? ": " : "", has_more ? last : "");
}

// Returns true when a call has ended well. Waits while the library is at it.
bool has_ended(DeviceLinks& links, nccl::Status result, PluginStatus* status) {
  const auto end = Clock::now() + std::chrono::duration<double>(links.seconds);
  while (result == nccl::kInProgress) {
    if (Clock::now() > end) {
      links.failed = true;
      report(links, "the time-out ended before all ranks took part", status);
      return false;
    }
    std::this_thread::yield();
    const nccl::Status asked = links.library->ncclCommGetAsyncError(links.communicator, &result);
    if (asked != nccl::kSuccess) result = asked;
  }
  if (result == nccl::kSuccess) return true;
  links.failed = true;
  report(links, links.library->ncclGetErrorString(result), status);
  return false;
}

// NCCL has no bool. As numbers, the sum of bools is the maximum.
nccl::Type type_of(ScalarType dtype) {
  switch (dtype) {
    case kChar:
      return nccl::kInt8;
    case kInt:
      return nccl::kInt32;
    case kLong:
      return nccl::kInt64;
    case kHalf:
      return nccl::kFloat16;
    case kFloat:
      return nccl::kFloat32;
    case kDouble:
      return nccl::kFloat64;
    case kBFloat16:
      return nccl::kBfloat16;
    default:
      return nccl::kUint8;
  }
}

nccl::Op op_of(const Collective& collective) {
  static constexpr nccl::Op kOps[] = {nccl::kSum, nccl::kAverage, nccl::kMax, nccl::kMin};
  const bool is_or = collective.dtype == kBool && collective.joining == Joining::kSum;
  return is_or ? nccl::kMax : kOps[static_cast<std::size_t>(collective.joining)];
}

// All at once: each pair of ranks sends in both directions.
nccl::Status all_to_all(const DeviceLinks& links, const Collective& call, void* stream) {
  const nccl::Library& library = *links.library;
  nccl::Status result = library.ncclGroupStart();
  if (result != nccl::kSuccess) return result;
  const auto bytes = static_cast<std::size_t>(call.count);
  for (int rank = 0; rank < links.size && result == nccl::kSuccess; ++rank) {
    const std::size_t offset = bytes * static_cast<std::size_t>(rank);
    result = library.ncclSend(static_cast<const char*>(call.in) + offset, bytes, nccl::kUint8, rank,
                              links.communicator, stream);
    if (result != nccl::kSuccess) break;
    result = library.ncclRecv(static_cast<char*>(call.out) + offset, bytes, nccl::kUint8, rank,
                              links.communicator, stream);
  }
  const nccl::Status ended = library.ncclGroupEnd();
  return result == nccl::kSuccess ? ended : result;
}

nccl::Status queue(const DeviceLinks& links, const Collective& call, void* stream) {
  const nccl::Library& library = *links.library;
  const auto count = static_cast<std::size_t>(call.count);
  switch (call.kind) {
    case Collective::Kind::kAllReduce:
      return library.ncclAllReduce(call.in, call.out, count, type_of(call.dtype), op_of(call),
                                   links.communicator, stream);
    case Collective::Kind::kReduceScatter:
      return library.ncclReduceScatter(call.in, call.out, count, type_of(call.dtype), op_of(call),
                                       links.communicator, stream);
    case Collective::Kind::kBroadcast:
      return library.ncclBroadcast(call.in, call.out, count, nccl::kUint8, call.root,
                                   links.communicator, stream);
    case Collective::Kind::kAllGather:
      return library.ncclAllGather(call.in, call.out, count, nccl::kUint8, links.communicator,
                                   stream);
    default:
      return all_to_all(links, call, stream);
  }
}

}  // namespace

std::int32_t has_collectives(PluginStatus* status) {
  if (shares_devices()) {
    status->code = StatusCode::kDeviceFault;
    std::snprintf(status->message, sizeof(status->message),
                  "TERN_CUDA_VIRTUAL_DEVICES shows a GPU as several, and NCCL needs one for each "
                  "rank");
    return 0;
  }
  return nccl::library(status) == nullptr ? 0 : 1;
}

void collective_id(CollectiveId* id, PluginStatus* status) {
  DeviceLinks none;
  none.library = nccl::library(status);
  if (none.library == nullptr) return;
  has_ended(none, none.library->ncclGetUniqueId(id), status);
}

void* collective_connect(std::int32_t device, const CollectiveId* id, std::int32_t rank,
                         std::int32_t size, double seconds, PluginStatus* status) {
  auto* const links = new (std::nothrow) DeviceLinks;
  if (links == nullptr) {
    status->code = StatusCode::kOutOfMemory;
    return nullptr;
  }
  *links = {nccl::library(status), nullptr, device, rank, size, seconds};
  if (links->library != nullptr) {
    const DeviceScope scope(device, status);
    const RelaxedCapture relaxed;
    nccl::Config config;
    if (scope.is_current() && has_ended(*links,
                                        links->library->ncclCommInitRankConfig(
                                            &links->communicator, size, *id, rank, &config),
                                        status)) {
      return links;
    }
    links->failed = true;
  }
  collective_disconnect(links);
  return nullptr;
}

void collective_run(void* handle, const Collective* collective, void* stream,
                    PluginStatus* status) {
  DeviceLinks& links = *static_cast<DeviceLinks*>(handle);
  const DeviceScope scope(links.device, status);
  if (scope.is_current()) has_ended(links, queue(links, *collective, stream), status);
}

void collective_disconnect(void* handle) {
  auto* const links = static_cast<DeviceLinks*>(handle);
  if (links->communicator != nullptr) {
    PluginStatus ignored;
    const DeviceScope scope(links->device, &ignored);
    const nccl::Library& library = *links->library;
    // Only a communicator without errors can wait for its work; another would wait for ever.
    links->failed = links->failed ||
                    !has_ended(*links, library.ncclCommFinalize(links->communicator), &ignored);
    if (links->failed) {
      library.ncclCommAbort(links->communicator);
    } else {
      library.ncclCommDestroy(links->communicator);
    }
  }
  delete links;
}

}  // namespace tern::cuda::device
