#include <algorithm>

#include <tern/core/autograd/detail/view.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/shape/detail/as_strided.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::detail {
namespace {

bool is_grad_leaf(const Tensor& tensor) {
  const autograd::Edge edge = autograd::gradient_edge(tensor);
  return edge.function && edge.function->is_accumulator();
}

// The elements and the history of a tensor before a recorded op changes it.
class OldElements {
 public:
  explicit OldElements(const Tensor& self)
      : is_lent_(self.nbytes() == self.storage().bytes() &&
                 is_dense(self.sizes(), self.strides())) {
    if (is_lent_) {
      tensor_ = self.data();
    } else {
      const NoGradGuard no_grad;
      tensor_ = self.clone();
    }
    take_history(self, tensor_);
  }

  const Tensor& tensor() const { return tensor_; }

  // Copies the elements if the op has saved them, so that the tensor may be changed.
  void keep_if_saved() {
    Storage& storage = *tensor_.self().storage;
    if (!is_lent_ || storage.use_count() == 1) return;
    const NoGradGuard no_grad;
    storage.swap_memory(*tensor_.clone().self().storage);
  }

  static void take_history(const Tensor& of, const Tensor& tensor) {
    const autograd::Edge edge = autograd::gradient_edge(of);
    if (edge.function) autograd::set_history(tensor, edge.function, edge.input_nr);
  }

 private:
  Tensor tensor_;
  bool is_lent_;  // shares the memory
};

bool share_memory(const Tensor& self, std::initializer_list<const Tensor*> others) {
  return std::any_of(others.begin(), others.end(), [&](const Tensor* other) {
    return other != nullptr && other->defined() && other->is_alias_of(self);
  });
}

// Gives `self` the elements, unless they are there already, and the history of `result`, if it has
// one. Both have the same sizes. If `self` is a view, its base gets a rule that joins the base's
// old history with the result's.
void adopt_result(const Tensor& self, const Tensor& result) {
  TERN_CHECK(can_cast(result.dtype(), self.dtype()), DTypeError, "result type ",
             result.scalar_type(), " can't be cast to the desired output type ",
             self.scalar_type());
  // A 0-d CPU tensor may be an operand of a GPU op, but cannot hold its result.
  TERN_CHECK(result.device() == self.device(), DeviceError,
             "Expected all tensors to be on the same device, but found at least two devices, ",
             self.device(), " and ", result.device(), "!");
  const Tensor fitting = result.to(self.dtype());
  const bool is_there = fitting.is_alias_of(self) &&
                        fitting.storage_offset() == self.storage_offset() &&
                        fitting.strides() == self.strides();
  if (!is_there) {
    const NoGradGuard no_grad;
    self.detach().copy_(fitting);
  }
  const autograd::Edge edge = autograd::gradient_edge(fitting);
  if (!edge.function) return;  // an op without a derivative leaves the history as it is
  const Tensor base = self._base();
  if (!base.defined()) return autograd::set_history(self, edge.function, edge.input_nr);
  // Rebase: the base's gradient combines its old history (outside the view) with the result's
  // (inside). The view's version is now outdated, so it gets its new rule on the next request.
  const Geometry whole(base), part(self);
  autograd::record(
      "CopySlices", base,
      autograd::wrt(base, [whole, part](const Tensor& g) { return clear_strided(g, whole, part); }),
      autograd::wrt(fitting,
                    [whole, part](const Tensor& g) { return take_strided(g, whole, part); }));
}

}  // namespace

void check_inplace(const Tensor& self, bool recorded) {
  TERN_CHECK(!self.self().has_internal_overlap(), Error,
             "unsupported operation: more than one element of the written-to tensor refers to a "
             "single memory location. Please clone() the tensor before performing the operation.");
  check_history_change(self, recorded);
}

void check_history_change(const Tensor& self, bool recorded) {
  const TensorImpl& impl = self.self();
  TERN_CHECK(
      !impl.storage->is_inference() || InferenceMode::is_enabled(), Error,
      "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a "
      "clone to get a normal tensor before doing inplace update.");
  if (!GradMode::records() || (!impl.autograd && !impl.view_base)) return;
  if (recorded && autograd::is_fixed(impl.view_origin)) {
    autograd::throw_fixed_view(self, /*is_direct=*/true);
  }
  TERN_CHECK(!is_grad_leaf(self), Error, impl.view_base ? "a view of " : "",
             "a leaf Variable that requires grad is being used in an in-place operation. Change it "
             "under NoGradGuard, as optimizers do.");
  if (!impl.view_base) return;
  // A leaf may itself be a view of a base without gradients.
  const Tensor base = self._base();
  TERN_CHECK(!is_grad_leaf(base) && (base.requires_grad() || !self.requires_grad()), Error,
             "a view of a leaf Variable that requires grad is being used in an in-place "
             "operation.");
}

Tensor result_like(const Tensor& self, const Tensor& out) {
  return out.defined() ? out : make_tensor(self.sizes(), self.dtype(), self.device());
}

Tensor& run_inplace(Tensor& self, InplaceOp op, Old old,
                    std::initializer_list<const Tensor*> others) {
  bool recorded = autograd::needs_grad(self);
  for (const Tensor* other : others) {
    recorded = recorded || (other != nullptr && autograd::needs_grad(*other, self));
  }
  check_inplace(self, recorded);
  if (!recorded) {
    op(self, self);
    self.self().storage->bump_version();
  } else if (old != Old::kSaved && !share_memory(self, others)) {
    const Tensor operand = make_alias(self);
    const Tensor memory = make_alias(self);
    OldElements::take_history(self, operand);
    Storage& storage = *self.self().storage;
    const std::uint32_t version = storage.version();
    const Tensor result = op(operand, memory);
    if (result.is_alias_of(self) && storage.version() == version) storage.bump_version();
    adopt_result(self, result);
  } else {
    OldElements elements(self);
    const Tensor result = op(elements.tensor(), Tensor());
    elements.keep_if_saved();
    adopt_result(self, result);
  }
  return self;
}

}  // namespace tern::detail
