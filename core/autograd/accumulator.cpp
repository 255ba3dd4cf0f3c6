#include <mutex>

#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/detail/stream_use.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::autograd {
namespace {

class Accumulator final : public Node {
 public:
  Accumulator(const Tensor& leaf, IntrusivePtr<GradSlot> slot)
      // The highest number: a leaf's node runs as soon as its gradient is complete.
      : Node(nullptr, 0, UINT64_MAX), slot_(std::move(slot)), strides_(leaf.self().strides) {
    set_output_info(0, leaf);
  }

  void run(const Tensor* gradients, Tensor* /*results*/, EdgeSet /*wanted*/) override {
    const Tensor& gradient = gradients[0];
    if (!gradient.defined() || !slot_->is_open) return;
    add(gradient);
    if (slot_->hooks) [[unlikely]]
      run_accumulate_hooks(*slot_);
  }
  /// Makes the next first gradient like this leaf, whose elements were replaced.
  void follow(const Tensor& leaf) {
    const std::lock_guard<std::mutex> lock(mutex_);
    set_output_info(0, leaf);
    strides_ = leaf.self().strides;
  }
  std::string name() const override { return "torch::autograd::AccumulateGrad"; }
  bool is_accumulator() const override { return true; }

 private:
  void add(const Tensor& gradient) {
    // Several threads may run backward over shared leaves.
    const std::lock_guard<std::mutex> lock(mutex_);
    Tensor& grad = slot_->grad;
    if (!grad.defined()) {
      grad = first_gradient(gradient);
    } else if (GradMode::is_enabled()) {
      grad = grad.add(gradient);
    } else {
      use_on_current_stream(grad);  // an earlier backward may have used another stream
      grad.add_(gradient);
    }
  }

  // Takes over the tensor if nobody else uses its memory and it has no history, so that later
  // gradients can be added in place. Otherwise copies it. The result has the leaf's layout.
  Tensor first_gradient(const Tensor& gradient) const {
    const bool same_layout = gradient.strides() == IntArrayRef(strides_);
    const bool is_ours = gradient.use_count() == 1 && gradient.self().storage->is_exclusive() &&
                         !gradient.requires_grad();
    if (is_ours && (same_layout || gradient.numel() <= 1)) return gradient;
    if (!tern::is_dense(gradient.sizes(), strides_)) {
      const Tensor row_major = gradient.contiguous();
      return row_major.is_same(gradient) ? gradient.clone() : row_major;
    }
    Tensor copy =
        tern::detail::make_tensor(gradient.sizes(), strides_, gradient.dtype(), gradient.device());
    copy.copy_(gradient);
    return copy;
  }

  IntrusivePtr<GradSlot> slot_;
  DimVector strides_;
  std::mutex mutex_;
};

}  // namespace

IntrusivePtr<Node> make_accumulator(const Tensor& leaf, IntrusivePtr<GradSlot> slot) {
  return IntrusivePtr<Node>(new Accumulator(leaf, std::move(slot)));
}

void update_accumulator(Node& node, const Tensor& leaf) {
  static_cast<Accumulator&>(node).follow(leaf);
}

}  // namespace tern::autograd
