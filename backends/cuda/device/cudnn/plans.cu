#include <tern/backends/cuda/device/cudnn/plans.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <tern/backends/cuda/device/cudnn/handle.h>
#include <tern/backends/cuda/device/runtime/note.h>
#include <tern/backends/cuda/device/runtime/per_device.h>
#include <tern/backends/cuda/device/runtime/relaxed_capture.h>
#include <tern/backends/cuda/device/runtime/runtime.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/scratch.h>

// For a graph, cuDNN's heuristics list engines, the best first. The first one that can be used, or
// the fastest one, becomes the plan for the key.

namespace tern::cuda::device::cudnn {
namespace {

constexpr std::int64_t kMostWorkspace = std::int64_t{1} << 30;
constexpr std::size_t kMostTimed = 10;  // plans that `benchmark` compares, as in PyTorch
constexpr std::size_t kMostCached = 1024;

/// A finalized plan, what it was made from, and its workspace in bytes.
struct Plan {
  std::shared_ptr<const Graph> graph;
  Node config, node;
  std::int64_t workspace = 0;

  explicit operator bool() const { return node.is_ready(); }
};

Plan make_plan(Handle handle, std::shared_ptr<const Graph> graph, Node config) {
  Plan plan{std::move(graph), std::move(config), Node(kPlan)};
  plan.node.set(kPlanHandle, kHandleType, handle).set(kPlanConfig, plan.config);
  if (!plan.node.finalize() || plan.node.get(kPlanWorkspace, kInt64Type, 1, &plan.workspace) != 1 ||
      plan.workspace > kMostWorkspace) {
    return {};
  }
  return plan;
}

/// What a device knows about a key.
struct Entry {
  Plan plan;
  bool is_refused = false;  // cuDNN has no engine for it
  Pause pause;              // after a search that found no memory
};

Status execute(Handle handle, const Plan& plan, const std::vector<Buffer>& buffers,
               void* workspace) {
  std::vector<std::int64_t> ids;
  std::vector<void*> pointers;
  for (const Buffer& buffer : buffers) {
    ids.push_back(buffer.id);
    pointers.push_back(buffer.data);
  }
  const auto count = static_cast<std::int64_t>(buffers.size());
  Node pack(kVariantPack);
  pack.set(kPackIds, kInt64Type, count, ids.data())
      .set(kPackPointers, kPointerType, count, pointers.data())
      .set(kPackWorkspace, kPointerType, workspace);
  if (!pack.finalize()) return kBadParam;
  return library()->cudnnBackendExecute(handle, plan.node.descriptor(), pack.descriptor());
}

/// Two events around work of a stream.
class Stopwatch {
 public:
  explicit Stopwatch(KernelContext& context) : stream_(static_cast<cudaStream_t>(context.stream)) {
    for (cudaEvent_t& event : events_) check(cudaEventCreate(&event));
  }
  ~Stopwatch() {
    for (cudaEvent_t event : events_) {
      if (event != nullptr) cudaEventDestroy(event);
    }
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start() { check(cudaEventRecord(events_[0], stream_)); }
  /// Waits for the work since start(). Returns its time, or nothing after a failure.
  std::optional<float> stop() {
    float milliseconds = 0;
    check(cudaEventRecord(events_[1], stream_));
    check(cudaEventSynchronize(events_[1]));
    check(cudaEventElapsedTime(&milliseconds, events_[0], events_[1]));
    return ok_ ? std::optional(milliseconds) : std::nullopt;
  }

 private:
  void check(cudaError_t error) { ok_ = succeeds(error) && ok_; }

  cudaStream_t stream_;
  cudaEvent_t events_[2] = {};
  bool ok_ = true;
};

/// cuDNN on one device: its handle and the plans made there.
class Device {
 public:
  bool run(const Call& call, KernelContext& context) {
    const std::lock_guard lock(mutex_);
    Key key = call.key;
    key.push_back(call.times ? 1 : 0);
    bool times = call.times;
    if (!has_plan(key) && is_capturing(context)) {
      // Timing would wait for the stream. A later call outside of captures times the engines.
      key.back() = 0;
      times = false;
    }
    const RelaxedCapture relaxed;  // cuDNN allocates, and the first run of a plan loads its kernels
    if (!handle_.open(context)) return false;
    if (plans_.size() >= kMostCached && plans_.count(key) == 0) plans_.clear();
    Entry& entry = plans_[key];
    Memory workspace;
    if (!prepare(entry, {call, times, context}, workspace)) {
      return context.status != StatusCode::kOk;
    }
    std::vector<Buffer> buffers;
    if (!call.list_buffers(buffers)) return context.status != StatusCode::kOk;
    const Status status = execute(handle_.get(), entry.plan, buffers, workspace.data());
    if (status == kSuccess) return true;
    // The status of a shape or GPU that the engine turns out not to support is one of 2000 to 3999.
    if (status >= kBadParam && status < kInternalError) {
      entry = {};
      entry.is_refused = true;
      return false;
    }
    fail(context, StatusCode::kDeviceFault, library()->cudnnGetErrorString(status));
    return true;
  }

