#include <string>

#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/detail/stream_use.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/saved_tensor.h>
#include <tern/core/autograd/saved_tensor_hooks.h>
#include <tern/core/kernels/device_traits.h>

namespace tern::autograd {
namespace {

[[noreturn]] __attribute__((cold)) void throw_modified(const Tensor& data, const Node* maker,
                                                       std::uint32_t output_nr,
                                                       std::uint32_t expected) {
  const std::string origin =
      maker == nullptr || maker->is_accumulator()
          ? std::string()
          : tern::detail::text_of(", which is output ", output_nr, " of ", op_name(*maker), ",");
  tern::detail::raise<Error>(
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [",
      kernels::traits_of(data.device()).type_prefix, data.scalar_type(), "Type ", data.sizes(), "]",
      origin, " is at version ", data._version(), "; expected version ", expected,
      " instead. Hint: the change happened after the forward op that saved the tensor and before "
      "backward; use an op that is not in place, or clone() the tensor first.");
}

thread_local const SavedTensorHooks* saved_tensor_hooks = nullptr;

}  // namespace

namespace detail {

/// What a pack hook made of a tensor.
struct PackedTensor {
  SavedValue value;
  std::shared_ptr<const SavedTensorHooks::Unpack> unpack;
  OutputInfo info;
};

}  // namespace detail

SavedTensorHooks::SavedTensorHooks(Pack pack, Unpack unpack)
    : pack_(std::move(pack)),
      unpack_(std::make_shared<const Unpack>(std::move(unpack))),
      outer_(saved_tensor_hooks) {
  saved_tensor_hooks = this;
}
SavedTensorHooks::~SavedTensorHooks() { saved_tensor_hooks = outer_; }

SavedTensor::SavedTensor(const Tensor& tensor, bool is_output) : is_output_(is_output) {
  if (!tensor.defined()) return;
  TERN_CHECK(!tensor.is_inference(), Error,
             "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
             "inference mode in computation tracked by autograd. To work around this, you can make "
             "a clone to get a normal tensor and use it in autograd, or use NoGradGuard instead of "
             "InferenceMode.");
  version_ = tensor.self().storage->version();
  if (!is_output) {
    Edge edge = gradient_edge(tensor);
    node_ = std::move(edge.function);
    output_nr_ = edge.input_nr & 0x7fffffff;
  }
  for (const SavedTensorHooks* hooks = saved_tensor_hooks; hooks != nullptr; hooks = hooks->outer_)
    [[unlikely]] {
      const NoGradGuard no_grad;
      SavedValue value = hooks->pack_(tern::detail::make_alias(tensor));
      if (value.isNone()) continue;  // the outer guard decides
      packed_ = std::make_unique<detail::PackedTensor>(
          detail::PackedTensor{std::move(value),
                               hooks->unpack_,
                               {tensor.self().sizes, tensor.dtype(), tensor.device()}});
      return;
    }
  // A leaf that requires grad is saved itself. Any other tensor is saved as an alias without
  // history, so that a later in-place op, which gives the tensor a new rule, cannot close a cycle.
  const bool is_grad_leaf = node_ && node_->is_accumulator();
  data_ = is_grad_leaf ? tensor : tern::detail::make_alias(tensor);
}

SavedTensor::SavedTensor() = default;
SavedTensor::~SavedTensor() = default;
SavedTensor::SavedTensor(SavedTensor&& other) noexcept = default;
SavedTensor& SavedTensor::operator=(SavedTensor&& other) noexcept = default;

void SavedTensor::reset() {
  data_.reset();
  packed_.reset();
  node_.reset();
}

Tensor SavedTensor::unpack(Node* owner, bool with_history) const {
  Tensor data = data_;
  if (packed_) [[unlikely]] {
    {
      const NoGradGuard no_grad;
      data = (*packed_->unpack)(packed_->value);
    }
    const OutputInfo& info = packed_->info;
    TERN_CHECK(data.defined() && data.sizes() == IntArrayRef(info.sizes) &&
                   data.dtype() == info.dtype && data.device() == info.device,
               Error, "SavedTensorHooks: pack got a tensor of sizes ", IntArrayRef(info.sizes),
               ", dtype ", info.dtype, " on ", info.device, ", but unpack returned ",
               data.defined() ? tern::detail::text_of("sizes ", data.sizes(), ", dtype ",
                                                      data.scalar_type(), " on ", data.device())
                              : "an undefined tensor");
  }
  if (!data.defined()) return data;
  if (!packed_ && data.self().storage->version() != version_) [[unlikely]] {
    throw_modified(data, is_output_ ? owner : node_.get(), output_nr_, version_);
  }
  use_on_current_stream(data);
  // History matters only if this backward is itself recorded.
  if (!with_history && !GradMode::is_enabled()) return data;
  if (!is_output_ && (!node_ || (node_->is_accumulator() && !packed_))) return data;
  Tensor result = tern::detail::make_alias(data);
  Meta& meta = ensure_meta(result.self());
  meta.node = is_output_ ? IntrusivePtr<Node>(owner) : node_;
  meta.output_nr = output_nr_;
  return result;
}

}  // namespace tern::autograd
