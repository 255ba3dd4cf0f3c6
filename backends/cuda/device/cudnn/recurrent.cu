#include <tern/backends/cuda/device/cudnn/recurrent.h>

#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include <tern/backends/cuda/device/cudnn/handle.h>
#include <tern/backends/cuda/device/cudnn/plans.h>
#include <tern/backends/cuda/device/cudnn/recurrent_descriptors.h>
#include <tern/backends/cuda/device/runtime/per_device.h>
#include <tern/backends/cuda/device/runtime/relaxed_capture.h>
#include <tern/backends/cuda/device/support/launch.h>

// cuDNN reads all parameters of a layer from one block, at addresses that cuDNN chooses. One kernel
// copies the parameters there, another kernel writes the lengths of the sequences. Nothing is
// copied from the host, because a capture does not allow that.

namespace tern::cuda::device {
namespace {

/// A copy of `count` words of four bytes, or of zeros if `from` is null.
struct Piece {
  const std::uint32_t* from;
  std::uint32_t* to;
  std::int64_t count;
};
constexpr int kMostPieces = 16;  // weights and biases of the input and of the state, for four gates

struct Pieces {
  Piece list[kMostPieces];
  int count;
};

__global__ void __launch_bounds__(kThreads) copy_pieces_kernel(Pieces pieces) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  for (int p = 0; p < pieces.count; ++p) {
    const Piece& piece = pieces.list[p];
    for (std::int64_t i = first; i < piece.count; i += stride) {
      piece.to[i] = piece.from != nullptr ? piece.from[i] : 0;
    }
  }
}

void copy_pieces(const Pieces& pieces, KernelContext& context) {
  std::int64_t most = 0;
  for (int p = 0; p < pieces.count; ++p) {
    if (pieces.list[p].count > most) most = pieces.list[p].count;
  }
  launch(context, copy_pieces_kernel, blocks_for(most, kThreads), kThreads, pieces);
}

/// Writes the number of steps of each sequence; `starts` is null unless they differ.
__global__ void __launch_bounds__(kThreads)
    sequence_lengths_kernel(std::int32_t* lengths, const std::int64_t* starts, std::int64_t steps,
                            std::int64_t batch) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t b = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; b < batch; b += stride) {
    std::int64_t length = steps;
    while (starts != nullptr && starts[length] - starts[length - 1] <= b) --length;
    lengths[b] = static_cast<std::int32_t>(length);
  }
}

}  // namespace

namespace cudnn {
namespace {

constexpr std::int64_t kMostElements = 0x7fffffff;
constexpr std::size_t kMostTroubles = 1024;

/// One run of a layer, with the memory beside its operands.
class LayerRun {
 public:
  LayerRun(const RecurrentLayerArgs& args, const LayerPlan& plan, Handle handle,
           KernelContext& context)
      : args_(args), plan_(plan), handle_(handle), context_(context) {}

  /// Returns false if there is no memory, or after a failure.
  bool allocate() {
    weights_at_ = add(plan_.weights);
    workspace_at_ = add(plan_.workspace);
    lengths_at_ = add(static_cast<std::size_t>(args_.batch) * sizeof(std::int32_t));
    if (computes_weights()) gradients_at_ = add(plan_.weights);
    return extra_.allocate(context_);
  }

  Status run() {
    const Parameters given = {args_.w_ih, args_.w_hh, args_.b_ih, args_.b_hh};
    Pieces pieces{};
    const Status status = find_pieces(given, extra_.at(weights_at_), &pieces);
    if (status != kSuccess) return status;
    copy_pieces(pieces, context_);
    launch(context_, sequence_lengths_kernel, blocks_for(args_.batch, kThreads), kThreads,
           lengths(), args_.starts, args_.steps, args_.batch);
    if (context_.status != StatusCode::kOk) return kSuccess;
    return args_.op == RecurrentLayerOp::kForward ? forward() : backward();
  }

 private:
  /// The weights of the input and of the state, and their biases.
  using Parameters = const void* [4];

  std::int64_t add(std::size_t bytes) { return extra_.add(static_cast<std::int64_t>(bytes)); }
  std::int32_t* lengths() const { return static_cast<std::int32_t*>(extra_.at(lengths_at_)); }
  bool is_lstm() const { return args_.cell == RecurrentCell::kLstm; }
  bool computes_weights() const {
    return args_.op == RecurrentLayerOp::kBackward && args_.grad_w_ih != nullptr;
  }
  Descriptor cells() const { return is_lstm() ? plan_.state.get() : nullptr; }

