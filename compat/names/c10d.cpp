#include <tern/compat/names/c10d.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>

namespace tern::compat::process_groups {
namespace {

using Tensors = std::vector<Tensor>;

Tensor& single(const char* op, Tensors& tensors) {
  TERN_CHECK(tensors.size() == 1, Error, op, ": needs one tensor, got ", tensors.size());
  return tensors[0];
}

Tensors& single(const char* op, std::vector<Tensors>& lists, int size) {
  TERN_CHECK(lists.size() == 1 && lists[0].size() == static_cast<std::size_t>(size), Error, op,
             ": needs one list with a tensor for each of ", size, " ranks, got ", lists.size(),
             " lists", lists.empty() ? "" : ", the first of ",
             lists.empty() ? std::string() : tern::detail::text_of(lists[0].size()));
  return lists[0];
}

// Tensors of libtorch's groups are written whether they require a gradient or not.
void store(const Tensor& to, const Tensor& from) {
  const NoGradGuard no_grad;
  to.copy_(from.view(to.sizes()));
}

std::optional<distributed::ReduceOp> known(ReduceOp op) {
  switch (op) {
    case ReduceOp::SUM:
      return distributed::ReduceOp::kSum;
    case ReduceOp::AVG:
      return distributed::ReduceOp::kMean;
    case ReduceOp::MIN:
      return distributed::ReduceOp::kMin;
    case ReduceOp::MAX:
      return distributed::ReduceOp::kMax;
    default:
      return std::nullopt;
  }
}

Tensor combined(ReduceOp op, const Tensor& a, const Tensor& b) {
  switch (op) {
    case ReduceOp::PRODUCT:
      return a * b;
    case ReduceOp::BAND:
      return a & b;
    case ReduceOp::BOR:
      return a | b;
    case ReduceOp::BXOR:
      return a ^ b;
    default:
      tern::detail::raise<Error>("ReduceOp: unsupported operation ", static_cast<int>(op.op_));
  }
}

Backend::WorkPtr work_of(distributed::Work work, Tensors results,
                         std::function<void()> finish = {}) {
  std::vector<distributed::Work> works;
  works.push_back(std::move(work));
  return make_intrusive<Work>(std::move(works), std::move(results), std::move(finish));
}

Tensor stacked(const Tensors& tensors) {
  const NoGradGuard no_grad;
  return stack(tensors);
}

// An uninitialised tensor for the like of `tensor` of each rank.
Tensor for_all(const Tensor& tensor, int size) {
  DimVector sizes(tensor.sizes());
  sizes.insert(0, size);
  return empty(sizes, TensorOptions().dtype(tensor.dtype()).device(tensor.device()));
}

}  // namespace

Work::Work(std::vector<distributed::Work> works, std::vector<Tensor> results,
           std::function<void()> finish)
    : works_(std::move(works)), results_(std::move(results)), finish_(std::move(finish)) {}

void Work::complete() {
  if (is_done_) return;
  try {
    for (distributed::Work& work : works_) work.wait();
    if (finish_) finish_();
  } catch (...) {
    error_ = std::current_exception();
  }
  is_done_ = true;
}

bool Work::isCompleted() {
  const bool all = std::all_of(works_.begin(), works_.end(),
                               [](const distributed::Work& work) { return work.is_completed(); });
  if (all) complete();
  return all;
}

bool Work::wait(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (timeout.count() > 0 && !isCompleted()) {
    TERN_CHECK(std::chrono::steady_clock::now() < deadline, Error, "Operation timed out!");
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  complete();
  if (error_) std::rethrow_exception(error_);
  return true;
}

void Backend::abort() { std::abort(); }

Backend::WorkPtr Backend::broadcast(Tensors& tensors, const BroadcastOptions& options, Site site) {
  const Tensor& tensor = single("broadcast", tensors);
  return work_of(group_.broadcast_async(tensor, static_cast<int>(options.rootRank), site), tensors);
}

// Joins `sent`, whose result goes to `finish`.
Backend::WorkPtr Backend::joined(Tensors results, const Tensor& sent, ReduceOp op,
                                 const std::function<void(Tensor)>& finish, Site site) {
  if (const auto direct = known(op)) {
    return work_of(group_.all_reduce_async(sent, *direct, site), std::move(results),
                   [sent, finish] {
                     if (finish) finish(sent);
                   });
  }
  const Tensor all = for_all(sent, getSize());
  return work_of(group_.all_gather_async(all, sent, site), std::move(results),
                 [all, sent, op, finish] {
                   Tensor result = all[0];
                   for (std::int64_t i = 1; i < all.size(0); ++i) {
                     result = combined(op, result, all[i]);
                   }
                   finish ? finish(result) : store(sent, result);
                 });
}

Backend::WorkPtr Backend::allreduce(Tensors& tensors, const AllreduceOptions& options, Site site) {
  return joined(tensors, single("allreduce", tensors), options.reduceOp, {}, site);
}

Backend::WorkPtr Backend::allreduce_coalesced(Tensors& tensors,
                                              const AllreduceCoalescedOptions& options, Site site) {
  std::vector<WorkPtr> parts;
  for (const Tensor& tensor : tensors) {
    parts.push_back(joined({tensor}, tensor, options.reduceOp, {}, site));
  }
  return make_intrusive<Work>(std::vector<distributed::Work>(), tensors, [parts] {
    for (const WorkPtr& part : parts) part->wait();
  });
}

Backend::WorkPtr Backend::reduce(Tensors& tensors, const ReduceOptions& options, Site site) {
  const Tensor tensor = single("reduce", tensors);
  const bool is_root = options.rootRank == getRank();
  return joined(
      tensors, tensor.detach().clone(), options.reduceOp,
      [tensor, is_root](const Tensor& result) {
        if (is_root) store(tensor, result);
      },
      site);
}

Backend::WorkPtr Backend::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                    const AllgatherOptions& /*options*/, Site site) {
  const Tensors to = single("allgather", outputs, getSize());
  const Tensor& input = single("allgather", inputs);
  const Tensor all = for_all(input, getSize());
  return work_of(group_.all_gather_async(all, input, site), to, [to, all] {
    for (std::size_t i = 0; i < to.size(); ++i) store(to[i], all[static_cast<std::int64_t>(i)]);
  });
}

Backend::WorkPtr Backend::all_gather_single(Tensor& output, Tensor& input,
                                            const AllgatherOptions& /*options*/, Site site) {
  return work_of(group_.all_gather_async(output, input, site), {output});
}

Backend::WorkPtr Backend::_allgather_base(Tensor& output, Tensor& input,
                                          const AllgatherOptions& options, Site site) {
  return all_gather_single(output, input, options, site);
}

Backend::WorkPtr Backend::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                 const GatherOptions& options, Site site) {
  const bool is_root = options.rootRank == getRank();
  TERN_CHECK(is_root || outputs.empty(), Error, "gather: outputs are for the root, rank ",
             options.rootRank);
  if (is_root) return allgather(outputs, inputs, {}, site);
  const Tensor& input = single("gather", inputs);
  return work_of(group_.all_gather_async(for_all(input, getSize()), input, site), {});
}

