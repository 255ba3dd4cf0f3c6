#pragma once

#include <array>
#include <cstddef>
#include <optional>
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

/// Returns true if the current op must be recorded.
template <class... Tensors>
bool needs_grad(const Tensors&... tensors) {
  const auto tracked = [](const Tensor& tensor) {
    const TensorImpl* impl = tensor.unsafeGetTensorImpl();
    return impl != nullptr && (impl->autograd || impl->view_base) && tensor.requires_grad();
  };
  return (tracked(tensors) || ...) && GradMode::records();
}

namespace detail {

/// One input of an op, the rule for its gradient, and the tensors that the rule needs.
template <class Rule, class... SavedTensors>
struct Wrt {
  static constexpr std::size_t kSaved = sizeof...(SavedTensors);
  using RuleType = Rule;
  const Tensor& input;
  Rule rule;
  std::tuple<const SavedTensors&...> saved;
};

/// Throws Error because the saved tensors of the graph were freed.
[[noreturn]] TERN_API void throw_backward_twice();

/// The rule for one input, with its saved tensors.
template <class W>
class InputRule {
 public:
  InputRule(const W& wrt, const Tensor& out)
      : rule_(wrt.rule),
        saved_(std::apply(
            [&](const auto&... tensors) {
              return std::array<SavedTensor, W::kSaved>{
                  SavedTensor(tensors, tensors.is_same(out))...};
            },
            wrt.saved)) {}

  Tensor operator()(const Tensor& gradient, Node* owner) const {
    return call(gradient, owner, std::make_index_sequence<W::kSaved>());
  }

 private:
  template <std::size_t... I>
  Tensor call(const Tensor& gradient, [[maybe_unused]] Node* owner,
              std::index_sequence<I...>) const {
    return rule_(gradient, saved_[I].unpack(owner)...);
  }

  typename W::RuleType rule_;
  std::array<SavedTensor, W::kSaved> saved_;
};

/// The node of an op with one differentiable output.
template <class... Ws>
class RuleNode final : public NamedNode {
 public:
  RuleNode(const char* name, const Tensor& out, const Ws&... wrts)
      : NamedNode(name, edges_, sizeof...(Ws)) {
    init(out, std::index_sequence_for<Ws...>(), wrts...);
  }

  void apply(const Tensor* gradients, Tensor* results, EdgeSet wanted) override {
    if (released_) throw_backward_twice();
    if (!gradients[0].defined()) return;
    run(gradients[0], results, wanted, std::index_sequence_for<Ws...>());
  }
  void release_saved() override {
    if constexpr ((Ws::kSaved + ...) > 0) {
      std::apply(
          [this](auto&... rules) {
            // A rule without saved tensors can run again.
            released_ = released_ || ((Ws::kSaved > 0 && rules.has_value()) || ...);
            if (released_) (rules.reset(), ...);
          },
          rules_);
    }
  }

 private:
  template <std::size_t... I>
  void init(const Tensor& out, std::index_sequence<I...>, const Ws&... wrts) {
    (init_one<I>(out, wrts), ...);
  }
  template <std::size_t I, class W>
  void init_one(const Tensor& out, const W& wrt) {
    if (!wrt.input.defined()) return;
    edges_[I] = gradient_edge(wrt.input);
    if (edges_[I].node) std::get<I>(rules_).emplace(wrt, out);
  }
  template <std::size_t... I>
  void run(const Tensor& gradient, Tensor* results, EdgeSet wanted, std::index_sequence<I...>) {
    // An edge has a node only if it has a rule.
    ((wanted.has(I) ? void(results[I] = (*std::get<I>(rules_))(gradient, this)) : void()), ...);
  }

  Edge edges_[sizeof...(Ws)];
  bool released_ = false;
  std::tuple<std::optional<InputRule<Ws>>...> rules_;
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
detail::Wrt<detail::KeptRule<Rule, SavedTensors...>, SavedTensors...> wrt(
    const Tensor& input, Rule rule, const SavedTensors&... saved) {
  return {input, std::move(rule), {saved...}};
}

/// Records an op: `out`, which must be new and without history, becomes the op's output. `name`
/// must be a string literal.
template <class... Ws>
[[gnu::noinline]] Tensor record(const char* name, Tensor out, const Ws&... wrts) {
  set_history(out, IntrusivePtr<Node>(new detail::RuleNode<Ws...>(name, out, wrts...)));
  return out;
}

}  // namespace tern::autograd
