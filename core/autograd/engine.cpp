#include <algorithm>
#include <iterator>

#include <tern/core/autograd/anomaly.h>
#include <tern/core/autograd/detail/anomaly.h>
#include <tern/core/autograd/detail/autocast_mode.h>
#include <tern/core/autograd/detail/engine.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/profile_recorder.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::autograd {
namespace {

bool fits(const Tensor& gradient, const OutputInfo& info) {
  return gradient.sizes() == IntArrayRef(info.sizes) && gradient.dtype() == info.dtype &&
         gradient.device() == info.device;
}

// Makes a gradient match its tensor: sums the broadcast dimensions, casts, and moves 0-d tensors.
[[gnu::noinline]] Tensor fit(Tensor gradient, const OutputInfo& info, const Node& from,
                             std::size_t index) {
  if (gradient.sizes() != IntArrayRef(info.sizes)) {
    TERN_CHECK(is_expandable_to(info.sizes, gradient.sizes()), ShapeError, "Function ", from.name(),
               " returned an invalid gradient at index ", index, " - got ", gradient.sizes(),
               " but expected shape compatible with ", IntArrayRef(info.sizes));
    gradient = gradient.sum_to_size(info.sizes);
  }
  if (gradient.dtype() != info.dtype) gradient = gradient.to(info.dtype);
  if (!(gradient.device() == info.device)) {
    // Only a 0-d tensor can have been combined with tensors on another device.
    TERN_CHECK(gradient.dim() == 0, DeviceError, "Function ", from.name(),
               " returned an invalid gradient at index ", index, " - expected device ", info.device,
               " but got ", gradient.device());
    gradient = gradient.to(info.device);
  }
  return gradient;
}

// Returns true if nobody else can see a change of the tensor's elements.
bool is_private(const Tensor& tensor) {
  return tensor.use_count() == 1 && tensor.self().storage->is_exclusive() &&
         !tensor.self().has_internal_overlap();
}

}  // namespace

Engine::State& Engine::state_of(Node* node) {
  State*& state = state_of_node_[node];
  if (state == nullptr) {
    if (states_.empty() || states_.back().size() == kBlock) states_.emplace_back().reserve(kBlock);
    state = &states_.back().emplace_back();
    state->node = node;
  }
  return *state;
}

// The edge must have a node, which discover() has seen.
Engine::State& Engine::next_of(const State& state, std::size_t edge) {
  return edge < std::size(state.next) ? *state.next[edge]
                                      : state_of(state.node->next_edges()[edge].function.get());
}

void Engine::start(const Edge& edge, Tensor gradient) {
  roots_.push_back(edge.function);
  add(state_of(edge.function.get()), edge.input_nr, std::move(gradient));
}

void Engine::want(const Edge& edge, std::size_t index) {
  state_of(edge.function.get()).wanted.emplace_back(edge.input_nr, index);
  selective_ = true;
}

void Engine::execute(std::vector<Tensor>& wanted) {
  const AutoGradMode mode(create_graph_);
  // Gradients have the dtypes of the forward pass.
  const tern::detail::AutocastModeGuard no_autocast({});
  discover();
  if (selective_) mark_needed();
  for (const IntrusivePtr<Node>& root : roots_) {
    State& state = state_of(root.get());
    if (state.waiting_for != 0) continue;
    if (std::find(ready_.begin(), ready_.end(), &state) == ready_.end()) make_ready(state);
  }
  while (!ready_.empty()) run_node(next_ready(), wanted);
}

void Engine::discover() {
  std::vector<State*> stack;
  const auto visit = [&](State& state) {
    if (state.visited) return;
    state.visited = true;
    stack.push_back(&state);
  };
  for (const IntrusivePtr<Node>& root : roots_) visit(state_of(root.get()));
  while (!stack.empty()) {
    State& state = *stack.back();
    stack.pop_back();
    const ArrayRef<Edge> edges = state.node->next_edges();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!edges[i].function) continue;
      State& next = state_of(edges[i].function.get());
      if (i < std::size(state.next)) state.next[i] = &next;
      ++next.waiting_for;
      visit(next);
    }
  }
}

