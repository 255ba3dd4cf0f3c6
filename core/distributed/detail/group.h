#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <tern/core/distributed/detail/device_rules.h>
#include <tern/core/distributed/detail/nccl_transport.h>
#include <tern/core/distributed/detail/transport.h>
#include <tern/core/distributed/process_group.h>
#include <tern/core/kernels/backend.h>

namespace tern::distributed::detail {

class ThreadWorld;

/// The way of the elements of a collective.
enum class Route : std::uint8_t {
  kHost,    // copied to host memory, if they are not there
  kDirect,  // from the memory of the devices, by an MPI that takes their pointers
  kNccl,    // between the devices
};

/// What a rank calls. The ranks of a collective must agree on all but the place.
struct Call {
  enum class Kind : std::uint8_t {
    kAllReduce,
    kBroadcast,
    kAllGather,
    kReduceScatter,
    kAllToAll,
    kBarrier,
    kSplit,
    kSend,
    kRecv,
  };
  Kind kind;
  CallSite site;
  ReduceOp op = ReduceOp::kSum;
  int peer = 0;  // the root, or the other rank of send() and recv()
  ScalarType dtype = kByte;
  DimVector sizes = {};
  Device device = Device(kCPU);
  Route route = Route::kHost;
  Order order = {};  // of collectives on devices, where NCCL's rules hold
};

/// Returns "all_reduce(sum) of float32 [3] at net.cpp:12".
std::string describe(const Call& call);

/// What a call does when all ranks agree. It owns its tensors.
using Body = std::function<Result(Transport&)>;

/// A call that waits or runs, or has ended and waits for wait().
struct Pending {
  Call call;
  Body body;
  std::function<void()> finish;  // what the caller's thread does at the end
  std::shared_ptr<Group> group;  // taken by wait()

  // Of calls that do not go over host memory: make the current stream wait for what was queued
  // before the call, and for the call.
  std::function<void()> after_program, after_call;

  // Of ranks that are threads; the world's lock guards them.
  ThreadWorld* world = nullptr;
  bool has_ended = false, is_awaited = false;

  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::exception_ptr error;
};

/// The calls of a group, one after the other. Those that the caller waits for run on its thread,
/// others on a thread of the group.
class Group : public std::enable_shared_from_this<Group> {
 public:
  /// A null transport makes a group of one rank. A part of another group shares its order of
  /// collectives on devices.
  explicit Group(std::unique_ptr<Transport> transport, DeviceRules rules = DeviceRules());
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Returns the way of the elements of a tensor.
  Route route_of(const Tensor& tensor) const;

  int rank() const { return transport_ ? transport_->rank() : 0; }
  int size() const { return transport_ ? transport_->size() : 1; }
  void set_timeout(double seconds);
  double timeout() const { return timeout_; }

  /// Queues a call. `body` runs when all ranks agree; a group of one rank runs `finish` alone.
  Work start(Call call, Body body, std::function<void()> finish = {});
  /// Makes a call and waits for its end.
  void run(Call call, const Body& body, const std::function<void()>& finish = {});

  /// Returns the rules of a part of this group with `size` ranks. All ranks call it.
  DeviceRules rules_of_part(int color, int size) {
    return rules_.of_part(color, size == this->size());
  }

  /// The calls that are queued or run on the thread of the group, of ranks that are threads; the
  /// world's lock guards it.
  int pending_count = 0;

 private:
  struct Busy;

  /// Notes on the caller's thread what the call comes after.
  void prepare(Pending& pending);
  void perform(Pending& pending);
  Result run_on_device(Pending& pending);
  void check_agreement(const Call& call);
  void check_devices(const Call& call);
  void check(const Result& result, const Call& call, std::shared_ptr<void> memory);
  [[noreturn]] void fail(std::string text);
  std::string text_of_late(const Call& call);
  void work();

  std::unique_ptr<Transport> transport_;
  DeviceRules rules_;
  std::unique_ptr<NcclTransport> nccl_;                     // since the first collective by NCCL
  std::map<DeviceIndex, kernels::Backend::Runner> beside_;  // streams of direct collectives
  double timeout_ = 1800;
  std::int64_t calls_ = 0;
  std::string failure_;  // not empty: the group cannot be used any more

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Pending>> queue_;
  bool is_busy_ = false;  // a call runs
  bool is_ending_ = false;
  std::thread worker_;
};

}  // namespace tern::distributed::detail
