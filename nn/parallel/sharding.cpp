#include <tern/nn/parallel/detail/sharding.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <tern/core/autograd/detail/accumulate_hook.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/distributed/detail/texts.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module/lazy_tensor.h>
#include <tern/nn/parallel/detail/reducer.h>

namespace tern::nn::detail {
namespace {

std::atomic<int> shardings = 0;  // that exist
std::mutex sharded_mutex;
std::unordered_map<const void*, distributed::ProcessGroup>& sharded_tensors() {
  static auto* const tensors = new std::unordered_map<const void*, distributed::ProcessGroup>;
  return *tensors;
}

void check_can_shard(const std::string& name, const Tensor& tensor) {
  TERN_CHECK(!is_lazy(tensor), Error, "fully_shard: parameter '", name,
             "' is uninitialized; run a forward first");
  TERN_CHECK(!tensor.device().is_meta(), Error, "fully_shard: parameter '", name,
             "' is on meta; move the module with to_empty() and initialize it first");
  TERN_CHECK(!is_sharded(tensor), Error, "fully_shard: parameter '", name,
             "' is sharded already; call fully_shard() once, and name the parts in units()");
  TERN_CHECK(!tensor.requires_grad() || !autograd::has_accumulate_hook(tensor), Error,
             "fully_shard: parameter '", name,
             "' is in a DistributedDataParallel; a module is either replicated or sharded");
}

void check_units(const Module& root, const parallel::FullyShardOptions& options) {
  const std::vector<std::shared_ptr<Module>> below = root.modules();
  const std::vector<std::shared_ptr<Module>>& units = options.units();
  for (auto unit = units.begin(); unit != units.end(); ++unit) {
    TERN_CHECK(*unit != nullptr, Error, "fully_shard: unit ", unit - units.begin(),
               " is a null pointer");
    TERN_CHECK(std::find(units.begin(), unit, *unit) == unit, Error, "fully_shard: a unit, ",
               (*unit)->name(), ", comes twice");
    TERN_CHECK(std::ranges::find(below, *unit) != below.end(), Error, "fully_shard: a unit, ",
               (*unit)->name(), ", is not below the module, ", root.name());
  }
}

}  // namespace

bool is_sharded(const Tensor& parameter) { return group_of_shards(parameter).has_value(); }

std::optional<distributed::ProcessGroup> group_of_shards(const Tensor& parameter) {
  if (shardings.load(std::memory_order_relaxed) == 0) return std::nullopt;
  const std::lock_guard<std::mutex> lock(sharded_mutex);
  const auto found = sharded_tensors().find(parameter.unsafeGetTensorImpl());
  return found == sharded_tensors().end() ? std::nullopt : std::optional(found->second);
}

Sharding::Sharding(const std::shared_ptr<Module>& module,
                   const parallel::FullyShardOptions& options)
    : module_(module),
      options_(options),
      group_(options.process_group() ? *options.process_group()
                                     : distributed::init_process_group()) {
  const NoGradGuard no_grad;
  Named tensors;
  distributed::detail::throw_on_all(group_, "fully_shard", [&] {
    ModuleWalk::parameters(*module, true, [&](const std::string& name, const Tensor& tensor) {
      check_can_shard(name, tensor);
      tensors.emplace_back(name, tensor);
    });
    TERN_CHECK(!tensors.empty(), Error, "fully_shard: the module has no parameters");
    check_units(*module, options);
  });
  ModuleWalk::buffers(*module, true, [&](const std::string& name, const Tensor& tensor) {
    tensors.emplace_back(name, tensor);
  });
  group_ = group_.split(0);  // its collectives do not mix with the program's
  check_same_on_all(group_, tensors, "fully_shard");
  for (const auto& [name, tensor] : tensors) group_.broadcast(tensor);
  ++shardings;
  make_units(options);
}

Sharding::~Sharding() {
  --shardings;
  const std::lock_guard<std::mutex> lock(sharded_mutex);
  each([](const ShardedParameter& parameter) {
    sharded_tensors().erase(parameter.tensor.unsafeGetTensorImpl());
  });
}

std::shared_ptr<Module> Sharding::module() const {
  auto module = module_.lock();
  TERN_CHECK(module != nullptr, Error, "fully_shard: the module does not exist any more");
  return module;
}

const ShardedParameter* Sharding::find(const Tensor& tensor) const {
  for (const auto& [unit, index] : order_of_parameters_) {
    const ShardedParameter& parameter = units_[unit].parameters[index];
    if (parameter.tensor.is_same(tensor)) return &parameter;
  }
  return nullptr;
}

// Unit 0 is the module itself.
void Sharding::make_units(const parallel::FullyShardOptions& options) {
  const auto root = module();
  std::unordered_map<const Module*, std::size_t> unit_of;
  for (const std::shared_ptr<Module>& unit : options.units()) {
    if (unit != root) unit_of.emplace(unit.get(), unit_of.size() + 1);
  }
  const std::size_t count = unit_of.size() + 1;
  std::unordered_map<const void*, std::size_t> unit_of_tensor;
  std::unordered_map<std::string, std::size_t> unit_of_path;
  std::vector<std::pair<const Module*, const void*>> uses;
  ModuleWalk::paths(*root, [&](const std::string& path, const Module& at) {
    const auto found = unit_of.find(&at);
    const std::size_t dot = path.rfind('.');
    const std::size_t outer =
        path.empty() ? 0 : unit_of_path.at(dot == path.npos ? "" : path.substr(0, dot));
    const std::size_t unit = found == unit_of.end() ? outer : found->second;
    unit_of_path[path] = unit;
    ModuleWalk::parameters(at, false, [&](const Tensor& tensor) {
      const void* const key = tensor.unsafeGetTensorImpl();
      const auto [entry, is_new] = unit_of_tensor.emplace(key, unit);
      if (entry->second != unit) entry->second = 0;  // of several units: of the module itself
      uses.emplace_back(&at, key);
    });
  });
  for (std::size_t unit = 0; unit < count; ++unit) {
    units_.emplace_back(group_, options.mp_policy(), static_cast<std::int64_t>(unit));
  }
  std::vector<std::pair<std::string, Tensor>> all;
  ModuleWalk::parameters(*root, true, [&](const std::string& name, const Tensor& tensor) {
    all.emplace_back(name, tensor);
  });
  for (const auto& [name, tensor] : all) {
    const std::size_t unit = unit_of_tensor.at(tensor.unsafeGetTensorImpl());
    order_of_parameters_.emplace_back(unit, units_[unit].parameters.size());
    units_[unit].parameters.emplace_back(name, tensor, group_);
    tensor.mutable_grad().reset();
    const std::lock_guard<std::mutex> lock(sharded_mutex);
    sharded_tensors().emplace(tensor.unsafeGetTensorImpl(), group_);
  }
  // A module needs the units of its own parameters, and a unit itself.
  std::unordered_map<const Module*, std::vector<std::size_t>> needs;
  const auto need = [&](const Module* at, std::size_t unit) {
    std::vector<std::size_t>& list = needs[at];
    if (std::ranges::find(list, unit) == list.end()) list.push_back(unit);
  };
  need(root.get(), 0);
  for (const auto& [at, unit] : unit_of) need(at, unit);
  for (const auto& [at, tensor] : uses) need(at, unit_of_tensor.at(tensor));
  for (const std::shared_ptr<Module>& at : root->modules()) {
    const auto found = needs.find(at.get());
    if (found != needs.end()) hooked_.emplace_back(at, found->second);
  }
}

void Sharding::install() {
  // A group of one rank needs only casts.
  const bool is_active = group_.size() > 1 || options_.mp_policy().param_dtype();
  const auto self = shared_from_this();
  for (const auto& [module, units] : std::exchange(hooked_, {})) {
    const Module* const expected = module.get();
    const bool casts = options_.mp_policy().param_dtype() &&
                       (expected == this->module().get() ||
                        std::ranges::find(options_.units(), module) != options_.units().end());
    if (!is_active) continue;
    module->register_forward_pre_hook(
        [self, expected, casts, units = units](Module& called, std::vector<AnyValue>& inputs) {
          TERN_CHECK(&called == expected, Error, "fully_shard: a copy of the sharded module, ",
                     called.name(), ", was called; shard the copy of a module that is not sharded");
          if (casts) {
            for (AnyValue& input : inputs) {
              Tensor* const tensor = input.try_get<Tensor>();
              if (tensor == nullptr || !tensor->defined() || !tensor->is_floating_point()) continue;
              *tensor = tensor->to(*self->options_.mp_policy().param_dtype());
            }
          }
          self->before(called, units);
        });
    module->register_forward_hook(
        [self](Module& called, const std::vector<AnyValue>&, AnyValue&) { self->after(called); },
        {.always_call = true});
  }
  options_.units({});  // the modules own this object, not the reverse
}

void Sharding::check_parameters() const {
  std::size_t next = 0;
  ModuleWalk::parameters(*module(), true, [&](const std::string& name, const Tensor& tensor) {
    const bool is_known = next < order_of_parameters_.size();
    const auto [unit, index] = is_known ? order_of_parameters_[next++] : order_of_parameters_[0];
    TERN_CHECK(is_known && units_[unit].parameters[index].tensor.is_same(tensor), Error,
               "fully_shard: parameter '", name,
               "' was added or replaced, or the one before it removed, after the module was "
               "sharded");
    units_[unit].parameters[index].check();
  });
  TERN_CHECK(next == order_of_parameters_.size(), Error,
             "fully_shard: a parameter was removed after the module was sharded");
}

}  // namespace tern::nn::detail