// Marks nodes that lead to a requested gradient. A rule runs only if one of its inputs does.
void Engine::mark_needed() {
  for (std::vector<State>& block : states_) {
    for (State& state : block) {
      state.needed = !state.wanted.empty();
      state.applies = false;
      state.visited = false;
    }
  }
  std::vector<std::pair<State*, std::size_t>> path;  // a node and the index of its next edge
  for (const IntrusivePtr<Node>& root : roots_) {
    State& start = state_of(root.get());
    if (start.visited) continue;
    start.visited = true;
    path.emplace_back(&start, 0);
    while (!path.empty()) {
      auto& [state, next_edge] = path.back();
      const ArrayRef<Edge> edges = state->node->next_edges();
      if (next_edge < edges.size()) {
        const std::size_t edge = next_edge++;
        if (!edges[edge].function) continue;
        State& next = next_of(*state, edge);
        if (next.visited) continue;
        next.visited = true;
        path.emplace_back(&next, 0);
        continue;
      }
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].function && next_of(*state, i).needed) state->needed = state->applies = true;
      }
      path.pop_back();
    }
  }
}

void Engine::add(State& state, std::uint32_t output_nr, Tensor gradient) {
  if (output_nr > state.more.size()) state.more.resize(output_nr);
  Tensor& sum = output_nr == 0 ? state.first : state.more[output_nr - 1];
  if (!sum.defined()) {
    sum = std::move(gradient);
  } else if (!create_graph_ && is_private(sum)) {
    sum.add_(gradient);
  } else {
    sum = sum.add(gradient);
  }
}

// The edges that lead to a requested gradient; all edges that have a node if none was requested.
EdgeSet Engine::wanted_edges(const State& state) {
  EdgeSet set;
  const ArrayRef<Edge> edges = state.node->next_edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].function && (!selective_ || next_of(state, i).needed)) set.add(i);
  }
  return set;
}

// Begins the event of a node in the running profile.
[[gnu::noinline]] static void begin_event(tern::detail::ProfileScope& scope, const Node& node) {
  using tern::detail::ProfileKind;
  if (const char* const name = node.literal_name()) {
    scope.begin(ProfileKind::kNode, name);
  } else {
    const std::string copy = node.name();
    scope.begin_named(ProfileKind::kNode, copy.data(), copy.size());
  }
  if (tern::detail::ProfileEvent* const event = scope.event(); event && !node.is_accumulator()) {
    event->value.store(static_cast<std::int64_t>(node.sequence_nr()) + 1,
                       std::memory_order_relaxed);
  }
}

void Engine::run_node(State& state, std::vector<Tensor>& wanted) {
  Node& node = *state.node;
  std::vector<Tensor> several;
  Tensor* gradients = &state.first;
  if (node.output_count() > 1) {
    several = std::move(state.more);
    several.insert(several.begin(), std::move(state.first));
    several.resize(node.output_count());
    gradients = several.data();
  }
  if (node.has_hooks()) [[unlikely]] {
    for (std::uint32_t i = 0; i < node.output_count(); ++i) {
      if (gradients[i].defined()) gradients[i] = node.run_hooks(i, std::move(gradients[i]));
    }
  }
  for (const auto& [output_nr, index] : state.wanted) wanted[index] = gradients[output_nr];

  constexpr std::size_t kFew = 4;
  Tensor few[kFew];
  std::vector<Tensor> many;
  Tensor* results = few;
  if (node.next_edges().size() > kFew) {
    many.resize(node.next_edges().size());
    results = many.data();
  }
  if (state.applies) {
    tern::detail::ProfileScope profile;
    if (tern::detail::is_profiled()) [[unlikely]]
      begin_event(profile, node);
    node.run(gradients, results, wanted_edges(state));
    if (AnomalyMode::is_enabled() && AnomalyMode::should_check_nan()) [[unlikely]] {
      check_results(node, results);
    }
    if (!keep_graph_) node.release_saved();
  }
  state.first.reset();
  hand_down(state, results);
}

void Engine::hand_down(State& state, Tensor* results) {
  const ArrayRef<Edge> edges = state.node->next_edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].function) continue;
    State& next = next_of(state, i);
    if (results[i].defined() && next.needed) {
      const OutputInfo& info = edges[i].function->output_info(edges[i].input_nr);
      if (!fits(results[i], info)) [[unlikely]] {
        results[i] = fit(std::move(results[i]), info, *state.node, i);
      }
      add(next, edges[i].input_nr, std::move(results[i]));
    }
    if (--next.waiting_for == 0) make_ready(next);
  }
}

namespace {
// Ops that were recorded last are differentiated first.
constexpr auto kEarlier = [](const auto* a, const auto* b) {
  return a->node->sequence_nr() < b->node->sequence_nr();
};
}  // namespace

void Engine::make_ready(State& state) {
  ready_.push_back(&state);
  std::push_heap(ready_.begin(), ready_.end(), kEarlier);
}

Engine::State& Engine::next_ready() {
  std::pop_heap(ready_.begin(), ready_.end(), kEarlier);
  State& state = *ready_.back();
  ready_.pop_back();
  return state;
}

}  // namespace tern::autograd
