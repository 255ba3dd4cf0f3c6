#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include <tern/core/autograd/detail/accumulate_hook.h>
#include <tern/core/autograd/detail/swap_contents.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/node.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/parallel/detail/sharding.h>

// What happens when a sharded module is called, and in backward.

namespace tern::nn::detail {

namespace {

/// Takes the gradients of a unit's whole parameters when all are complete.
class GatherNode final : public autograd::NamedNode {
 public:
  /// Gets the gradients and the place of the results.
  using Receiver = std::function<void(std::vector<Tensor> gradients, Tensor* results)>;

  GatherNode(std::unique_ptr<autograd::Edge[]> edges, std::size_t count, Receiver receiver)
      : NamedNode("FullyShardBackward", edges.get(), count),
        edges_(std::move(edges)),
        receiver_(std::move(receiver)) {}

  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet wanted) override {
    TERN_CHECK(!GradMode::is_enabled(), Error,
               "fully_shard: gradients of sharded parameters cannot be differentiated again "
               "(create_graph)");
    std::vector<Tensor> given(output_count());
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (wanted.has(i)) given[i] = gradients[i];
    }
    receiver_(std::move(given), results);
  }

 private:
  std::unique_ptr<autograd::Edge[]> edges_;
  Receiver receiver_;
};

}  // namespace

// --- Forward ---------------------------------------------------------------------------------

void Sharding::before(const Module& called, const std::vector<std::size_t>& units) {
  if (scopes_.empty()) {
    check_parameters();
    order_.clear();
  }
  Scope scope{&called, {}, nullptr};
  try {
    for (const std::size_t unit : units) {
      if (units_[unit].uses == 0) show_whole(unit);
      ++units_[unit].uses;
      scope.units.push_back(unit);
    }
  } catch (...) {
    close(scope);
    throw;
  }
  // For each call, because a guard of the program may be inside of the outer call.
  scope.saved = std::make_unique<autograd::SavedTensorHooks>(
      [this](const Tensor& tensor) { return pack(tensor); },
      [self = shared_from_this()](const autograd::SavedValue& place) {
        return self->unpack(place.toIntVector());
      });
  scopes_.push_back(std::move(scope));
}

void Sharding::show_whole(std::size_t number) {
  ShardUnit& unit = units_[number];
  // An activation has nothing to gather, and must not be what is gathered ahead.
  if (unit.parameters.empty()) return;
  unit.gather();
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < unit.parameters.size(); ++i) {
    ShardedParameter& parameter = unit.parameters[i];
    const NoGradGuard no_grad;
    parameter.hidden = parameter.whole_from(parameter.gathered);
    if (parameter.tensor.requires_grad()) which.push_back(i);
  }
  if (GradMode::records() && !which.empty()) {
    auto edges = std::make_unique<autograd::Edge[]>(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) {
      edges[i] = autograd::gradient_edge(unit.parameters[which[i]].tensor);
    }
    const std::size_t count = which.size();
    const IntrusivePtr<autograd::Node> node(new GatherNode(
        std::move(edges), count,
        [self = shared_from_this(), number, which](std::vector<Tensor> gradients, Tensor* results) {
          self->on_gradients(number, std::move(gradients), results, which);
        }));
    for (std::size_t i = 0; i < which.size(); ++i) {
      autograd::set_history(unit.parameters[which[i]].hidden, node, static_cast<std::uint32_t>(i));
    }
    unit.is_recorded = true;
  }
  for (ShardedParameter& parameter : unit.parameters) {
    autograd::swap_contents(parameter.tensor, parameter.hidden);
    parameter.is_whole = true;
  }
  // The next unit's parameters come while this one computes.
  if (autograd::is_in_backward()) return;
  order_.push_back(number);
  const std::size_t next = order_.size();
  if (next < last_order_.size() && last_order_[next - 1] == number) {
    units_[last_order_[next]].start_gather();
  }
}

void Sharding::after(const Module& called) {
  if (scopes_.empty() || scopes_.back().module != &called) return;  // before() threw
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  close(scope);
}

void Sharding::close(Scope& scope) noexcept {
  scope.saved.reset();
  const bool is_in_backward = autograd::is_in_backward();  // of a checkpoint, which goes on
  for (const std::size_t number : scope.units) {
    ShardUnit& unit = units_[number];
    if (--unit.uses > 0) continue;
    unit.show_rows();
    if (is_in_backward) continue;
    if (options_.reshard_after_forward() || !unit.is_recorded) unit.free();
  }
  if (!scopes_.empty() || is_in_backward) return;
  last_order_ = order_;
  backward_position_ = last_order_.size();
  for (ShardUnit& unit : units_) {
    if (!unit.is_recorded || options_.reshard_after_forward()) unit.free();
  }
}

// --- Backward --------------------------------------------------------------------------------

