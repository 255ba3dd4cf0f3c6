#pragma once

#include <initializer_list>

#include <tern/core/autograd/record.h>

// In-place ops. An op that is not recorded writes directly to its tensor. So does a recorded one
// whose rule does not save the elements that it replaces; any other is computed out of place, so
// that what its rule saves stays valid, and its result is copied.

namespace tern::detail {

/// Throws Error if `self` is a leaf, or a view, whose history may not change in place. `recorded`:
/// the op is recorded.
TERN_API void check_history_change(const Tensor& self, bool recorded);

/// Throws Error unless the elements of `self` may be changed in place. `recorded`: the op is
/// recorded.
TERN_API void check_inplace(const Tensor& self, bool recorded);

/// The elements and the history of a tensor before a recorded op changes it.
class TERN_API OldElements {
 public:
  explicit OldElements(const Tensor& self);
  const Tensor& tensor() const { return tensor_; }
  /// Copies the elements if the op has saved them, so that `self` may be changed.
  void keep_if_saved();

 private:
  Tensor tensor_;
  bool is_lent_;  // shares self's memory
};

/// Returns the elements and the history of a tensor, as an operand to whose memory an elementwise
/// op writes its result. An undefined tensor if one of `others` shares that memory.
TERN_API Tensor donate(const Tensor& self, std::initializer_list<Tensor> others);

/// Gives `self` the elements, unless they are there already, and the history of `result`, which has
/// Gives `self` the elements, unless they are there already, and the history of `result`, which has
/// the same sizes. If `self` is a view, its base gets a rule that joins the base's old history with
/// the result's.
TERN_API void adopt_result(const Tensor& self, const Tensor& result);

/// Runs `op(x, out)`: x is read in place of `self`, and the result is written to `out`. For a
/// recorded op, `out` is undefined and `op` returns a new tensor. `others` are the other tensors of
/// the op.
template <class Op, class... Others>
Tensor& inplace(Tensor& self, const Op& op, const Others&... others) {
  const bool recorded = autograd::needs_grad(self, others...);
  check_inplace(self, recorded);
  if (recorded) {
    OldElements old(self);
    const Tensor result = op(old.tensor(), Tensor());
    old.keep_if_saved();
    adopt_result(self, result);
  } else {
    op(self, self);
    self.self().storage->bump_version();
  }
  return self;
}

/// Does the same for an op that is one elementwise kernel and whose rule does not save x.
template <class Op, class... Others>
Tensor& overwrite(Tensor& self, const Op& op, const Others&... others) {
  if (autograd::needs_grad(self, others...)) {
    check_inplace(self, true);
    if (const Tensor operand = donate(self, {others...}); operand.defined()) {
      adopt_result(self, op(operand, Tensor()));
      return self;
    }
  }
  return inplace(self, op, others...);
}

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
