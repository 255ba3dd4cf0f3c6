#include <tern/train/detail/ranks.h>

#include <exception>
#include <string>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/error.h>
#include <tern/core/distributed/detail/texts.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/parallel/distributed_data_parallel.h>
#include <tern/serialization/archive.h>

namespace tern::train::detail {
namespace {

using nn::parallel::DistributedDataParallelBase;

std::string bytes_of(const State& state) {
  serialize::OutputArchive archive;
  archive.write_items(state);
  std::string bytes;
  archive.save_to([&](const void* part, std::size_t count) {
    bytes.append(static_cast<const char*>(part), count);
    return count;
  });
  return bytes;
}

State state_of(const std::string& bytes) {
  serialize::InputArchive archive;
  archive.load_from(bytes.data(), bytes.size());
  return archive.state();
}

}  // namespace

/// DistributedDataParallel without a forward(): the loop calls the model itself.
class Ranks::Averaged final : public DistributedDataParallelBase {
 public:
  Averaged(const std::shared_ptr<nn::Module>& model, const distributed::ProcessGroup& group)
      : DistributedDataParallelBase(
            model, nn::parallel::DistributedDataParallelOptions().process_group(group)) {}
  using DistributedDataParallelBase::before_forward;
};

Ranks::Ranks(const std::optional<distributed::ProcessGroup>& group,
             const std::shared_ptr<nn::Module>& model) {
  if (!group || group->size() == 1) return;
  for (const std::shared_ptr<nn::Module>& module : model->modules()) {
    TERN_CHECK(std::dynamic_pointer_cast<DistributedDataParallelBase>(module) == nullptr, Error,
               "fit: with a process_group give the model itself instead of a "
               "DistributedDataParallel; fit() averages its gradients");
  }
  group_ = group->split(0);  // its collectives do not mix with those of callbacks
  averaged_ = std::make_unique<Averaged>(model, group_);
}

Ranks::~Ranks() = default;

void Ranks::before_forward() const {
  if (averaged_) averaged_->before_forward();
}

void Ranks::backward_alone(const std::function<void()>& backward) const {
  if (!averaged_) return backward();
  const auto local = averaged_->no_sync();
  backward();
}

void Ranks::average_gradients(const optim::Optimizer& optimizer) const {
  if (!averaged_) return;
  const NoGradGuard no_grad;
  for (const optim::OptimizerParamGroup& parameters : optimizer.param_groups()) {
    for (const Tensor& parameter : parameters.params()) {
      if (parameter.grad().defined()) {
        group_.all_reduce(parameter.grad(), distributed::ReduceOp::kMean);
      }
    }
  }
}

void Ranks::add(double* numbers, std::size_t count) const {
  group_.all_reduce(from_blob(numbers, {static_cast<std::int64_t>(count)}, kDouble));
}

void Ranks::together(const std::function<void()>& function) const {
  if (!averaged_) return function();
  distributed::detail::throw_on_all(group_, "fit", function);
}

void Ranks::on_first(const std::function<void()>& function) const {
  together([&] {
    if (is_first()) function();
  });
}

std::vector<State> Ranks::gather(const State& state) const {
  std::vector<State> states;
  for (const std::string& bytes : distributed::detail::all_gather_texts(group_, bytes_of(state))) {
    if (is_first()) states.push_back(state_of(bytes));
  }
  return states;
}

}  // namespace tern::train::detail
