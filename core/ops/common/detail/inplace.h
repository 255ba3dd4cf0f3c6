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
enum class Old { kSaved, kReplaced };

/// Runs an op that changes `self`. `others` are its other tensors. With kReplaced, the op reads x
/// only to compute its result, in one elementwise kernel or in the memory that result_like() gives.
TERN_API Tensor& run_inplace(Tensor& self, InplaceOp op, Old old,
                             std::initializer_list<const Tensor*> others);

/// Runs an op of any kind.
template <class Op, class... Others>
Tensor& inplace(Tensor& self, const Op& op, const Others&... others) {
  return run_inplace(self, InplaceOp(op), Old::kSaved, {&others...});
}

/// Runs an op whose rule does not save x and that is fit for kReplaced.
template <class Op, class... Others>
Tensor& overwrite(Tensor& self, const Op& op, const Others&... others) {
  return run_inplace(self, InplaceOp(op), Old::kReplaced, {&others...});
}

/// Returns the tensor for a result of the sizes and the dtype of `self`: the elements of `self`, if
/// an op may overwrite them, or new memory, which is contiguous.
TERN_API Tensor result_like(const Tensor& self);

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
  if (recorded) autograd::set_history(self, edge.node, edge.output_nr);
  return self;
}

}  // namespace tern::detail

// The file has `name_into(self, other, out)`, which writes to `out`. TERN_INPLACE_BY is the common
// part of the others.
#define TERN_INPLACE_BY(run, name, ...)                                         \
  {                                                                             \
    TERN_OP(#name "_", self __VA_OPT__(, ) __VA_ARGS__);                        \
    const auto op = [&](const Tensor& x, const Tensor& out) {                   \
      return out.defined() ? name##_into(x, other, out) : tern::name(x, other); \
    };                                                                          \
    return run(self, op __VA_OPT__(, ) __VA_ARGS__);                            \
  }

/// Defines `name_(self, other)` of two tensors.
#define TERN_INPLACE(name) \
  Tensor& name##_(Tensor& self, const Tensor& other) TERN_INPLACE_BY(detail::inplace, name, other)

/// The same where only the gradient of `other` needs the old elements of `self`.
#define TERN_INPLACE_PRODUCT(name)                                                 \
  Tensor& name##_(Tensor& self, const Tensor& other) {                             \
    if (autograd::needs_grad(other)) TERN_INPLACE_BY(detail::inplace, name, other) \
    TERN_INPLACE_BY(detail::overwrite, name, other)                                \
  }

/// Defines `name_(self, other)` of a tensor and a number.
#define TERN_INPLACE_NUMBER(name) \
  Tensor& name##_(Tensor& self, const Scalar& other) TERN_INPLACE_BY(detail::inplace, name)

/// The same where the gradient does not need the old elements.
#define TERN_OVERWRITE_NUMBER(name) \
  Tensor& name##_(Tensor& self, const Scalar& other) TERN_INPLACE_BY(detail::overwrite, name)