Backend::WorkPtr Backend::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                  const ScatterOptions& options, Site site) {
  const Tensor output = single("scatter", outputs);
  const bool is_root = options.rootRank == getRank();
  TERN_CHECK(is_root || inputs.empty(), Error, "scatter: inputs are for the root, rank ",
             options.rootRank);
  const Tensor all =
      is_root ? stacked(single("scatter", inputs, getSize())) : for_all(output, getSize());
  const int rank = getRank();
  return work_of(group_.broadcast_async(all, static_cast<int>(options.rootRank), site), outputs,
                 [all, output, rank] { store(output, all[rank]); });
}

Backend::WorkPtr Backend::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                         const ReduceScatterOptions& options, Site site) {
  Tensor all = stacked(single("reduce_scatter", inputs, getSize()));
  return reduce_scatter_single(single("reduce_scatter", outputs), all, options, site);
}

Backend::WorkPtr Backend::reduce_scatter_single(Tensor& output, Tensor& input,
                                                const ReduceScatterOptions& options, Site site) {
  if (const auto direct = known(options.reduceOp)) {
    return work_of(group_.reduce_scatter_async(output, input, *direct, site), {output});
  }
  const std::int64_t rank = getRank(), size = getSize();
  return joined(
      {output}, input.detach(), options.reduceOp,
      [to = output, rank, size](const Tensor& result) {
        store(to, result.reshape({size, -1})[rank]);
      },
      site);
}

Backend::WorkPtr Backend::_reduce_scatter_base(Tensor& output, Tensor& input,
                                               const ReduceScatterOptions& options, Site site) {
  return reduce_scatter_single(output, input, options, site);
}

