#include <tern/nn/parallel/detail/reducer.h>

#include <algorithm>

#include <tern/core/autograd/detail/accumulate_hook.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/distributed/detail/texts.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module/lazy_tensor.h>
#include <tern/nn/parallel/detail/sharding.h>

namespace tern::nn::detail {
namespace {

using distributed::ProcessGroup;
using distributed::ReduceOp;

constexpr double kFirstMegabytes = 1;

Named parameters_of(const Module& module) {
  Named named;
  ModuleWalk::parameters(module, true, [&](const std::string& name, const Tensor& tensor) {
    TERN_CHECK(!is_lazy(tensor), Error,
               "Modules with uninitialized parameters can't be used with "
               "`DistributedDataParallel`. Run a dummy forward pass to correctly initialize the "
               "modules ('",
               name, "')");
    TERN_CHECK(!is_sharded(tensor), Error, "DistributedDataParallel: parameter '", name,
               "' is sharded; a module is either replicated or sharded");
    named.emplace_back(name, tensor);
  });
  return named;
}

std::string lines_of(const Named& tensors) {
  std::string lines;
  for (const auto& [name, tensor] : tensors) {
    lines +=
        tern::detail::text_of("'", name, "' of ", dtype_info(tensor.scalar_type()).python_name, " ",
                              tensor.sizes(), tensor.requires_grad() ? "" : ", frozen", "\n");
  }
  return lines;
}

// Returns the first line that differs, of each.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  const auto at = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t begin = at == 0 ? 0 : a.rfind('\n', at - 1) + 1;
  const auto line = [&](const std::string& text) {
    return begin >= text.size() ? "no more" : text.substr(begin, text.find('\n', begin) - begin);
  };
  return {line(a), line(b)};
}

// A gradient's place in a bucket: with the layout of the parameter, and no view, so that optimizers
// and users may treat it as any gradient.
Tensor home_in(const Tensor& elements, std::int64_t offset, const Tensor& parameter) {
  const bool is_dense = tern::is_dense(parameter.sizes(), parameter.strides());
  const Tensor part = elements.narrow(0, offset, parameter.numel());
  return (is_dense ? elements.as_strided(parameter.sizes(), parameter.strides(), offset)
                   : part.view(parameter.sizes()))
      .data();
}

}  // namespace

Named buffers_of(const Module& module) {
  Named named;
  ModuleWalk::buffers(module, true, [&](const std::string& name, const Tensor& tensor) {
    named.emplace_back(name, tensor);
  });
  return named;
}

void broadcast_all(const ProcessGroup& group, const Named& tensors, int root) {
  std::vector<distributed::Work> works;
  works.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) works.push_back(group.broadcast_async(tensor, root));
  for (distributed::Work& work : works) work.wait();
}

void check_same_on_all(const ProcessGroup& group, const Named& tensors, const char* who) {
  const std::string mine = lines_of(tensors);
  const std::string first = distributed::detail::broadcast_text(group, mine);
  std::string problem;
  if (first != mine) {
    const auto [theirs, own] = first_difference(first, mine);
    problem = tern::detail::text_of("rank 0 has ", theirs, ", rank ", group.rank(), " has ", own);
  }
  for (const std::string& text : distributed::detail::all_gather_texts(group, problem)) {
    TERN_CHECK(text.empty(), Error, who, " expects the same module on all ranks: ", text);
  }
}

Reducer::Reducer(const std::shared_ptr<Module>& module,
                 const parallel::DistributedDataParallelOptions& options)
    : module_(module),
      options_(options),
      group_(options.process_group() ? *options.process_group()
                                     : distributed::init_process_group()) {
  const NoGradGuard no_grad;
  Named tensors;
  distributed::detail::throw_on_all(group_, "DistributedDataParallel", [&] {
    tensors = parameters_of(*module_);
    for (const auto& [name, tensor] : tensors) {
      if (tensor.requires_grad()) parameters_.push_back({name, tensor});
    }
    TERN_CHECK(!parameters_.empty(), Error,
               "DistributedDataParallel is not needed when a module doesn't have any parameter "
               "that requires a gradient.");
    const std::optional<ScalarType>& narrow = options_.reduce_dtype();
    TERN_CHECK(!narrow || *narrow == kBFloat16 || *narrow == kHalf, DTypeError,
               "DistributedDataParallel: reduce_dtype must be bfloat16 or float16, got ",
               narrow.value_or(kFloat));
  });
  divisor_ = group_.size();
  if (group_.size() == 1) return;
  group_ = group_.split(0);  // its collectives do not mix with the program's
  const Named buffers = buffers_of(*module_);
  tensors.insert(tensors.end(), buffers.begin(), buffers.end());
  check_same_on_all(group_, tensors);
  broadcast_all(group_, tensors);

  std::vector<std::size_t> order;  // as backward may come to them
  for (std::size_t i = parameters_.size(); i-- > 0;) order.push_back(i);
  make_buckets(order);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].hook = autograd::add_accumulate_hook(
        parameters_[i].tensor, [this, i](Tensor& grad) { on_gradient(i, grad); });
  }
}

