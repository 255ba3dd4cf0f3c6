#include <algorithm>
#include <functional>
#include <utility>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/parallel/detail/sharding.h>

// The states of sharded modules and their optimizers, with whole tensors.

namespace tern::nn::parallel {

using detail::ShardedParameter;
using detail::Sharding;

namespace {

// Joins what the ranks have. All ranks must make the same calls.
class Joiner {
 public:
  Joiner(const distributed::ProcessGroup& group, WholeOn on)
      : group_(group), on_(on), bytes_(static_cast<std::size_t>(group.size())) {}

  // Returns the whole tensor of this rank's rows.
  Tensor whole(const ShardedParameter& parameter, const Tensor& rows) {
    const TensorOptions options = TensorOptions().dtype(rows.dtype()).device(rows.device());
    if (on_ == WholeOn::kAllRanks) {
      const Tensor chunks = empty({parameter.padded()}, options);
      if (parameter.padded() > 0) group_.all_gather(chunks, parameter.chunk_of(rows));
      return parameter.whole_from(chunks).to(kCPU);
    }
    const int owner = owner_of(parameter.whole_nbytes(rows.dtype()));
    const Tensor mine = parameter.chunk_of(rows);
    if (group_.rank() != owner) {
      if (mine.numel() > 0) group_.send(mine, owner);
      return empty(parameter.sizes, options.device(kMeta));
    }
    const Tensor chunks = empty({parameter.padded()}, options);
    for (int rank = 0; rank < group_.size(); ++rank) {
      const Tensor place = chunks.narrow(0, rank * parameter.chunk(), parameter.chunk());
      if (place.numel() == 0) continue;
      if (rank == owner) {
        place.copy_(mine);
      } else {
        group_.recv(place, rank);
      }
    }
    return parameter.whole_from(chunks).to(kCPU);
  }

  // Returns a copy of what all ranks have.
  Tensor same(const Tensor& tensor) {
    if (on_ == WholeOn::kAllRanks || owner_of(tensor.nbytes()) == group_.rank()) {
      return tensor.detach().to(kCPU, tensor.scalar_type(), false, /*copy=*/true);
    }
    return empty(tensor.sizes(), TensorOptions().dtype(tensor.dtype()).device(kMeta));
  }

 private:
  // The rank with the fewest bytes so far.
  int owner_of(std::size_t bytes) {
    if (on_ == WholeOn::kRankZero) return 0;
    const auto least = std::min_element(bytes_.begin(), bytes_.end());
    *least += bytes;
    return static_cast<int>(least - bytes_.begin());
  }

  const distributed::ProcessGroup& group_;
  WholeOn on_;
  std::vector<std::size_t> bytes_;
};

using Change = std::function<State(const ShardedParameter*, const std::string&, const State&)>;

// Changes the tensors in the state of an optimizer; `change` gets the parameter, null for one that
// is not sharded, and the name of the value.
State change_optimizer_state(Sharding& sharding, const optim::Optimizer& optimizer,
                             const State& state, const Change& change) {
  std::vector<const ShardedParameter*> parameters;
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& parameter : group.params()) parameters.push_back(sharding.find(parameter));
  }
  State result = state;
  State all;
  for (const auto& [number, values] : state["state"]) {
    const auto index = static_cast<std::size_t>(std::stoul(number));
    TERN_CHECK(index < parameters.size(), Error, "the state has parameter ", number,
               ", but the optimizer has ", parameters.size());
    State changed;
    for (const auto& [name, value] : values) {
      changed.insert(name, value.is_tensor() ? change(parameters[index], name, value) : value);
    }
    all.insert(number, changed);
  }
  result.set("state", all);
  return result;
}

}  // namespace

State FSDPModule::full_state_dict(WholeOn on) const {
  const NoGradGuard no_grad;
  Joiner joiner(sharding_->group(), on);
  const auto module = sharding_->module();
  std::vector<std::pair<const ShardedParameter*, Tensor>> done;  // tied parameters stay tied
  State state = module->state_dict();
  std::vector<std::pair<std::string, Tensor>> wholes;
  ModuleWalk::every_parameter(*module, true, [&](const std::string& path, const Tensor& tensor) {
    const ShardedParameter* const parameter = sharding_->find(tensor);
    TERN_CHECK(parameter != nullptr, Error, "fully_shard: parameter '", path,
               "' was added or replaced after the module was sharded");
    for (const auto& [other, whole] : done) {
      if (other == parameter) return wholes.emplace_back(path, whole), void();
    }
    done.emplace_back(parameter, joiner.whole(*parameter, tensor.detach()));
    wholes.emplace_back(path, done.back().second);
  });
  const State own = state;
  for (const auto& [name, value] : own) {
    const auto found =
        std::find_if(wholes.begin(), wholes.end(),
                     [&, &key = name](const auto& entry) { return entry.first == key; });
    state.set(name, found == wholes.end() ? joiner.same(value.tensor()) : found->second);
  }
  return state;
}

void FSDPModule::load_full_state_dict(const State& state) const {
  const NoGradGuard no_grad;
  const auto module = sharding_->module();
  State rows = state;
  ModuleWalk::every_parameter(*module, true, [&](const std::string& path, const Tensor& tensor) {
    const ShardedParameter* const parameter = sharding_->find(tensor);
    const State* const whole = state.find(path);
    if (parameter == nullptr || whole == nullptr) return;  // load_state_dict() tells
    TERN_CHECK(whole->tensor().sizes() == IntArrayRef(parameter->sizes), Error,
               "size mismatch for ", path, ": the state has ", whole->tensor().sizes(),
               ", the whole parameter has ", IntArrayRef(parameter->sizes));
    rows.set(path, parameter->rows_of(whole->tensor()));
  });
  module->load_state_dict(rows);
}

State FSDPModule::full_optimizer_state_dict(const optim::Optimizer& optimizer, WholeOn on) const {
  const NoGradGuard no_grad;
  Joiner joiner(sharding_->group(), on);
  const Change change = [&](const ShardedParameter* parameter, const std::string& name,
                            const State& value) -> State {
    const Tensor tensor = value.tensor();
    if (parameter == nullptr || tensor.dim() == 0) return joiner.same(tensor);
    TERN_CHECK(tensor.sizes() == parameter->leaf().sizes(), Error, "full_optimizer_state_dict: '",
               name, "' of parameter '", parameter->path, "' has ", tensor.sizes(),
               ", not the rows of the parameter, ", parameter->leaf().sizes(),
               ", so that it cannot be joined");
    return joiner.whole(*parameter, tensor);
  };
  return change_optimizer_state(*sharding_, optimizer, optimizer.state_dict(), change);
}

void FSDPModule::load_full_optimizer_state_dict(optim::Optimizer& optimizer,
                                                const State& state) const {
  const NoGradGuard no_grad;
  const Change change = [&](const ShardedParameter* parameter, const std::string& name,
                            const State& value) -> State {
    const Tensor tensor = value.tensor();
    if (parameter == nullptr || (tensor.dim() == 0 && !parameter->sizes.empty())) return value;
    if (name == "step") return value;
    TERN_CHECK(tensor.sizes() == IntArrayRef(parameter->sizes), Error,
               "load_full_optimizer_state_dict: '", name, "' of parameter '", parameter->path,
               "' has ", tensor.sizes(), ", the whole parameter has ",
               IntArrayRef(parameter->sizes));
    return parameter->rows_of(tensor);
  };
  optimizer.load_state_dict(change_optimizer_state(*sharding_, optimizer, state, change));
}

}  // namespace tern::nn::parallel
