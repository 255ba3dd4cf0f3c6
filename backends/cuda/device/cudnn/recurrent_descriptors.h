#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <tern/backends/cuda/device/cudnn/recurrent_library.h>
#include <tern/core/kernels/families/recurrent_layer.h>

namespace tern::cuda::device::cudnn {

using namespace kernels;

/// A descriptor of one of three kinds. It is usable unless a call failed.
class LayerDescriptor {
 public:
  using Create = Status (*)(Descriptor*);
  using Destroy = Status (*)(Descriptor);

  LayerDescriptor(Create create, Destroy destroy) : destroy_(destroy) {
    if (create(&descriptor_) != kSuccess) descriptor_ = nullptr;
  }
  ~LayerDescriptor() {
    if (descriptor_ != nullptr) destroy_(descriptor_);
  }
  LayerDescriptor(const LayerDescriptor&) = delete;
  LayerDescriptor& operator=(const LayerDescriptor&) = delete;

  Descriptor get() const { return descriptor_; }

 private:
  Destroy destroy_;
  Descriptor descriptor_ = nullptr;
};

/// What cuDNN must know of a layer before it is asked anything, and the sizes of its memory.
class LayerPlan {
 public:
  /// `ready()` is false if cuDNN refuses the layer.
  LayerPlan(const RecurrentLayerArgs& args, Handle handle)
      : layer(library().cudnnCreateRNNDescriptor, library().cudnnDestroyRNNDescriptor),
        x(library().cudnnCreateRNNDataDescriptor, library().cudnnDestroyRNNDataDescriptor),
        y(library().cudnnCreateRNNDataDescriptor, library().cudnnDestroyRNNDataDescriptor),
        state(library().cudnnCreateTensorDescriptor, library().cudnnDestroyTensorDescriptor),
        ready_(set(args) && measure(args, handle)) {}

  bool ready() const { return ready_; }
  static ForwardMode mode_of(const RecurrentLayerArgs& args) {
    return args.is_training != 0 ? kTraining : kInference;
  }

  const LayerDescriptor layer, x, y, state;
  std::size_t weights = 0, workspace = 0, reserve = 0;  // bytes

 private:
  static const LayerLibrary& library() { return *layer_library(); }

  bool set(const RecurrentLayerArgs& args) {
    const DataType type = args.dtype == kDouble ? kDoubleData : kFloatData;
    const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const std::int32_t batch = number(args.batch), hidden = number(args.hidden);
    const std::vector<int> lengths = lengths_of(args);
    const auto set_rows = [&](const LayerDescriptor& rows, std::int64_t size) {
      return library().cudnnSetRNNDataDescriptor(rows.get(), type, kPackedRows, number(args.steps),
                                                 batch, number(size), lengths.data(),
                                                 nullptr) == kSuccess;
    };
    const int sizes[] = {1, batch, hidden}, strides[] = {batch * hidden, hidden, 1};
    return layer.get() != nullptr && x.get() != nullptr && y.get() != nullptr &&
           state.get() != nullptr &&
           library().cudnnSetRNNDescriptor_v8(
               layer.get(), kStandard, cells_of(args.cell),
               args.b_ih != nullptr ? kTwoBiases : kNoBias, kOneDirection, kWeightedInput, type,
               type, args.may_round_to_tf32 != 0 ? kDefaultMath : kExactMath, number(args.inputs),
               hidden, hidden, 1, nullptr, kWithoutPadding) == kSuccess &&
           set_rows(x, args.inputs) && set_rows(y, args.hidden) &&
           library().cudnnSetTensorNdDescriptor(state.get(), type, 3, sizes, strides) == kSuccess;
  }

  bool measure(const RecurrentLayerArgs& args, Handle handle) {
    const bool known =
        library().cudnnGetRNNWeightSpaceSize(handle, layer.get(), &weights) == kSuccess &&
        library().cudnnGetRNNTempSpaceSizes(handle, layer.get(), mode_of(args), x.get(), &workspace,
                                            &reserve) == kSuccess;
    if (args.is_training == 0) reserve = 0;
    return known;
  }

  static CellMode cells_of(RecurrentCell cell) {
    switch (cell) {
      case RecurrentCell::kTanh:
        return kTanhCells;
      case RecurrentCell::kRelu:
        return kReluCells;
      case RecurrentCell::kLstm:
        return kLstmCells;
      default:
        return kGruCells;
    }
  }

  /// Returns the number of steps of each sequence. Padded batches are packed ones, too.
  static std::vector<int> lengths_of(const RecurrentLayerArgs& args) {
    std::vector<int> lengths(static_cast<std::size_t>(args.batch), static_cast<int>(args.steps));
    if (args.host_starts == nullptr) return lengths;
    std::int64_t length = args.steps;
    for (std::int64_t b = 0; b < args.batch; ++b) {
      while (args.host_starts[length] - args.host_starts[length - 1] <= b) --length;
      lengths[static_cast<std::size_t>(b)] = static_cast<int>(length);
    }
    return lengths;
  }

  bool ready_;
};

}  // namespace tern::cuda::device::cudnn