  /// Lists the copies of the parameters to the addresses in `block` that cuDNN chooses. Adjacent
  /// copies are merged.
  Status find_pieces(const Parameters& parameters, void* block, Pieces* pieces) const {
    const LayerLibrary& library = *layer_library();
    const LayerDescriptor matrix(library.cudnnCreateTensorDescriptor,
                                 library.cudnnDestroyTensorDescriptor);
    const LayerDescriptor bias(library.cudnnCreateTensorDescriptor,
                               library.cudnnDestroyTensorDescriptor);
    if (matrix.get() == nullptr || bias.get() == nullptr) return kNoHostMemory;
    const std::int64_t gates = weighted_gates(args_.cell);
    const std::int64_t words = args_.dtype == kDouble ? 2 : 1;
    void* addresses[4][4] = {};  // by parameter and gate
    for (std::int64_t part = 0; part < 2 * gates; ++part) {
      const std::int64_t of_state = part / gates, gate = part % gates;
      const Status status = library.cudnnGetRNNWeightParams(
          handle_, plan_.layer.get(), 0, plan_.weights, block, static_cast<std::int32_t>(part),
          matrix.get(), &addresses[of_state][gate], bias.get(), &addresses[2 + of_state][gate]);
      if (status != kSuccess) return status;
    }
    for (int p = 0; p < 4; ++p) {
      if (parameters[p] == nullptr) continue;
      const std::int64_t columns = p == 0 ? args_.inputs : (p == 1 ? args_.hidden : 1);
      const std::int64_t count = args_.hidden * columns * words;  // of a gate
      const auto* from = static_cast<const std::uint32_t*>(parameters[p]);
      for (std::int64_t gate = 0; gate < gates; ++gate, from += count) {
        auto* const to = static_cast<std::uint32_t*>(addresses[p][gate]);
        if (to == nullptr) return kNotSupported;
        Piece* const last = pieces->count > 0 ? &pieces->list[pieces->count - 1] : nullptr;
        if (last != nullptr && last->to + last->count == to && last->from + last->count == from) {
          last->count += count;
        } else {
          pieces->list[pieces->count++] = {from, to, count};
        }
      }
    }
    return kSuccess;
  }

  Status forward() {
    return layer_library()->cudnnRNNForward(
        handle_, plan_.layer.get(), LayerPlan::mode_of(args_), lengths(), plan_.x.get(),
        args_.input, plan_.y.get(), args_.out, plan_.state.get(), args_.first_h, args_.h, cells(),
        args_.first_c, args_.c, plan_.weights, extra_.at(weights_at_), plan_.workspace,
        extra_.at(workspace_at_), plan_.reserve, args_.reserve);
  }

  Status backward() {
    const LayerLibrary& library = *layer_library();
    Status status = library.cudnnRNNBackwardData_v8(
        handle_, plan_.layer.get(), lengths(), plan_.y.get(), args_.saved_out, args_.grad_out,
        plan_.x.get(), args_.grad_input, plan_.state.get(), args_.first_h, args_.grad_h,
        args_.grad_first_h, cells(), args_.first_c, args_.grad_c, args_.grad_first_c, plan_.weights,
        extra_.at(weights_at_), plan_.workspace, extra_.at(workspace_at_), plan_.reserve,
        args_.reserve);
    if (status != kSuccess || !computes_weights()) return status;
    auto* const block = static_cast<std::uint32_t*>(extra_.at(gradients_at_));
    // cuDNN can only accumulate.
    copy_pieces({{{nullptr, block, static_cast<std::int64_t>(plan_.weights / sizeof(*block))}}, 1},
                context_);
    if (context_.status != StatusCode::kOk) return kSuccess;
    status = library.cudnnRNNBackwardWeights_v8(
        handle_, plan_.layer.get(), kAddGradients, lengths(), plan_.x.get(), args_.input,
        plan_.state.get(), args_.first_h, plan_.y.get(), args_.saved_out, plan_.weights, block,
        plan_.workspace, extra_.at(workspace_at_), plan_.reserve, args_.reserve);
    if (status != kSuccess) return status;
    const Parameters wanted = {args_.grad_w_ih, args_.grad_w_hh, args_.grad_b_ih, args_.grad_b_hh};
    Pieces pieces{};
    status = find_pieces(wanted, block, &pieces);
    if (status != kSuccess) return status;
    for (int p = 0; p < pieces.count; ++p) {  // copies from the block instead of to it
      Piece& piece = pieces.list[p];
      piece = {piece.to, const_cast<std::uint32_t*>(piece.from), piece.count};
    }
    copy_pieces(pieces, context_);
    return kSuccess;
  }