Reducer::~Reducer() {
  if (group_.size() == 1) return;
  for (const Parameter& parameter : parameters_) {
    autograd::remove_accumulate_hook(parameter.tensor, parameter.hook);
  }
}

void Reducer::before_forward() {
  if (group_.size() == 1) return;
  check_parameters();
  if (!options_.forward_sync_buffers() || !module_->is_training() || local_scopes > 0) return;
  if (!GradMode::is_enabled()) return;  // one rank alone may evaluate
  const NoGradGuard no_grad;
  const Named buffers = buffers_of(*module_);
  if (joining_ != nullptr && (!buffers.empty() || joining_->throw_on_early_termination())) {
    announce(Step::kForward);
  }
  broadcast_all(group_, buffers, root_);
}

void Reducer::check_parameters() const {
  constexpr const char* kAdvice = "; make the DistributedDataParallel after such a change";
  std::size_t next = 0;
  ModuleWalk::parameters(*module_, true, [&](const std::string& name, const Tensor& tensor) {
    if (!tensor.requires_grad()) return;
    TERN_CHECK(next < parameters_.size() && parameters_[next].tensor.is_same(tensor), Error,
               "DistributedDataParallel: parameter '", name,
               "' was added, replaced or unfrozen, or the one before it removed or frozen, after "
               "the module was wrapped",
               kAdvice);
    // Module::to() also moves gradients, but not their bucket.
    const Parameter& parameter = parameters_[next++];
    const Tensor& elements = buckets_[parameter.bucket].elements;
    TERN_CHECK(tensor.dtype() == elements.dtype() && tensor.device() == elements.device() &&
                   tensor.sizes() == parameter.home.sizes(),
               Error, "DistributedDataParallel: parameter '", name, "' was ",
               dtype_info(elements.scalar_type()).python_name, " ", parameter.home.sizes(), " on ",
               elements.device(), " when the module was wrapped, and is now ",
               dtype_info(tensor.scalar_type()).python_name, " ", tensor.sizes(), " on ",
               tensor.device(), kAdvice);
  });
  TERN_CHECK(next == parameters_.size(), Error, "DistributedDataParallel: parameter '",
             parameters_[next].name, "' was removed or frozen after the module was wrapped",
             kAdvice);
}

void Reducer::make_buckets(const std::vector<std::size_t>& order) {
  buckets_.clear();
  // One open bucket for each kind of gradient.
  std::vector<std::pair<Tensor, std::size_t>> open;
  std::vector<std::int64_t> sizes;
  const double cap = options_.bucket_cap_mb();
  for (const std::size_t i : order) {
    const Tensor& tensor = parameters_[i].tensor;
    const auto is_alike = [&](const auto& entry) {
      return entry.first.dtype() == tensor.dtype() && entry.first.device() == tensor.device();
    };
    auto found = std::find_if(open.begin(), open.end(), is_alike);
    if (found == open.end()) {
      found = open.insert(found, {tensor, buckets_.size()});
      buckets_.emplace_back();
      sizes.push_back(0);
    }
    const std::size_t bucket = found->second;
    parameters_[i].bucket = bucket;
    buckets_[bucket].parameters.push_back(i);
    sizes[bucket] += tensor.numel();
    const double bytes =
        static_cast<double>(sizes[bucket]) * static_cast<double>(element_size(tensor.dtype()));
    const double limit = bucket == 0 ? std::min(kFirstMegabytes, cap) : cap;
    if (bytes >= limit * 1024 * 1024) open.erase(found);
  }
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    Bucket& bucket = buckets_[b];
    const bool is_last = b + 1 == buckets_.size();
    bucket.elements =
        zeros({sizes[b] + (is_last ? 1 : 0)}, parameters_[bucket.parameters[0]].tensor.options());
    std::int64_t offset = 0;
    for (const std::size_t i : bucket.parameters) {
      Parameter& parameter = parameters_[i];
      const Tensor old =
          std::exchange(parameter.home, home_in(bucket.elements, offset, parameter.tensor));
      offset += parameter.tensor.numel();
      Tensor& grad = parameter.tensor.mutable_grad();
      if (!old.defined() || !grad.is_same(old)) continue;
      parameter.home.copy_(grad);
      grad = parameter.home;
    }
    if (is_last) some_unused_ = bucket.elements.narrow(0, offset, 1);
  }
}

void Reducer::reset_buckets() {
  next_bucket_ = 0;
  arrived_.clear();
  some_unused_.zero_();
  for (Parameter& parameter : parameters_) parameter.is_ready = false;
  for (Bucket& bucket : buckets_) bucket.missing = bucket.parameters.size();
}

void Reducer::begin() {
  if (joining_ != nullptr) announce(Step::kBackward);
  is_running_ = true;
  reset_buckets();
  autograd::at_end_of_backward([this](bool is_complete) {
    is_running_ = false;
    const NoGradGuard no_grad;
    if (is_complete) return finish();
    for (Bucket& bucket : buckets_) bucket.work = {};
  });
}

