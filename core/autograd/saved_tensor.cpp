#include <string>

#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/saved_tensor.h>
#include <tern/core/kernels/backend.h>

namespace tern::autograd {
namespace {

[[noreturn]] __attribute__((cold)) void throw_modified(const Tensor& data, const Node* maker,
                                                       std::uint32_t output_nr,
                                                       std::uint32_t expected) {
  const std::string origin =
      maker == nullptr
          ? std::string()
          : tern::detail::text_of(", which is output ", output_nr, " of ", op_name(*maker), ",");
  tern::detail::raise<Error>(
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [",
      data.is_cuda() ? "CUDA" : "CPU", data.dtype(), "Type ", data.sizes(), "]", origin,
      " is at version ", data._version(), "; expected version ", expected,
      " instead. Hint: the change happened after the forward op that saved the tensor and before "
      "backward; use an op that is not in place, or clone() the tensor first.");
}

}  // namespace

SavedTensor::SavedTensor(const Tensor& tensor, bool is_output) : is_output_(is_output) {
  if (!tensor.defined()) return;
  version_ = tensor.self().storage->version();
  if (!is_output) edge_ = gradient_edge(tensor);
  // A leaf that requires grad is saved itself. Any other tensor is saved as an alias without
  // history, so that a later in-place op, which gives the tensor a new rule, cannot close a cycle.
  const bool is_grad_leaf = edge_.node && edge_.node->is_accumulator();
  data_ = is_grad_leaf ? tensor : tern::detail::make_alias(tensor);
}

Tensor SavedTensor::unpack(Node* owner) const {
  if (!data_.defined()) return data_;
  if (data_.self().storage->version() != version_) [[unlikely]] {
    throw_modified(data_, is_output_ ? owner : edge_.node.get(), edge_.output_nr, version_);
  }
  // The block belongs to the stream of the forward pass and is freed when this backward has been
  // queued, perhaps on another stream.
  if (data_.is_cuda()) [[unlikely]] {
    kernels::backend_of(kCUDA).record_current_stream(data_.self().storage->data(),
                                                     data_.device().index());
  }
  // History matters only if this backward is itself recorded.
  if (!GradMode::is_enabled()) return data_;
  if (is_output_) {
    Tensor result = tern::detail::make_alias(data_);
    Meta& meta = ensure_meta(result.self());
    meta.node = IntrusivePtr<Node>(owner);
    return result;
  }
  if (!edge_.node || edge_.node->is_accumulator()) return data_;
  Tensor result = tern::detail::make_alias(data_);
  Meta& meta = ensure_meta(result.self());
  meta.node = edge_.node;
  meta.output_nr = edge_.output_nr;
  return result;
}

}  // namespace tern::autograd
