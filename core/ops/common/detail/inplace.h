#pragma once

#include <initializer_list>

#include <tern/core/autograd/record.h>

// In-place ops. An op writes directly to its tensor if it is not recorded, or if its rule does not
// save the elements that it replaces. Any other op computes a new tensor, so that the saved
// elements stay valid, and copies the result.

namespace tern::detail {

/// Throws Error if `self` is a leaf, or a view, whose history may not change in place. `recorded`:
/// the op is recorded.
TERN_API void check_history_change(const Tensor& self, bool recorded);

/// Throws Error unless the elements of `self` may be changed in place. `recorded`: the op is
/// recorded.
TERN_API void check_inplace(const Tensor& self, bool recorded);

/// A function `op(x, out)` that outlives this reference to it. x is read in place of the tensor
/// that the op changes. The result is written to `out`; if that is undefined, the op is recorded,
/// and returns a new tensor.
class InplaceOp {
 public:
  template <class Op>
  explicit InplaceOp(const Op& op)
      : op_(&op), call_([](const void* self, const Tensor& x, const Tensor& out) -> Tensor {
          return (*static_cast<const Op*>(self))(x, out);
        }) {}
  Tensor operator()(const Tensor& x, const Tensor& out) const { return call_(op_, x, out); }

 private:
  const void* op_;
  Tensor (*call_)(const void*, const Tensor&, const Tensor&);
};

/// Whether the rule of an op saves the elements that the op replaces.
enum class Old {
  kSaved,
  kReplaced,  // no; `out` is the memory for the result, also of a recorded op
};

/// Runs an op that changes `self`. `others` are its other tensors, or null. Unless its rule saves
/// x, the op reads x only to compute its result.
TERN_API Tensor& run_inplace(Tensor& self, InplaceOp op, Old old,
                             std::initializer_list<const Tensor*> others);

/// Runs an op of any kind.
template <class Op, class... Others>
Tensor& inplace(Tensor& self, const Op& op, const Others&... others) {
  return run_inplace(self, InplaceOp(op), Old::kSaved, {&others...});
}

inline const Tensor* tensor_among(const Tensor& tensor) { return &tensor; }
template <class T>
const Tensor* tensor_among(const T& /*other*/) {
  return nullptr;
}

/// Runs the in-place form of an op with the arguments x, args..: function(x, args..) if it is
/// recorded and `out` is undefined, else write(x, args.., out), which returns `out`.
template <class Write, class Function, class... Args>
Tensor& inplace_form(Old old, Tensor& self, const Write& write, const Function& function,
                     const Args&... args) {
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? write(x, args..., out) : function(x, args...);
  };
  return run_inplace(self, InplaceOp(op), old, {tensor_among(args)...});
}

/// Runs an op whose rule does not save x. `out` is the memory of `self`, with its elements, or
/// undefined: then the op makes a new tensor. The op itself records the result if a tensor needs a
/// gradient.
template <class Op, class... Others>
Tensor& overwrite_into(Tensor& self, const Op& op, const Others&... others) {
  return run_inplace(self, InplaceOp(op), Old::kReplaced, {&others...});
}

/// Returns `out`, or if it is undefined a new contiguous tensor of the sizes and the dtype of
/// `self`.
TERN_API Tensor result_like(const Tensor& self, const Tensor& out);

/// Gives `self` the layout and the history of the view of it that `view` returns. The elements stay
/// where they are; autograd counts a change of the tensor.
template <class View>
Tensor& become_view(Tensor& self, const View& view) {
  const bool recorded = autograd::needs_grad(self);
  check_history_change(self, recorded);
  const Tensor shown = view();
  const autograd::Edge edge = recorded ? autograd::gradient_edge(shown) : autograd::Edge();
  TensorImpl& impl = self.self();
  impl.set_geometry(shown.storage_offset(), shown.sizes(), shown.strides());
  impl.storage->bump_version();
  if (recorded) autograd::set_history(self, edge.function, edge.input_nr);
  return self;
}

}  // namespace tern::detail

/// The in-place form of the op `name`, called as name(self, ..). The file has `name_into(self, ..,
/// out)`, which writes to `out`. `old` is a detail::Old; with kReplaced name_into() also records
/// the result if a tensor needs a gradient.
///
/// Example:
///   Tensor& hypot_(Tensor& self, const Tensor& other) {
///     TERN_OP("hypot_", self, other);
///     return TERN_INPLACE(hypot, Old::kSaved, self, other);
///   }
#define TERN_INPLACE(name, old, self, ...)                               \
  ::tern::detail::inplace_form(                                          \
      old, self, [](const auto&... all) { return name##_into(all...); }, \
      [](const auto&... all) { return ::tern::name(all...); } __VA_OPT__(, ) __VA_ARGS__)
