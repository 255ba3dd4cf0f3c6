#pragma once

#include <cstddef>
#include <cstdint>

// The functions of cuDNN's graph interface that the kernels use, found in the library when the
// first of them runs. cuDNN is no part of the toolkit, so its functions, types and numbers are
// declared here; where its header is installed, library.cpp compares the numbers.

namespace tern::cuda::device::cudnn {

using Handle = void*;
using Descriptor = void*;

/// Kind, Attribute, Type, DataType and Mode are enumerations of C. X is called with their name,
/// that of a constant, cuDNN's name and the number.
#define TERN_CUDNN_NUMBERS(X)                                                                  \
  X(Kind, kPointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR, 0)                                   \
  X(Kind, kConvolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, 1)                               \
  X(Kind, kEngine, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 2)                                         \
  X(Kind, kEngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 3)                                \
  X(Kind, kHeuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, 4)                                 \
  X(Kind, kPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, 5)                                   \
  X(Kind, kForward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 10)                \
  X(Kind, kWeightGradient, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, 11) \
  X(Kind, kInputGradient, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, 12)    \
  X(Kind, kPointwiseOperation, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, 13)               \
  X(Kind, kGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, 15)                                 \
  X(Kind, kVariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, 16)                             \
  X(Kind, kTensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR, 17)                                        \
  X(Kind, kMatmul, CUDNN_BACKEND_MATMUL_DESCRIPTOR, 18)                                        \
  X(Kind, kMatmulOperation, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, 19)                     \
  X(Kind, kReduction, CUDNN_BACKEND_REDUCTION_DESCRIPTOR, 21)                                  \
  X(Kind, kReductionOperation, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, 22)               \
  X(Kind, kReshapeOperation, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, 31)                   \
  X(Attribute, kPointwiseMode, CUDNN_ATTR_POINTWISE_MODE, 0)                                   \
  X(Attribute, kPointwiseMath, CUDNN_ATTR_POINTWISE_MATH_PREC, 1)                              \
  X(Attribute, kPointwiseAxis, CUDNN_ATTR_POINTWISE_AXIS, 9)                                   \
  X(Attribute, kConvolutionMath, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, 100)                        \
  X(Attribute, kConvolutionMode, CUDNN_ATTR_CONVOLUTION_CONV_MODE, 101)                        \
  X(Attribute, kConvolutionDilations, CUDNN_ATTR_CONVOLUTION_DILATIONS, 102)                   \
  X(Attribute, kConvolutionStrides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 103)                \
  X(Attribute, kConvolutionBehind, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 104)                  \
  X(Attribute, kConvolutionInFront, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 105)                  \
  X(Attribute, kConvolutionDims, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 106)                     \
  X(Attribute, kHeuristicsMode, CUDNN_ATTR_ENGINEHEUR_MODE, 200)                               \
  X(Attribute, kHeuristicsGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 201)                   \
  X(Attribute, kHeuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS, 202)                         \
  X(Attribute, kEngineConfigEngine, CUDNN_ATTR_ENGINECFG_ENGINE, 300)                          \
  X(Attribute, kPlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, 400)                             \
  X(Attribute, kPlanConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 401)                      \
  X(Attribute, kPlanWorkspace, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 402)                  \
  X(Attribute, kForwardAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 700)             \
  X(Attribute, kForwardBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 701)               \
  X(Attribute, kForwardConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, 702)   \
  X(Attribute, kForwardW, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, 703)                     \
  X(Attribute, kForwardX, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, 704)                     \
  X(Attribute, kForwardY, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, 705)                     \
  X(Attribute, kInputAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 706)              \
  X(Attribute, kInputBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 707)                \
  X(Attribute, kInputConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, 708)    \
  X(Attribute, kInputW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, 709)                      \
  X(Attribute, kInputX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, 710)                     \
  X(Attribute, kInputY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, 711)                     \
  X(Attribute, kWeightAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 712)           \
  X(Attribute, kWeightBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 713)             \
  X(Attribute, kWeightConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, 714) \
  X(Attribute, kWeightW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, 715)                  \
  X(Attribute, kWeightX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, 716)                   \
  X(Attribute, kWeightY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, 717)                  \
  X(Attribute, kPointwisePointwise, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 750)         \
  X(Attribute, kPointwiseX, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, 751)                         \
  X(Attribute, kPointwiseB, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, 752)                         \
  X(Attribute, kPointwiseY, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, 753)                         \
  X(Attribute, kPointwiseCondition, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, 758)                 \
  X(Attribute, kGraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, 800)                            \
  X(Attribute, kGraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS, 801)                           \
  X(Attribute, kTensorAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 900)                        \
  X(Attribute, kTensorType, CUDNN_ATTR_TENSOR_DATA_TYPE, 901)                                  \
  X(Attribute, kTensorSizes, CUDNN_ATTR_TENSOR_DIMENSIONS, 902)                                \
  X(Attribute, kTensorStrides, CUDNN_ATTR_TENSOR_STRIDES, 903)                                 \
  X(Attribute, kTensorId, CUDNN_ATTR_TENSOR_UNIQUE_ID, 906)                                    \
  X(Attribute, kTensorIsVirtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL, 907)                            \
  X(Attribute, kTensorIsByValue, CUDNN_ATTR_TENSOR_IS_BY_VALUE, 908)                           \
  X(Attribute, kPackIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, 1000)                             \
  X(Attribute, kPackPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, 1001)                     \
  X(Attribute, kPackWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 1003)                        \
  X(Attribute, kEngineNotes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, 1303)                           \
  X(Attribute, kMatmulMath, CUDNN_ATTR_MATMUL_COMP_TYPE, 1500)                                 \
  X(Attribute, kMatmulA, CUDNN_ATTR_OPERATION_MATMUL_ADESC, 1520)                              \
  X(Attribute, kMatmulB, CUDNN_ATTR_OPERATION_MATMUL_BDESC, 1521)                              \
  X(Attribute, kMatmulC, CUDNN_ATTR_OPERATION_MATMUL_CDESC, 1522)                              \
  X(Attribute, kMatmulMatmul, CUDNN_ATTR_OPERATION_MATMUL_DESC, 1523)                          \
  X(Attribute, kReductionOperator, CUDNN_ATTR_REDUCTION_OPERATOR, 1600)                        \
  X(Attribute, kReductionMath, CUDNN_ATTR_REDUCTION_COMP_TYPE, 1601)                           \
  X(Attribute, kReductionX, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, 1610)                        \
  X(Attribute, kReductionY, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, 1611)                        \
  X(Attribute, kReductionReduction, CUDNN_ATTR_OPERATION_REDUCTION_DESC, 1612)                 \
  X(Attribute, kReshapeX, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, 2200)                            \
  X(Attribute, kReshapeY, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, 2201)                            \
  X(Type, kHandleType, CUDNN_TYPE_HANDLE, 0)                                                   \
  X(Type, kDataTypeType, CUDNN_TYPE_DATA_TYPE, 1)                                              \
  X(Type, kBooleanType, CUDNN_TYPE_BOOLEAN, 2)                                                 \
  X(Type, kInt64Type, CUDNN_TYPE_INT64, 3)                                                     \
  X(Type, kFloatType, CUDNN_TYPE_FLOAT, 4)                                                     \
  X(Type, kDoubleType, CUDNN_TYPE_DOUBLE, 5)                                                   \
  X(Type, kPointerType, CUDNN_TYPE_VOID_PTR, 6)                                                \
  X(Type, kConvolutionModeType, CUDNN_TYPE_CONVOLUTION_MODE, 7)                                \
  X(Type, kHeuristicsModeType, CUDNN_TYPE_HEUR_MODE, 8)                                        \
  X(Type, kNoteType, CUDNN_TYPE_NUMERICAL_NOTE, 11)                                            \
  X(Type, kPointwiseModeType, CUDNN_TYPE_POINTWISE_MODE, 14)                                   \
  X(Type, kDescriptorType, CUDNN_TYPE_BACKEND_DESCRIPTOR, 15)                                  \
  X(Type, kReductionType, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 18)                              \
  X(DataType, kFloatData, CUDNN_DATA_FLOAT, 0)                                                 \
  X(DataType, kDoubleData, CUDNN_DATA_DOUBLE, 1)                                               \
  X(DataType, kHalfData, CUDNN_DATA_HALF, 2)                                                   \
  X(DataType, kInt32Data, CUDNN_DATA_INT32, 4)                                                 \
  X(DataType, kBfloat16Data, CUDNN_DATA_BFLOAT16, 9)                                           \
  X(DataType, kBooleanData, CUDNN_DATA_BOOLEAN, 11)                                            \
  X(Mode, kCrossCorrelation, CUDNN_CROSS_CORRELATION, 1)                                       \
  X(Mode, kModeA, CUDNN_HEUR_MODE_A, 3)                                                        \
  X(Mode, kModeB, CUDNN_HEUR_MODE_B, 1)                                                        \
  X(Mode, kModeFallback, CUDNN_HEUR_MODE_FALLBACK, 2)                                          \
  X(Mode, kAdd, CUDNN_POINTWISE_ADD, 0)                                                        \
  X(Mode, kMultiply, CUDNN_POINTWISE_MUL, 1)                                                   \
  X(Mode, kDivide, CUDNN_POINTWISE_DIV, 6)                                                     \
  X(Mode, kMinus, CUDNN_POINTWISE_SUB, 9)                                                      \
  X(Mode, kExp, CUDNN_POINTWISE_EXP, 13)                                                       \
  X(Mode, kLog, CUDNN_POINTWISE_LOG, 15)                                                       \
  X(Mode, kIdentity, CUDNN_POINTWISE_IDENTITY, 21)                                             \
  X(Mode, kNotLess, CUDNN_POINTWISE_CMP_GE, 303)                                               \
  X(Mode, kIndex, CUDNN_POINTWISE_GEN_INDEX, 501)                                              \
  X(Mode, kSelect, CUDNN_POINTWISE_BINARY_SELECT, 601)                                         \
  X(Mode, kSumOf, CUDNN_REDUCE_TENSOR_ADD, 0)                                                  \
  X(Mode, kLargestOf, CUDNN_REDUCE_TENSOR_MAX, 3)                                              \
  X(Note, kTensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE, 0)                                    \
  X(Note, kDownConvertInputs, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, 1)                     \
  X(Note, kReducedSum, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, 2)                    \
  X(Note, kNondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, 4)                         \
  X(Status, kSuccess, CUDNN_STATUS_SUCCESS, 0)                                                 \
  X(Status, kBadParam, CUDNN_STATUS_BAD_PARAM, 2000)                                           \
  X(Status, kNotSupported, CUDNN_STATUS_NOT_SUPPORTED, 3000)                                   \
  X(Status, kInternalError, CUDNN_STATUS_INTERNAL_ERROR, 4000)                                 \
  X(Status, kExecutionFailed, CUDNN_STATUS_EXECUTION_FAILED, 5000)

enum class Kind : int {};
enum class Attribute : int {};
enum class Type : int {};
enum class DataType : int {};
enum class Mode : int {};
enum class Note : int {};
enum class Status : int {};

#define TERN_CUDNN_NUMBER(Enum, name, theirs, number) constexpr Enum name{number};
TERN_CUDNN_NUMBERS(TERN_CUDNN_NUMBER)
#undef TERN_CUDNN_NUMBER

/// The functions: X is called with the name and the parameters.
#define TERN_CUDNN_FUNCTIONS(X)                                                                 \
  X(cudnnCreate, Status, (Handle*))                                                             \
  X(cudnnGetVersion, std::size_t, ())                                                           \
  X(cudnnSetStream, Status, (Handle, void*))                                                    \
  X(cudnnGetErrorString, const char*, (Status))                                                 \
  X(cudnnBackendCreateDescriptor, Status, (Kind, Descriptor*))                                  \
  X(cudnnBackendDestroyDescriptor, Status, (Descriptor))                                        \
  X(cudnnBackendSetAttribute, Status, (Descriptor, Attribute, Type, std::int64_t, const void*)) \
  X(cudnnBackendGetAttribute, Status,                                                           \
    (Descriptor, Attribute, Type, std::int64_t, std::int64_t*, void*))                          \
  X(cudnnBackendFinalize, Status, (Descriptor))                                                 \
  X(cudnnBackendExecute, Status, (Handle, Descriptor, Descriptor))

struct Library {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): a name and parameters take none.
#define TERN_CUDNN_FUNCTION(function, Result, parameters) Result(*function) parameters = nullptr;
  TERN_CUDNN_FUNCTIONS(TERN_CUDNN_FUNCTION)
#undef TERN_CUDNN_FUNCTION
};

/// Opens the library `file` and finds the functions. Returns false if that fails.
bool open_library(const char* file, Library* library);

/// Returns cuDNN's functions, or null if there is no cuDNN. Looks for it once.
const Library* library();

}  // namespace tern::cuda::device::cudnn
