#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/backends/cuda/device/cudnn/library.h>

// The functions of cuDNN for recurrent layers, which are no part of its graph interface, declared
// as those in library.h.

namespace tern::cuda::device::cudnn {

// As in TERN_CUDNN_NUMBERS.
#define TERN_CUDNN_LAYER_NUMBERS(X)                                                  \
  X(Algorithm, kStandard, CUDNN_RNN_ALGO_STANDARD, 0)                                \
  X(CellMode, kReluCells, CUDNN_RNN_RELU, 0)                                         \
  X(CellMode, kTanhCells, CUDNN_RNN_TANH, 1)                                         \
  X(CellMode, kLstmCells, CUDNN_LSTM, 2)                                             \
  X(CellMode, kGruCells, CUDNN_GRU, 3)                                               \
  X(BiasMode, kNoBias, CUDNN_RNN_NO_BIAS, 0)                                         \
  X(BiasMode, kTwoBiases, CUDNN_RNN_DOUBLE_BIAS, 2)                                  \
  X(Direction, kOneDirection, CUDNN_UNIDIRECTIONAL, 0)                               \
  X(InputMode, kWeightedInput, CUDNN_LINEAR_INPUT, 0)                                \
  X(MathType, kDefaultMath, CUDNN_DEFAULT_MATH, 0)                                   \
  X(MathType, kExactMath, CUDNN_FMA_MATH, 3)                                         \
  X(RowLayout, kPackedRows, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, 1)               \
  X(LayerFlags, kWithoutPadding, CUDNN_RNN_PADDED_IO_DISABLED, 0)                    \
  X(ForwardMode, kInference, CUDNN_FWD_MODE_INFERENCE, 0)                            \
  X(ForwardMode, kTraining, CUDNN_FWD_MODE_TRAINING, 1)                              \
  X(GradientMode, kAddGradients, CUDNN_WGRAD_MODE_ADD, 0)                            \
  X(Status, kNoHostMemory, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, 4003) \
  X(Status, kNoDeviceMemory, CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, 4004)

enum class Algorithm : int {};
enum class CellMode : int {};
enum class BiasMode : int {};
enum class Direction : int {};
enum class InputMode : int {};
enum class MathType : int {};
enum class RowLayout : int {};
enum class LayerFlags : std::uint32_t {};
enum class ForwardMode : int {};
enum class GradientMode : int {};

#define TERN_CUDNN_NUMBER(Enum, name, theirs, number) constexpr Enum name{number};
TERN_CUDNN_LAYER_NUMBERS(TERN_CUDNN_NUMBER)
#undef TERN_CUDNN_NUMBER

// X is called with the name and the parameters of a function, which returns a Status.
#define TERN_CUDNN_LAYER_FUNCTIONS(X)                                                              \
  X(cudnnCreateTensorDescriptor, (Descriptor*))                                                    \
  X(cudnnDestroyTensorDescriptor, (Descriptor))                                                    \
  X(cudnnSetTensorNdDescriptor, (Descriptor, DataType, int, const int*, const int*))               \
  X(cudnnCreateRNNDescriptor, (Descriptor*))                                                       \
  X(cudnnDestroyRNNDescriptor, (Descriptor))                                                       \
  X(cudnnSetRNNDescriptor_v8,                                                                      \
    (Descriptor, Algorithm, CellMode, BiasMode, Direction, InputMode, DataType, DataType,          \
     MathType, std::int32_t input_size, std::int32_t hidden_size, std::int32_t projected_size,     \
     std::int32_t layers, Descriptor dropout, LayerFlags))                                         \
  X(cudnnCreateRNNDataDescriptor, (Descriptor*))                                                   \
  X(cudnnDestroyRNNDataDescriptor, (Descriptor))                                                   \
  X(cudnnSetRNNDataDescriptor, (Descriptor, DataType, RowLayout, int steps, int batch, int size,   \
                                const int* lengths, void* padding))                                \
  X(cudnnGetRNNWeightSpaceSize, (Handle, Descriptor layer, std::size_t * bytes))                   \
  X(cudnnGetRNNTempSpaceSizes, (Handle, Descriptor layer, ForwardMode, Descriptor x,               \
                                std::size_t * workspace_bytes, std::size_t * reserve_bytes))       \
  X(cudnnGetRNNWeightParams,                                                                       \
    (Handle, Descriptor layer, std::int32_t pseudo_layer, std::size_t bytes, const void* weights,  \
     std::int32_t part, Descriptor matrix, void** matrix_at, Descriptor bias, void** bias_at))     \
  X(cudnnRNNForward,                                                                               \
    (Handle, Descriptor layer, ForwardMode, const std::int32_t* lengths, Descriptor x_rows,        \
     const void* x, Descriptor y_rows, void* y, Descriptor h_sizes, const void* first_h,           \
     void* last_h, Descriptor c_sizes, const void* first_c, void* last_c, std::size_t,             \
     const void* weights, std::size_t, void* workspace, std::size_t, void* reserve))               \
  X(cudnnRNNBackwardData_v8,                                                                       \
    (Handle, Descriptor layer, const std::int32_t* lengths, Descriptor y_rows, const void* y,      \
     const void* grad_y, Descriptor x_rows, void* grad_x, Descriptor h_sizes, const void* first_h, \
     const void* grad_last_h, void* grad_first_h, Descriptor c_sizes, const void* first_c,         \
     const void* grad_last_c, void* grad_first_c, std::size_t, const void* weights, std::size_t,   \
     void* workspace, std::size_t, void* reserve))                                                 \
  X(cudnnRNNBackwardWeights_v8,                                                                    \
    (Handle, Descriptor layer, GradientMode, const std::int32_t* lengths, Descriptor x_rows,       \
     const void* x, Descriptor h_sizes, const void* first_h, Descriptor y_rows, const void* y,     \
     std::size_t, void* grad_weights, std::size_t, void* workspace, std::size_t, void* reserve))

struct LayerLibrary {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): a name and parameters take none.
#define TERN_CUDNN_FUNCTION(function, parameters) Status(*function) parameters = nullptr;
  TERN_CUDNN_LAYER_FUNCTIONS(TERN_CUDNN_FUNCTION)
#undef TERN_CUDNN_FUNCTION
};

/// Returns these functions, or null if there is no cuDNN or it lacks one of them.
const LayerLibrary* layer_library();

}  // namespace tern::cuda::device::cudnn