 private:
  /// A call as this device runs it.
  struct Request {
    const Call& call;
    bool times;
    KernelContext& context;
  };

  bool has_plan(const Key& key) const {
    const auto found = plans_.find(key);
    return found != plans_.end() && found->second.plan;
  }

  /// Makes the plan and its workspace ready. Returns false if there is none: cuDNN has no engine,
  /// no engine finds memory, or a call failed.
  bool prepare(Entry& entry, const Request& request, Memory& workspace) {
    KernelContext& context = request.context;
    if (entry.is_refused) return false;
    if (entry.pause.lasts()) return false;
    if (entry.plan && workspace.allocate(entry.plan.workspace, context)) return true;
    bool was_short = false;
    if (context.status == StatusCode::kOk) entry.plan = find_plan(request, &was_short);
    if (context.status != StatusCode::kOk) return false;
    if (!entry.plan && !was_short) {
      entry.is_refused = !is_capturing(context);  // after a capture there may be an engine
      return false;
    }
    if (entry.plan && workspace.allocate(entry.plan.workspace, context)) {
      entry.pause = {};
      return true;
    }
    if (context.status != StatusCode::kOk) return false;
    note(request.call.shortage);
    entry.pause.begin();
    return false;
  }

  /// Returns the plan for a call, without a node if no engine can be used, and whether there was
  /// no memory for one.
  Plan find_plan(const Request& request, bool* was_short) {
    const auto& [call, times, context] = request;
    const std::shared_ptr<Graph> graph = call.make_graph();
    if (!graph->make(handle_.get())) return {};
    std::optional<Stopwatch> stopwatch;
    std::vector<Buffer> buffers;
    if (times) {
      stopwatch.emplace(context);
      if (!call.list_buffers(buffers)) return {};
    }
    Plan best;
    std::optional<float> least;
    std::size_t timed = 0;
    for (const Mode mode : {kModeA, kModeB, kModeFallback}) {
      std::vector<Node> configs = graph->configs(mode);
      for (Node& config : configs) {
        if (!graph->is_permitted(config)) continue;
        Plan plan = make_plan(handle_.get(), graph, std::move(config));
        if (!plan) continue;
        Memory workspace;
        if (!workspace.allocate(plan.workspace, context)) {
          if (context.status != StatusCode::kOk) return {};
          *was_short = true;
          continue;
        }
        if (!times) return plan;
        const auto time = time_of(plan, buffers, workspace.data(), *stopwatch);
        if (time && (!least || *time < *least)) {
          least = time;
          best = std::move(plan);
        }
        if (++timed == kMostTimed) return best;
      }
      if (best) return best;
    }
    return best;
  }

  std::optional<float> time_of(const Plan& plan, const std::vector<Buffer>& buffers,
                               void* workspace, Stopwatch& stopwatch) {
    if (execute(handle_.get(), plan, buffers, workspace) != kSuccess)
      return {};  // loads its kernels
    stopwatch.start();
    if (execute(handle_.get(), plan, buffers, workspace) != kSuccess) return {};
    return stopwatch.stop();
  }

  std::mutex mutex_;
  DeviceHandle handle_;
  std::map<Key, Entry> plans_;
};

}  // namespace

bool Memory::allocate(std::int64_t bytes, KernelContext& context) {
  memory_.reset();
  if (bytes == 0) return true;
  memory_.emplace(context, static_cast<std::size_t>(bytes));
  if (context.status == StatusCode::kOk) return true;
  memory_.reset();
  if (context.status == StatusCode::kOutOfMemory) context.status = StatusCode::kOk;
  return false;
}

bool run(const std::function<Call()>& make_call, KernelContext& context) {
  if (context.status != StatusCode::kOk || library() == nullptr) return false;
  try {
    return per_device<Device>(context.device).run(make_call(), context);
  } catch (const std::bad_alloc&) {
    fail(context, StatusCode::kOutOfMemory, "out of host memory");
    return true;
  }
}

}  // namespace tern::cuda::device::cudnn
