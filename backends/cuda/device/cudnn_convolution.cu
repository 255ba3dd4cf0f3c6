#include <tern/backends/cuda/device/cudnn_convolution.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <tern/backends/cuda/device/cudnn_graph.h>
#include <tern/backends/cuda/device/launch.h>
#include <tern/backends/cuda/device/relaxed_capture.h>
#include <tern/backends/cuda/device/runtime.h>
#include <tern/backends/cuda/device/scratch.h>

// Convolution by cuDNN: a graph of one operation, for which cuDNN's heuristics list engines, the
// best first. The first one that can be used, or the fastest one, becomes the plan for the shape.

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

/// Returns false if there is no memory for the plan's workspace, which is no failure, or if the
/// allocation failed.
bool allocate_workspace(std::optional<Scratch>& workspace, const Plan& plan,
                        KernelContext& context) {
  workspace.emplace(context, static_cast<std::size_t>(std::max<std::int64_t>(plan.workspace, 1)));
  if (context.status == StatusCode::kOk) return true;
  if (context.status == StatusCode::kOutOfMemory) context.status = StatusCode::kOk;
  return false;
}

Status execute(Handle handle, const Plan& plan, const Buffers& buffers, void* workspace) {
  const std::int64_t ids[] = {kXId, kWId, kYId};
  void* const pointers[] = {buffers.x, buffers.w, buffers.y};
  Node pack(kVariantPack);
  pack.set(kPackIds, kInt64Type, 3, ids)
      .set(kPackPointers, kPointerType, 3, pointers)
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
  bool run(const ConvolutionArgs& args, KernelContext& context) {
    const std::optional<Problem> problem = problem_of(args);
    if (!problem) return false;
    const std::lock_guard lock(mutex_);
    const Problem::Key key = problem->key();
    auto entry = plans_.find(key);
    if (entry == plans_.end() && is_capturing(context)) return false;
    const RelaxedCapture relaxed;  // the first run of a plan loads its kernels
    if (!open(context)) return false;
    const Buffers buffers = buffers_of(args);
    if (entry == plans_.end()) {
      bool was_short = false;
      Plan plan = find_plan(*problem, buffers, context, &was_short);
      if (context.status != StatusCode::kOk) return true;
      if (!plan && was_short) return false;  // a later call may find memory
      if (plans_.size() >= kMostCached) plans_.clear();
      entry = plans_.emplace(key, std::move(plan)).first;
    }
    Plan& plan = entry->second;
    if (!plan) return false;
    std::optional<Scratch> workspace;
    if (!allocate_workspace(workspace, plan, context)) return context.status != StatusCode::kOk;
    const Status status = execute(handle_, plan, buffers, workspace->get<void>());
    if (status == kSuccess) return true;
    // The status of a shape or GPU that the engine turns out not to support is one of 2000 to 3999.
    if (status >= kBadParam && status < kInternalError) {
      plan = {};
      return false;
    }
    fail(context, StatusCode::kDeviceFault, library()->cudnnGetErrorString(status));
    return true;
  }

 private:
  static bool is_capturing(KernelContext& context) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const auto stream = static_cast<cudaStream_t>(context.stream);
    return !succeeds(cudaStreamIsCapturing(stream, &status)) ||
           status != cudaStreamCaptureStatusNone;
  }

  /// Without a handle, which an old driver may refuse, there is no cuDNN.
  bool open(KernelContext& context) {
    if (!opened_) library()->cudnnCreate(&handle_);
    opened_ = true;
    return handle_ != nullptr && library()->cudnnSetStream(handle_, context.stream) == kSuccess;
  }

  /// Returns the plan for a problem, without a node if no engine can be used, and whether there was
  /// no memory for one.
  Plan find_plan(const Problem& problem, const Buffers& buffers, KernelContext& context,
                 bool* was_short) {
    const auto graph = std::make_shared<Graph>(problem);
    if (!graph->make(handle_)) return {};
    const bool times = (problem.numbers.options & kFastestConvolution) != 0;
    std::optional<Stopwatch> stopwatch;
    if (times) stopwatch.emplace(context);
    Plan best;
    std::optional<float> least;
    std::size_t timed = 0;
    for (const Mode mode : {kModeA, kModeB, kModeFallback}) {
      std::vector<Node> configs = graph->configs(mode);
      for (Node& config : configs) {
        if (!graph->is_permitted(config)) continue;
        Plan plan = make_plan(handle_, graph, std::move(config));
        if (!plan) continue;
        std::optional<Scratch> workspace;
        if (!allocate_workspace(workspace, plan, context)) {
          if (context.status != StatusCode::kOk) return {};
          *was_short = true;
          continue;
        }
        if (!times) return plan;
        const auto time = time_of(plan, buffers, workspace->get<void>(), *stopwatch);
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

  std::optional<float> time_of(const Plan& plan, const Buffers& buffers, void* workspace,
                               Stopwatch& stopwatch) {
    if (execute(handle_, plan, buffers, workspace) != kSuccess) return {};  // loads its kernels
    stopwatch.start();
    if (execute(handle_, plan, buffers, workspace) != kSuccess) return {};
    return stopwatch.stop();
  }

  std::mutex mutex_;
  bool opened_ = false;
  Handle handle_ = nullptr;
  std::map<Problem::Key, Plan> plans_;
};

// Never destroyed: at the end of the process the driver may already be gone.
Device& cudnn_device(std::int32_t device) {
  static std::mutex mutex;
  static auto& devices = *new std::map<std::int32_t, Device>;
  const std::lock_guard lock(mutex);
  return devices[device];
}

}  // namespace

bool convolve(const ConvolutionArgs& args, KernelContext& context) {
  if ((args.options & kWithoutCudnn) != 0 || context.status != StatusCode::kOk ||
      library() == nullptr) {
    return false;
  }
  try {
    return cudnn_device(context.device).run(args, context);
  } catch (const std::bad_alloc&) {
    fail(context, StatusCode::kOutOfMemory, "out of host memory");
    return true;
  }
}

}  // namespace tern::cuda::device::cudnn