autograd::SavedValue Sharding::pack(const Tensor& tensor) const {
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (!units_[unit].is_gathered()) continue;
    const std::vector<ShardedParameter>& parameters = units_[unit].parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Tensor& gathered = parameters[i].gathered;
      if (!gathered.defined() || !gathered.is_alias_of(tensor)) continue;
      if (gathered.dtype() != tensor.dtype()) return {};
      std::vector<std::int64_t> place = {static_cast<std::int64_t>(unit),
                                         static_cast<std::int64_t>(i), tensor.storage_offset()};
      place.insert(place.end(), tensor.sizes().begin(), tensor.sizes().end());
      place.insert(place.end(), tensor.strides().begin(), tensor.strides().end());
      return place;
    }
  }
  return {};
}

Tensor Sharding::unpack(const std::vector<std::int64_t>& place) {
  const auto unit = static_cast<std::size_t>(place[0]);
  gather_in_backward(unit);
  const auto middle = place.begin() + 3 + static_cast<std::ptrdiff_t>(place.size() - 3) / 2;
  const std::vector<std::int64_t> sizes(place.begin() + 3, middle), strides(middle, place.end());
  return units_[unit].parameters[static_cast<std::size_t>(place[1])].gathered.as_strided(
      sizes, strides, place[2]);
}

void Sharding::gather_in_backward(std::size_t unit) {
  const bool ends = autograd::is_in_backward();
  if (ends) {
    at_end_of_backward();
  } else if (!units_[unit].is_gathered()) {
    free_unused();  // autograd::grad() does not say when it ends
  }
  units_[unit].gather();
  // The unit before this one comes next.
  const auto begin = last_order_.begin();
  const auto end =
      begin + static_cast<std::ptrdiff_t>(std::min(backward_position_, last_order_.size()));
  const auto found = std::find(std::reverse_iterator(end), std::reverse_iterator(begin), unit);
  if (!ends || found == std::reverse_iterator(begin)) return;
  backward_position_ = static_cast<std::size_t>(found.base() - begin) - 1;
  if (backward_position_ > 0) units_[last_order_[backward_position_ - 1]].start_gather();
}

void Sharding::free_unused() {
  for (ShardUnit& unit : units_) {
    if (unit.uses == 0) unit.free();
  }
}

void Sharding::at_end_of_backward() {
  if (std::exchange(awaits_end_, true)) return;
  autograd::at_end_of_backward([self = shared_from_this()](bool is_complete) {
    self->awaits_end_ = false;
    self->backward_position_ = self->last_order_.size();
    for (ShardUnit& unit : self->units_) unit.is_recorded = false;
    self->free_unused();
    if (is_complete) return self->finish_reduce();
    if (self->reducing_) self->units_[*std::exchange(self->reducing_, {})].finish_reduce();
  });
}

void Sharding::on_gradients(std::size_t number, std::vector<Tensor> given, Tensor* results,
                            const std::vector<std::size_t>& which) {
  const NoGradGuard no_grad;
  ShardUnit& unit = units_[number];
  std::vector<Tensor> gradients(unit.parameters.size());
  for (std::size_t i = 0; i < which.size(); ++i) gradients[which[i]] = std::move(given[i]);
  unit.is_recorded = false;
  if (unit.uses == 0) unit.free();
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    Tensor& pending = unit.parameters[i].pending_gradient;
    if (gradients[i].defined() && pending.defined()) {
      gradients[i] = pending.add(gradients[i]);
    } else if (pending.defined()) {
      gradients[i] = pending;
    }
    pending = local_scopes > 0 ? gradients[i] : Tensor();
  }
  if (local_scopes > 0) return;
  if (!autograd::is_in_backward()) {  // autograd::grad() wants results
    unit.start_reduce(std::move(gradients));
    const std::vector<Tensor> averages = unit.finish_reduce();
    for (std::size_t i = 0; i < which.size(); ++i) results[i] = averages[which[i]];
    return;
  }
  // backward() goes on while the gradients are averaged.
  at_end_of_backward();
  finish_reduce();
  unit.start_reduce(std::move(gradients));
  reducing_ = number;
}

void Sharding::finish_reduce() {
  if (!reducing_) return;
  const NoGradGuard no_grad;
  ShardUnit& unit = units_[*std::exchange(reducing_, {})];
  const std::vector<Tensor> averages = unit.finish_reduce();
  for (std::size_t i = 0; i < averages.size(); ++i) {
    if (!averages[i].defined()) continue;
    const autograd::Edge edge = autograd::gradient_edge(unit.parameters[i].leaf());
    if (!edge.is_valid()) continue;
    const Tensor gradient = edge.function->run_hooks(edge.input_nr, averages[i]);
    edge.function->run(&gradient, nullptr, {});
  }
}

}  // namespace tern::nn::detail
