#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/node.h>
#include <tern/core/autograd/saved_tensor.h>

// How an op defines its gradient, next to its computation:
//
//   if (!needs_grad(a, b)) return out;
//   return record("MulBackward0", out,
//                 wrt(a, [](const Tensor& g, const Tensor& b) { return g * b; }, b),
//                 wrt(b, [](const Tensor& g, const Tensor& a) { return g * a; }, a));
//
// wrt(input, rule, saved...) saves the tensors that its rule needs, and only when that input needs
// a gradient. A rule may return a gradient of the broadcast shape or of another floating dtype: the
// engine sums and casts the gradient to match the input.

namespace tern::autograd {

namespace detail {

// Inline even where a file is compiled for size: every op asks.
[[gnu::always_inline]] inline bool requires_grad(const Tensor& tensor) {
  const TensorImpl* impl = tensor.unsafeGetTensorImpl();
  return impl != nullptr && (impl->autograd || impl->view_base) && tensor.requires_grad();
}
[[gnu::always_inline]] inline bool is_no_inference_tensor(const Tensor& tensor) {
  const TensorImpl* impl = tensor.unsafeGetTensorImpl();
  return impl != nullptr && !impl->storage->is_inference();
}

}  // namespace detail

/// Returns true if the current op must be recorded: one of its tensors requires a gradient, and not
/// all of them are inference tensors.
template <class... Tensors>
bool needs_grad(const Tensors&... tensors) {
  return (detail::requires_grad(tensors) || ...) && GradMode::records() &&
         (detail::is_no_inference_tensor(tensors) || ...);
}

namespace detail {

/// One input of an op, the rule for its gradient, and the tensors that the rule needs.
template <class Rule, std::size_t Saved>
struct Wrt {
  static constexpr std::size_t kSaved = Saved;
  using RuleType = Rule;
  const Tensor& input;
  Rule rule;
  std::array<const Tensor*, Saved> saved;
};

/// Throws Error because the saved tensors of the graph were freed.
[[noreturn]] TERN_API void throw_backward_twice();

/// What the nodes of ops with one differentiable output have in common, compiled once.
class TERN_API RulesNode : public NamedNode {
 public:
  void run(const Tensor* gradients, Tensor* results, EdgeSet wanted) override;
  void release_saved() override;

 protected:
  /// The derived class owns `edges`, one for each input.
  RulesNode(const char* name, Edge* edges, std::size_t inputs) : NamedNode(name, edges, inputs) {}
  /// Says where the derived class keeps its saved tensors.
  void set_saved(SavedTensor* saved, std::size_t count) {
    saved_ = saved;
    count_ = count;
  }
  /// Sets the edge of an input. If it needs a gradient, saves the `count` tensors in `saved`.
  void connect(Edge& edge, const Tensor& input, const Tensor& out, const Tensor* const* tensors,
               SavedTensor* saved, std::size_t count);
  /// Calls the rule of one input.
  virtual Tensor gradient_of(std::size_t input, const Tensor& gradient) = 0;

 private:
  SavedTensor* saved_ = nullptr;
  std::size_t count_ = 0;
  bool has_saved_ = false, released_ = false;
};

/// The node of an op with one differentiable output.
template <class... Ws>
class RuleNode final : public RulesNode {
 public:
  RuleNode(const char* name, const Tensor& out, const Ws&... wrts)
      : RulesNode(name, edges_, sizeof...(Ws)), rules_(wrts.rule...) {
    set_saved(saved_.data(), kSaved);
    std::size_t input = 0, first = 0;
    ((connect(edges_[input++], wrts.input, out, wrts.saved.data(), saved_.data() + first,
              Ws::kSaved),
      first += Ws::kSaved),
     ...);
  }

 private:
  static constexpr std::size_t kSaved = (Ws::kSaved + ...);
  template <std::size_t I>
  using W = std::tuple_element_t<I, std::tuple<Ws...>>;

  Tensor gradient_of(std::size_t input, const Tensor& gradient) override {
    return call<0, 0>(input, gradient);
  }
  template <std::size_t I, std::size_t First>
  Tensor call(std::size_t input, const Tensor& gradient) {
    if constexpr (I + 1 < sizeof...(Ws)) {
      if (input != I) return call<I + 1, First + W<I>::kSaved>(input, gradient);
    }
    return unpack_and_call<I, First>(gradient, std::make_index_sequence<W<I>::kSaved>());
  }
  template <std::size_t I, std::size_t First, std::size_t... S>
  Tensor unpack_and_call(const Tensor& gradient, std::index_sequence<S...>) {
    return std::get<I>(rules_)(gradient, saved_[First + S].unpack(this)...);
  }

  Edge edges_[sizeof...(Ws)];
  std::array<SavedTensor, kSaved> saved_;
  std::tuple<typename Ws::RuleType...> rules_;
};

/// How a node keeps a rule. A rule that captures nothing is kept as a pointer, so that all ops
/// whose rules take the same tensors share the code of their nodes.
template <class Rule, class... SavedTensors>
using KeptRule = std::conditional_t<
    std::is_convertible_v<Rule, Tensor (*)(const Tensor&, const SavedTensors&...)>,
    Tensor (*)(const Tensor&, const SavedTensors&...), Rule>;

}  // namespace detail

/// Returns what record() needs of one input; see the top of this file.
template <class Rule, class... SavedTensors>
detail::Wrt<detail::KeptRule<Rule, SavedTensors...>, sizeof...(SavedTensors)> wrt(
    const Tensor& input, Rule rule, const SavedTensors&... saved) {
  return {input, std::move(rule), {&saved...}};
}

/// Records an op: `out`, which must be new and without history, becomes the op's output. `name`
/// must be a string literal.
template <class... Ws>
[[gnu::noinline]] Tensor record(const char* name, Tensor out, const Ws&... wrts) {
  set_history(out, IntrusivePtr<Node>(new detail::RuleNode<Ws...>(name, out, wrts...)));
  return out;
}

}  // namespace tern::autograd