  const RecurrentLayerArgs& args_;
  const LayerPlan& plan_;
  const Handle handle_;
  KernelContext& context_;
  Extra extra_;
  std::int64_t weights_at_ = 0, workspace_at_ = 0, lengths_at_ = 0, gradients_at_ = 0;
};

/// Recurrent layers on one device.
class LayersOfDevice {
 public:
  void run(const RecurrentLayerArgs& args, KernelContext& context) {
    const std::lock_guard lock(mutex_);
    const RelaxedCapture relaxed;  // cuDNN allocates, and its first runs load kernels
    const bool asks = args.op == RecurrentLayerOp::kAsk;
    if (asks) {
      const auto found = troubles_.find(key_of(args));
      if (found != troubles_.end() && (found->second.is_refused || found->second.pause.lasts())) {
        return;
      }
    }
    if (!handle_.open(context)) {
      if (!asks) refuse(args, context);
      return;
    }
    const LayerPlan plan(args, handle_.get());
    const auto reserve = static_cast<std::int64_t>(plan.reserve);
    if (!plan.ready()) return refuse(args, context);
    if (asks) {
      *args.answer = reserve;
      return;
    }
    if (args.is_training != 0 && reserve != args.reserve_bytes) return refuse(args, context);
    LayerRun layer(args, plan, handle_.get(), context);
    if (!layer.allocate()) {
      if (context.status != StatusCode::kOk) return;
      trouble_of(args).pause.begin();
      return fail(context, StatusCode::kOutOfMemory, "no memory for a recurrent layer of cuDNN");
    }
    const Status status = layer.run();
    if (status == kSuccess) {
      if (context.status == StatusCode::kOk) troubles_.erase(key_of(args));
    } else if (status >= kBadParam && status < kInternalError) {
      refuse(args, context);
    } else {
      const bool is_short = status == kNoDeviceMemory || status == kNoHostMemory;
      if (is_short) trouble_of(args).pause.begin();
      fail(context, is_short ? StatusCode::kOutOfMemory : StatusCode::kDeviceFault,
           library()->cudnnGetErrorString(status));
    }
  }

 private:
  /// Why cuDNN does not get a layer: for good, or for some calls.
  struct Trouble {
    bool is_refused = false;
    Pause pause;
  };

  static Key key_of(const RecurrentLayerArgs& a) {
    return {static_cast<std::int64_t>(a.cell),
            static_cast<std::int64_t>(a.dtype),
            a.may_round_to_tf32,
            a.is_training,
            a.b_ih != nullptr ? 1 : 0,
            a.steps,
            a.batch,
            a.rows,
            a.inputs,
            a.hidden};
  }

  Trouble& trouble_of(const RecurrentLayerArgs& args) {
    if (troubles_.size() >= kMostTroubles) troubles_.clear();
    return troubles_[key_of(args)];
  }

  /// What fails in a capture is tried again.
  void refuse(const RecurrentLayerArgs& args, KernelContext& context) {
    if (!is_capturing(context)) trouble_of(args).is_refused = true;
    if (args.op != RecurrentLayerOp::kAsk) context.status = StatusCode::kUnsupportedDtype;
  }

  std::mutex mutex_;
  DeviceHandle handle_;
  std::map<Key, Trouble> troubles_;
};

bool is_for_cudnn(const RecurrentLayerArgs& a) {
  const std::int64_t width = std::max(a.inputs, weighted_gates(a.cell) * a.hidden);
  const bool is_small = a.rows > 0 && a.inputs > 0 && a.hidden > 0 && a.rows <= kMostElements &&
                        width <= kMostElements / std::max(a.rows, std::max(a.inputs, a.hidden));
  return is_small && (a.dtype == kFloat || a.dtype == kDouble) && layer_library() != nullptr;
}

}  // namespace

void run_recurrent_layer(const RecurrentLayerArgs& args, KernelContext& context) {
  if (args.op == RecurrentLayerOp::kAsk) *args.answer = -1;
  if (context.status != StatusCode::kOk) return;
  if (!is_for_cudnn(args)) {
    if (args.op != RecurrentLayerOp::kAsk) context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  try {
    per_device<LayersOfDevice>(context.device).run(args, context);
  } catch (const std::bad_alloc&) {
    if (args.op == RecurrentLayerOp::kAsk) return;
    fail(context, StatusCode::kOutOfMemory, "out of host memory");
  }
}

}  // namespace cudnn
}  // namespace tern::cuda::device