void Reducer::on_gradient(std::size_t index, Tensor& grad) {
  if (local_scopes > 0) return;
  const NoGradGuard no_grad;
  if (!is_running_) begin();
  Parameter& parameter = parameters_[index];
  TERN_CHECK(!parameter.is_ready, Error, "DistributedDataParallel: parameter '", parameter.name,
             "' got two gradients in one backward()");
  const Tensor& elements = buckets_[parameter.bucket].elements;
  TERN_CHECK(grad.dtype() == elements.dtype() && grad.device() == elements.device(), Error,
             "DistributedDataParallel: the gradient of parameter '", parameter.name, "' is ",
             dtype_info(grad.scalar_type()).python_name, " on ", grad.device(),
             ", but the module was wrapped with ", dtype_info(elements.scalar_type()).python_name,
             " on ", elements.device());
  if (!grad.is_same(parameter.home)) {
    parameter.home.copy_(grad);
    grad = parameter.home;
  }
  parameter.is_ready = true;
  arrived_.push_back(index);
  --buckets_[parameter.bucket].missing;
  start_full_buckets();
}

void Reducer::start_full_buckets() {
  for (; next_bucket_ < buckets_.size() && buckets_[next_bucket_].missing == 0; ++next_bucket_) {
    Bucket& bucket = buckets_[next_bucket_];
    const std::optional<ScalarType>& narrow = options_.reduce_dtype();
    if (narrow && !bucket.narrow.defined() && bucket.elements.dtype() != *narrow) {
      bucket.narrow = empty_like(bucket.elements, TensorOptions(*narrow));
    }
    const Tensor& sent =
        bucket.narrow.defined() ? bucket.narrow.copy_(bucket.elements) : bucket.elements;
    const bool is_mean = divisor_ == group_.size();
    if (!is_mean) sent.div_(divisor_);
    bucket.work = group_.all_reduce_async(sent, is_mean ? ReduceOp::kMean : ReduceOp::kSum);
  }
}

void Reducer::finish() {
  // Parameters without a gradient count as what they had.
  std::vector<std::pair<std::size_t, Tensor>> unused;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    if (parameter.is_ready) continue;
    const Tensor& grad = parameter.tensor.grad();
    unused.emplace_back(i, grad.defined() ? grad.clone() : Tensor());
    if (!grad.defined()) {
      parameter.home.zero_();
    } else if (!grad.is_same(parameter.home)) {
      parameter.home.copy_(grad);
    }
    --buckets_[parameter.bucket].missing;
  }
  if (!unused.empty()) some_unused_.fill_(1);
  finish_buckets(unused);
}

void Reducer::finish_buckets(const std::vector<std::pair<std::size_t, Tensor>>& unused) {
  start_full_buckets();
  for (Bucket& bucket : buckets_) {
    bucket.work.wait();
    if (bucket.narrow.defined()) bucket.elements.copy_(bucket.narrow);
  }
  if (some_unused_.item<double>() > 0) {
    finish_unused(unused);
  } else if (is_first_ && !options_.find_unused_parameters()) {
    follow_first_backward();
  }
}

void Reducer::finish_unused(const std::vector<std::pair<std::size_t, Tensor>>& unused) {
  // A rank that has ended in join() neither uses parameters nor lacks them.
  const bool finds = options_.find_unused_parameters();
  const Tensor is_used =
      full({static_cast<std::int64_t>(parameters_.size())}, !(is_done_ && finds), kBool);
  for (const auto& [i, old] : unused) is_used[static_cast<std::int64_t>(i)].fill_(false);
  const std::vector<Tensor> on_ranks = group_.all_gather(is_used);
  if (!finds) {
    std::string text;
    for (std::size_t rank = 0; rank < on_ranks.size(); ++rank) {
      std::string names;
      for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (on_ranks[rank][static_cast<std::int64_t>(i)].item<bool>()) continue;
        names += (names.empty() ? "'" : ", '") + parameters_[i].name + "'";
      }
      if (!names.empty()) text += tern::detail::text_of("; rank ", rank, " has none for ", names);
    }
    tern::detail::raise<Error>(
        "DistributedDataParallel: backward() computed no gradient for some parameters; use all of "
        "them in the loss, or set find_unused_parameters",
        text);
  }
  const Tensor is_used_somewhere = stack(on_ranks).any(0);
  for (const auto& [i, old] : unused) {
    Tensor& grad = parameters_[i].tensor.mutable_grad();
    if (is_used_somewhere[static_cast<std::int64_t>(i)].item<bool>()) {
      grad = parameters_[i].home;
    } else if (old.defined()) {
      grad.copy_(old);
    }
  }
}

// Makes buckets in the order in which the gradients of one rank, usually 0, were complete.
void Reducer::follow_first_backward() {
  is_first_ = false;
  const Tensor order = empty({static_cast<std::int64_t>(parameters_.size())}, kLong);
  auto* const numbers = order.data_ptr<std::int64_t>();
  std::copy(arrived_.begin(), arrived_.end(), numbers);  // none on a rank that has ended
  group_.broadcast(order, root_);
  make_buckets({numbers, numbers + parameters_.size()});
}

}  // namespace tern::nn::detail
