#pragma once

#include <optional>
#include <vector>

#include <tern/core/autograd/detail/autocast_mode.h>
#include <tern/core/base/detail/op_scope.h>

// The rules of ops under autocast (core/autograd/autocast.h).

namespace tern::detail {

/// What autocast does with the floating tensors among the arguments of an op. float64 is never
/// cast.
enum class CastRule : std::uint8_t {
  kUnchanged,
  kLower,    // casts to the dtype of the region
  kFloat32,  // casts to float32
  kWidest,   // casts to float32 if one tensor is float32, else the dtype of the region
  kBanned,   // throws
};

/// The tensors of one argument.
struct CastArgument {
  const Tensor* first = nullptr;
  std::size_t count = 0;
};
inline CastArgument cast_argument(const Tensor& tensor) { return {&tensor, 1}; }
inline CastArgument cast_argument(TensorList tensors) { return {tensors.data(), tensors.size()}; }
template <class T>
CastArgument cast_argument(const T& /*other*/) {
  return {};
}

/// Sets whether the ops that an op calls have rules, while the object lives.
class InnerOpsGuard {
 public:
  explicit InnerOpsGuard(bool reaches) : previous_(autocast_mode.reaches_inner_ops) {
    autocast_mode.reaches_inner_ops = reaches;
  }
  ~InnerOpsGuard() { autocast_mode.reaches_inner_ops = previous_; }
  InnerOpsGuard(const InnerOpsGuard&) = delete;
  InnerOpsGuard& operator=(const InnerOpsGuard&) = delete;

 private:
  bool previous_;
};

/// Returns true when autocast applies to an op. Only the op that the user calls has a rule, not the
/// ops that it is made of.
inline bool autocast_reaches(const OpScope& scope) {
  return autocast_mode.devices != 0 && (scope.is_outermost() || autocast_mode.reaches_inner_ops);
}

/// One call of an op under autocast: chooses a dtype and casts the arguments.
class CastCall {
 public:
  /// Chooses the rule of the device whose autocast is enabled; of both, the rule of CUDA. Throws
  /// Error for a banned op and for a dtype that the rule does not know.
  template <class... Args>
  [[gnu::noinline, gnu::cold]] CastCall(CastRule cpu, CastRule cuda, const Args&... args) {
    const CastArgument list[] = {cast_argument(args)...};
    choose(cpu, cuda, list, sizeof...(Args));
  }
  /// Returns true when a rule applies: the op must be called again, with cast arguments.
  explicit operator bool() const { return applies_; }

  /// Returns call(args...) with the arguments cast.
  template <class Call, class... Args>
  auto operator()(Call call, const Args&... args) const {
    const InnerOpsGuard whole(false);
    return call(cast(args)...);
  }

 private:
  void choose(CastRule cpu, CastRule cuda, const CastArgument* arguments, std::size_t count);
  bool is_eligible(const Tensor& tensor) const;
  ScalarType widest(const CastArgument* arguments, std::size_t count) const;

  Tensor cast(const Tensor& tensor) const;
  std::vector<Tensor> cast(TensorList tensors) const;
  template <class T>
  const T& cast(const T& other) const {
    return other;
  }

  bool applies_ = false;
  DeviceType type_ = kCPU;
  ScalarType dtype_ = kFloat;
};

}  // namespace tern::detail

/// Gives an op its rules under autocast, on the CPU and on CUDA. Follows TERN_OP. The names are the
/// function and all its parameters, with which it is called again after the casts.
///
/// Example:
///   Tensor mm(const Tensor& self, const Tensor& other) {
///     TERN_OP("mm", self, other);
///     TERN_AUTOCAST(kLower, kLower, mm, self, other);
#define TERN_AUTOCAST(cpu, cuda, function, ...) \
  TERN_AUTOCAST_IF(true, cpu, cuda, function, __VA_ARGS__)

/// The same for an op that takes the dtype of its result: the rules count only if `condition`.
#define TERN_AUTOCAST_IF(condition, cpu, cuda, function, ...)                                \
  if (::tern::detail::autocast_reaches(tern_op_scope) && (condition)) [[unlikely]] {         \
    using enum ::tern::detail::CastRule;                                                     \
    const ::tern::detail::CastCall tern_cast_call(cpu, cuda, __VA_ARGS__);                   \
    if (tern_cast_call) {                                                                    \
      return tern_cast_call(                                                                 \
          [](auto&&... casts) { return function(std::forward<decltype(casts)>(casts)...); }, \
          __VA_ARGS__);                                                                      \
    }                                                                                        \
  }                                                                                          \
  static_assert(true)

/// Lets autocast reach the ops that this op calls: as PyTorch's, it has no rule of its own.
#define TERN_AUTOCAST_INNER_OPS()                     \
  const ::tern::detail::InnerOpsGuard tern_inner_ops( \
      ::tern::detail::autocast_reaches(tern_op_scope))
