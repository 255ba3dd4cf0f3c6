#include <tern/core/autograd/anomaly.h>
#include <tern/core/autograd/autograd.h>
#include <tern/core/autograd/detail/anomaly.h>
#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/detail/view.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/profile_scope.h>
#include <tern/core/base/warning.h>
#include <tern/core/tensor/tensor.h>

// The autograd members of Tensor.

namespace tern {

using autograd::Edge;
using autograd::ensure_meta;
using autograd::Meta;
using autograd::meta_of;

namespace autograd {

Meta& ensure_meta(TensorImpl& impl) {
  if (!impl.autograd) impl.autograd = std::make_unique<Meta>();
  return *meta_of(impl);
}

Edge gradient_edge(const Tensor& tensor) {
  TensorImpl& impl = tensor.self();
  if (impl.view_base && impl.view_version != impl.storage->version()) refresh_view(tensor);
  const Meta* meta = meta_of(impl);
  return meta == nullptr ? Edge() : Edge{meta->node, meta->output_nr};
}

namespace {

void add_retain_hook(Meta& meta) {
  const auto keep = [slot = meta.slot](const Tensor& gradient) {
    slot->grad = slot->grad.defined() ? slot->grad.add(gradient) : gradient.clone();
    return Tensor();
  };
  meta.node->add_last_hook(meta.output_nr, keep);
  meta.retains_grad = true;
}

}  // namespace

void set_edge(Meta& meta, Edge edge) {
  if (meta.retains_grad && meta.node) [[unlikely]]
    meta.node->remove_last_hook(meta.output_nr);
  meta.node = std::move(edge.function);
  meta.output_nr = edge.input_nr;
  if (meta.retains_grad && meta.node) [[unlikely]]
    add_retain_hook(meta);
}

void set_history(const Tensor& tensor, IntrusivePtr<Node> node, std::uint32_t nr) {
  TensorImpl& impl = tensor.self();
  node->set_output_info(nr, tensor);
  if (AnomalyMode::is_enabled() && node->origin().empty()) [[unlikely]] {
    node->set_origin(running_text());
  }
  set_edge(ensure_meta(impl), {std::move(node), nr});
  impl.view_version = impl.storage->version();
}

}  // namespace autograd

// A view requires grad when its base does, even if the view was made earlier or without gradients.
bool Tensor::requires_grad() const {
  const auto has_node = [](const TensorImpl& impl) {
    const Meta* meta = meta_of(impl);
    return meta != nullptr && meta->node;
  };
  if (!impl_) return false;
  return has_node(*impl_) || (impl_->view_base && has_node(*impl_->view_base));
}

bool Tensor::is_leaf() const {
  const Edge edge = autograd::gradient_edge(*this);
  return !edge.function || edge.function->is_accumulator();
}

IntrusivePtr<autograd::Node> Tensor::grad_fn() const {
  return is_leaf() ? IntrusivePtr<autograd::Node>() : autograd::gradient_edge(*this).function;
}

std::uint32_t Tensor::output_nr() const { return autograd::gradient_edge(*this).input_nr; }

Tensor& Tensor::requires_grad_(StrictBool requires_grad) const {
  TERN_CHECK(requires_grad || is_leaf(), Error,
             "you can only change requires_grad flags of leaf variables. If you want to use a "
             "computed variable in a subgraph that doesn't require differentiation use "
             "var_no_grad = var.detach().");
  set_requires_grad(requires_grad);
  return handle();
}

const Tensor& Tensor::set_requires_grad(StrictBool requires_grad) const {
  TERN_CHECK(
      !requires_grad || !is_inference() || InferenceMode::is_enabled(), Error,
      "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (!is_leaf()) return *this;
  const Meta* own = meta_of(self());
  if (requires_grad == (own != nullptr && own->node)) return *this;
  if (!requires_grad) {
    Meta& meta = *meta_of(self());
    meta.node.reset();
    if (meta.slot) meta.slot->is_open = false;
    return *this;
  }
  TERN_CHECK(is_floating_point(), DTypeError,
             "Only Tensors of floating point and complex dtype can require gradients, got ",
             scalar_type());
  Meta& meta = ensure_meta(self());
  if (!meta.slot) meta.slot = make_intrusive<autograd::GradSlot>();
  meta.slot->is_open = true;
  meta.node = autograd::make_accumulator(*this, meta.slot);
  meta.output_nr = 0;
  return *this;
}

const Tensor& Tensor::grad() const {
  static const Tensor* const kUndefined = new Tensor;
  const Meta* meta = meta_of(self());
  if (get_warning_handler() != nullptr && !is_leaf() && !retains_grad()) [[unlikely]] {
    detail::warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
        "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
        "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor.");
  }
  return meta == nullptr || !meta->slot ? *kUndefined : meta->slot->grad;
}

Tensor& Tensor::mutable_grad() const {
  Meta& meta = ensure_meta(self());
  if (!meta.slot) meta.slot = make_intrusive<autograd::GradSlot>();
  return meta.slot->grad;
}

void Tensor::set_grad(const Tensor& grad) const {
  if (grad.defined()) {
    TERN_CHECK(!grad.is_same(*this), Error, "can't assign Variable as its own grad");
    TERN_CHECK(grad.sizes() == sizes(), ShapeError, "attempting to assign a gradient of size '",
               grad.sizes(), "' to a tensor of size '", sizes(),
               "'. Please ensure that the gradient and the tensor are the same size");
    TERN_CHECK(grad.dtype() == dtype(), DTypeError, "attempting to assign a gradient with dtype '",
               grad.scalar_type(), "' to a tensor with dtype '", scalar_type(),
               "'. Please ensure that the gradient and the tensor have the same dtype");
    TERN_CHECK(grad.device() == device(), DeviceError,
               "attempting to assign a gradient with device type '", grad.device(),
               "' to a tensor with device type '", device(),
               "'. Please ensure that the gradient and the tensor are on the same device");
  } else if (!meta_of(self())) {
    return;
  }
  mutable_grad() = grad;
}

void Tensor::backward(const Tensor& gradient, std::optional<StrictBool> retain_graph,
                      StrictBool create_graph, std::optional<TensorList> inputs) const {
  TERN_CHECK(!inputs || !inputs->empty(), Error, "'inputs' argument to backward cannot be empty");
  const TensorList wanted = inputs.value_or(TensorList());
  autograd::backward({*this}, {gradient}, retain_graph, create_graph,
                     {wanted.begin(), wanted.end()});
}

std::int64_t Tensor::_version() const {
  TERN_CHECK(!is_inference(), Error, "Inference tensors do not track version counter.");
  return self().storage->version();
}

Tensor Tensor::detach() const {
  const detail::OpScope scope("detach");
  const detail::ProfileScope profile(detail::ProfileKind::kOp, "detach");
  return detail::make_alias(*this);
}

Tensor& Tensor::detach_() const {
  TERN_CHECK(!is_view(), Error, "Can't detach views in-place. Use detach() instead.");
  if (Meta* meta = meta_of(self())) {
    if (meta->slot && is_leaf()) meta->slot->is_open = false;
    meta->node.reset();
  }
  return handle();
}

Tensor Tensor::data() const {
  // The new Storage counts its in-place changes separately.
  return Tensor(make_intrusive<TensorImpl>(make_intrusive<Storage>(self().storage),
                                           storage_offset(), sizes(), strides(), dtype()));
}

void Tensor::set_data(const Tensor& other) const {
  TensorImpl& impl = self();
  TERN_CHECK(!requires_grad() || other.is_floating_point(), DTypeError,
             "data set to a tensor that requires gradients must be floating point or complex "
             "dtype, got ",
             other.scalar_type());
  const TensorImpl& from = other.self();
  impl.view_base.reset();  // with other elements, the tensor is no longer a view
  impl.view_origin = ViewOrigin::kNone;
  impl.storage = from.storage;
  impl.dtype = from.dtype;
  impl.set_geometry(from.offset, from.sizes, from.strides);
  Meta* meta = meta_of(impl);
  if (meta != nullptr && meta->node && meta->node->is_accumulator()) {
    autograd::update_accumulator(*meta->node, *this);
  }
}

unsigned Tensor::register_hook(std::function<Tensor(const Tensor&)> hook) const {
  const Edge edge = autograd::gradient_edge(*this);
  TERN_CHECK(edge.function, Error, "cannot register a hook on a ",
             detail::as_libtorch ? "variable" : "tensor", " that doesn't require gradient");
  return edge.function->add_hook(edge.input_nr, std::move(hook));
}

void Tensor::remove_hook(unsigned number) const {
  const Edge edge = autograd::gradient_edge(*this);
  TERN_CHECK(edge.function && edge.function->remove_hook(edge.input_nr, number), Error,
             "Invalid index, no hook at position ", number);
}

void Tensor::retain_grad() const {
  TERN_CHECK(requires_grad(), Error, "can't retain_grad on Tensor that has requires_grad=False");
  if (is_leaf() || retains_grad()) return;
  Meta& meta = ensure_meta(self());
  if (!meta.slot) meta.slot = make_intrusive<autograd::GradSlot>();
  autograd::add_retain_hook(meta);
}

bool Tensor::retains_grad() const {
  const Meta* meta = meta_of(self());
  return meta != nullptr && meta->retains_grad;
}

}  // namespace tern
