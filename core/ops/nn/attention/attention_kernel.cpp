// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/attention.h>
#include <tern/core/ops/nn/detail/attention.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::detail {
namespace {

using kernels::AttentionArgs;
using kernels::AttentionOp;
using kernels::AttentionStrides;

// Kernels need the elements of a row next to each other.
Tensor with_dense_rows(const Tensor& tensor) {
  return tensor.size(3) == 1 || tensor.stride(3) == 1 ? tensor : tensor.contiguous();
}

AttentionStrides strides_of(const Tensor& tensor) {
  return {tensor.stride(0), tensor.stride(1), tensor.stride(2)};
}

// Makes a dense tensor of rows in the memory order of another tensor: the result of a query
// [B, L, H, E] that was transposed to [B, H, L, E] can be transposed back without a copy.
Tensor rows_in_order_of(const Tensor& like, std::int64_t size) {
  DimVector strides = dense_strides(like.sizes().slice(0, 3), like.strides().slice(0, 3));
  for (std::int64_t& stride : strides) stride *= size;
  strides.push_back(1);
  return make_tensor({like.size(0), like.size(1), like.size(2), size}, strides, like.dtype(),
                     like.device());
}

// cuDNN compiles its engine for each new shape, which only pays if the shape recurs: what
// `benchmark` says.
std::int32_t cudnn_options() {
  const backends::CudnnSettings& settings = backends::cudnn;
  return (settings.deterministic || are_deterministic_algorithms_enabled()
              ? kernels::kDeterministicAttention
              : 0) |
         (settings.enabled && settings.benchmark ? kernels::kCudnnAttention : 0);
}

void set_inputs(AttentionArgs& args, const Tensor& q, const Tensor& k, const Tensor& v,
                const AttentionTerms& terms) {
  args.dtype = q.dtype();
  args.is_causal = terms.is_causal ? 1 : 0;
  args.options = cudnn_options();
  args.batch = q.size(0);
  args.heads = q.size(1);
  args.group = q.size(1) / k.size(1);
  args.queries = q.size(2);
  args.keys = k.size(2);
  args.size = q.size(3);
  args.value_size = v.size(3);
  args.scale = terms.scale;
  args.keep_scale = terms.keep_scale;
  args.q = q.data_ptr();
  args.k = k.data_ptr();
  args.v = v.data_ptr();
  args.q_strides = strides_of(q);
  args.k_strides = strides_of(k);
  args.v_strides = strides_of(v);
  if (terms.mask.defined()) {
    args.mask = terms.mask.data_ptr();
    args.mask_dtype = terms.mask.dtype();
    for (std::int64_t d = 0; d < 4; ++d) args.mask_strides[d] = terms.mask.stride(d);
  }
  if (terms.keep.defined()) args.keep = terms.keep.data_ptr<bool>();
}

class AttentionBackward final : public autograd::NamedNode {
 public:
  AttentionBackward(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTerms& terms,
                    const Tensor& out, const Tensor& logsumexp)
      : NamedNode("ScaledDotProductFlashAttentionForCpuBackward0", edges_, 3),
        q_(q, false),
        k_(k, false),
        v_(v, false),
        out_(out, true),
        mask_(terms.mask, false),
        keep_(terms.keep, false),
        logsumexp_(logsumexp, false),
        settings_(terms) {
    const Tensor* const inputs[] = {&q, &k, &v};
    for (std::size_t i = 0; i < 3; ++i) edges_[i] = autograd::gradient_edge(*inputs[i]);
  }

  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet wanted) override {
    if (released_) autograd::detail::throw_backward_twice();
    const Tensor& g = gradients[0];
    if (!g.defined()) return;
    const Tensor q = q_.unpack(this), k = k_.unpack(this), v = v_.unpack(this);
    const AttentionTerms terms{settings_, mask_.unpack(this), keep_.unpack(this)};
    if (autograd::needs_grad(g, q, k, v)) {
      return compose_attention_backward(g, q, k, v, terms, results);
    }
    compute(g, with_dense_rows(q), with_dense_rows(k), with_dense_rows(v), terms, results, wanted);
  }

  void release_saved() override {
    released_ = true;
    for (autograd::SavedTensor* saved : {&q_, &k_, &v_, &out_, &mask_, &keep_, &logsumexp_}) {
      saved->reset();
    }
  }

 private:
  void compute(const Tensor& gradient, const Tensor& q, const Tensor& k, const Tensor& v,
               const AttentionTerms& terms, Tensor* results, autograd::EdgeSet wanted) {
    const Tensor g = with_dense_rows(gradient), out = out_.unpack(this);
    const Tensor logsumexp = logsumexp_.unpack(this);
    AttentionArgs args{};
    args.op = AttentionOp::kBackward;
    set_inputs(args, q, k, v, terms);
    args.out = out.data_ptr();
    args.out_strides = strides_of(out);
    args.logsumexp = logsumexp.data_ptr<double>();
    args.grad = g.data_ptr();
    args.grad_strides = strides_of(g);
    const Tensor* const inputs[] = {&q, &k, &v};
    void** const pointers[] = {&args.grad_q, &args.grad_k, &args.grad_v};
    AttentionStrides* const strides[] = {&args.grad_q_strides, &args.grad_k_strides,
                                         &args.grad_v_strides};
    // The softmax over one key is the constant 1, so query and key have the gradient 0. Kernels
    // compute it as the difference of two equal numbers, of which dropout may have rounded one.
    const bool only_one = k.size(2) == 1 && terms.keep.defined();
    for (std::size_t i = 0; i < 3; ++i) {
      if (!wanted.has(i)) continue;
      results[i] = rows_in_order_of(*inputs[i], inputs[i]->size(3));
      if (i < 2 && only_one) {
        results[i].zero_();
        continue;
      }
      *pointers[i] = results[i].data_ptr();
      *strides[i] = strides_of(results[i]);
    }
    kernels::run("scaled_dot_product_attention_backward", q.device(), q.dtype(), args);
  }

  autograd::Edge edges_[3];
  autograd::SavedTensor q_, k_, v_, out_, mask_, keep_, logsumexp_;
  AttentionSettings settings_;
  bool released_ = false;
};

}  // namespace

Tensor run_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                     const AttentionTerms& given) {
  AttentionTerms terms = given;
  if (terms.mask.defined() && terms.mask.dtype() != kBool) {
    terms.mask = terms.mask.to(query.dtype() == kDouble ? kDouble : kFloat);
  }
  const Tensor q = with_dense_rows(query), k = with_dense_rows(key), v = with_dense_rows(value);
  Tensor out = rows_in_order_of(q, v.size(3));
  const Tensor logsumexp = make_tensor({q.size(0), q.size(1), q.size(2)}, kDouble, q.device());
  AttentionArgs args{};
  args.op = AttentionOp::kForward;
  set_inputs(args, q, k, v, terms);
  args.out = out.data_ptr();
  args.out_strides = strides_of(out);
  args.logsumexp = logsumexp.data_ptr<double>();
  kernels::run("scaled_dot_product_attention", q.device(), q.dtype(), args);
  if (autograd::needs_grad(query, key, value)) {
    autograd::set_history(out, IntrusivePtr<autograd::Node>(new AttentionBackward(
                                   query, key, value, terms, out, logsumexp)));
  }
  return out;
}

}  // namespace tern::detail