Backend::WorkPtr Backend::all_to_all_single(Tensor& output, Tensor& input,
                                            std::vector<std::int64_t>& output_sizes,
                                            std::vector<std::int64_t>& input_sizes,
                                            const AllToAllOptions& options, Site site) {
  if (output_sizes.empty() && input_sizes.empty()) {
    return work_of(group_.all_to_all_async(output, input, site), {output});
  }
  const auto parts = [&](const Tensor& tensor, const std::vector<std::int64_t>& sizes) {
    return sizes.empty() ? tensor.detach().chunk(getSize(), 0)
                         : tensor.detach().split(IntArrayRef(sizes), 0);
  };
  Tensors outputs = parts(output, output_sizes), inputs = parts(input, input_sizes);
  return alltoall(outputs, inputs, options, site);
}

Backend::WorkPtr Backend::alltoall_base(Tensor& output, Tensor& input,
                                        std::vector<std::int64_t>& output_sizes,
                                        std::vector<std::int64_t>& input_sizes,
                                        const AllToAllOptions& options, Site site) {
  return all_to_all_single(output, input, output_sizes, input_sizes, options, site);
}

Backend::WorkPtr Backend::alltoall(Tensors& outputs, Tensors& inputs,
                                   const AllToAllOptions& /*options*/, Site site) {
  const auto size = static_cast<std::size_t>(getSize());
  TERN_CHECK(outputs.size() == size && inputs.size() == size, Error,
             "alltoall: needs a tensor for each of ", size, " ranks, got ", outputs.size(),
             " outputs and ", inputs.size(), " inputs");
  std::vector<distributed::Work> works;
  for (int rank = 0; rank < getSize(); ++rank) {
    if (rank != getRank()) group_.send(inputs[static_cast<std::size_t>(rank)], rank, site);
  }
  for (int rank = 0; rank < getSize(); ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (rank == getRank()) {
      store(outputs[i], inputs[i]);
    } else {
      works.push_back(group_.recv_async(outputs[i], rank, site));
    }
  }
  return make_intrusive<Work>(std::move(works), outputs);
}

Backend::WorkPtr Backend::send(Tensors& tensors, int to, int tag, Site site) {
  const Tensor& tensor = single("send", tensors);
  group_.send(::tern::full({1}, tag, kLong), to, site);
  group_.send(tensor, to, site);
  return make_intrusive<Work>(std::vector<distributed::Work>(), tensors);
}

Backend::WorkPtr Backend::recv(Tensors& tensors, int from, int tag, Site site) {
  const Tensor& tensor = single("recv", tensors);
  const Tensor sent = ::tern::zeros({1}, kLong);
  std::vector<distributed::Work> works;
  works.push_back(group_.recv_async(sent, from, site));
  works.push_back(group_.recv_async(tensor, from, site));
  return make_intrusive<Work>(std::move(works), tensors, [sent, from, tag] {
    const auto got = sent.item<std::int64_t>();
    TERN_CHECK(got == tag, Error, "recv: rank ", from, " sent tag ", got, ", expected ", tag,
               "; messages arrive in the order in which they are sent");
  });
}

Backend::WorkPtr Backend::barrier(const BarrierOptions& /*options*/, Site site) {
  return work_of(group_.all_reduce_async(::tern::zeros({1}), distributed::ReduceOp::kMax, site),
                 {});
}

IntrusivePtr<ProcessGroupMPI> ProcessGroupMPI::createProcessGroupMPI(std::vector<int> ranks,
                                                                     Site site) {
  const distributed::ProcessGroup all = distributed::init_process_group();
  if (ranks.empty()) return make_intrusive<ProcessGroupMPI>(all);
  for (const int rank : ranks) {
    TERN_CHECK(rank >= 0 && rank < all.size(), IndexError, "createProcessGroupMPI: rank ", rank,
               " is not in a group of size ", all.size());
  }
  const auto own = std::find(ranks.begin(), ranks.end(), all.rank());
  const bool is_member = own != ranks.end();
  const auto key = is_member ? static_cast<int>(own - ranks.begin()) : 0;
  distributed::ProcessGroup part = all.split(is_member ? 1 : 0, key, site);
  return is_member ? make_intrusive<ProcessGroupMPI>(std::move(part)) : nullptr;
}

}  // namespace tern::compat::process_groups
