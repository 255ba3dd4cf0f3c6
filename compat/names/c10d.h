#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/distributed/distributed.h>

// Process groups of libtorch, over tern's: <torch/csrc/distributed/c10d/ProcessGroupMPI.hpp>.

namespace tern::compat::process_groups {

/// How a collective joins the elements of the ranks.
struct ReduceOp {
  /// The operations. tern has no PREMUL_SUM.
  enum RedOpType : std::uint8_t {
    SUM,
    AVG,
    PRODUCT,
    MIN,
    MAX,
    BAND,
    BOR,
    BXOR,
    PREMUL_SUM,
    UNUSED
  };

  /// Makes the sum.
  ReduceOp() = default;
  /// Makes an operation.
  ReduceOp(RedOpType op) : op_(op) {}  // NOLINT(google-explicit-constructor)
  /// Returns the operation.
  operator RedOpType() const { return op_; }  // NOLINT(google-explicit-constructor)

  /// The operation.
  RedOpType op_ = SUM;
};

/// The time-out of the group.
constexpr auto kUnsetTimeout = std::chrono::milliseconds(-1);

/// What the options of all collectives have.
struct CollectiveOptions {
  /// Stands for libtorch's: the group's time-out holds.
  std::chrono::milliseconds timeout = kUnsetTimeout;
  /// Changes nothing: every collective returns at once.
  bool asyncOp = true;
};
/// The options of collectives that join elements.
struct JoiningOptions : CollectiveOptions {
  /// How.
  ReduceOp reduceOp = ReduceOp::SUM;
};
/// The options of collectives with a root.
struct RootedOptions : CollectiveOptions {
  /// The root.
  std::int64_t rootRank = 0;
};
/// The options of broadcast().
struct BroadcastOptions : RootedOptions {
  /// The tensor of the root: 0.
  std::int64_t rootTensor = 0;
};
/// The options of reduce().
struct ReduceOptions : BroadcastOptions {
  /// How.
  ReduceOp reduceOp = ReduceOp::SUM;
};
/// The options of allreduce().
struct AllreduceOptions : JoiningOptions {};
/// The options of allreduce_coalesced().
struct AllreduceCoalescedOptions : AllreduceOptions {};
/// The options of reduce_scatter().
struct ReduceScatterOptions : JoiningOptions {};
/// The options of allgather().
struct AllgatherOptions : CollectiveOptions {};
/// The options of gather().
struct GatherOptions : RootedOptions {};
/// The options of scatter().
struct ScatterOptions : RootedOptions {};
/// The options of alltoall().
struct AllToAllOptions : CollectiveOptions {};
/// The options of barrier().
struct BarrierOptions : CollectiveOptions {
  /// Changes nothing.
  std::vector<std::int64_t> device_ids;
};

/// A collective that runs. The destructor waits.
class TERN_API Work : public RefCounted {
 public:
  /// Takes over what runs, and what follows when all of it is done.
  Work(std::vector<distributed::Work> works, std::vector<Tensor> results,
       std::function<void()> finish = {});

  /// Returns whether it is done; then the results are in the tensors.
  bool isCompleted();
  /// Returns whether it is done, without an error.
  bool isSuccess() const { return is_done_ && !error_; }
  /// Returns the error; null if there is none.
  std::exception_ptr exception() const { return error_; }
  /// Returns the tensors with the results.
  std::vector<Tensor> result() const { return results_; }
  /// Waits until it is done and returns true. Throws its error, and Error after `timeout`; 0 waits
  /// as long as the group does.
  bool wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  /// Waits.
  void synchronize() { wait(); }

 private:
  void complete();

  std::vector<distributed::Work> works_;
  std::vector<Tensor> results_;
  std::function<void()> finish_;
  bool is_done_ = false;
  std::exception_ptr error_;
};

/// A group of ranks. Vectors of tensors have one element; vectors of vectors have one vector with
/// an element for each rank.
class TERN_API Backend : public RefCounted {
 public:
  /// libtorch's name of compat's Work.
  using Work = process_groups::Work;
  /// What a collective returns.
  using WorkPtr = IntrusivePtr<Work>;
  /// The place of a call, for errors; callers leave it out.
  using Site = distributed::CallSite;
  /// The tensors of a call.
  using Tensors = std::vector<Tensor>;

  /// Wraps tern's group.
  explicit Backend(const distributed::ProcessGroup& group) : group_(group) {}

  /// Returns the rank of this process.
  int getRank() const { return group_.rank(); }
  /// Returns the number of ranks.
  int getSize() const { return group_.size(); }
  /// Returns tern's group.
  distributed::ProcessGroup& group() { return group_; }
  /// Returns the name of the transport.
  virtual const std::string getBackendName() const { return "tern"; }
  /// Ends the process by an error, which ends the job.
  [[noreturn]] virtual void abort();

  /// Replaces the tensor by that of the root.
  WorkPtr broadcast(Tensors& tensors, const BroadcastOptions& options = {},
                    Site site = Site::here());
  /// Replaces the tensor by those of all ranks, joined.
  WorkPtr allreduce(Tensors& tensors, const AllreduceOptions& options = {},
                    Site site = Site::here());
  /// Does the same for any number of tensors.
  WorkPtr allreduce_coalesced(Tensors& tensors, const AllreduceCoalescedOptions& options = {},
                              Site site = Site::here());
  /// Replaces the tensor of the root alone.
  WorkPtr reduce(Tensors& tensors, const ReduceOptions& options = {}, Site site = Site::here());
  /// Stores the tensors of all ranks in `outputs`.
  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const AllgatherOptions& options = {}, Site site = Site::here());
  /// Stores the tensors of all ranks in one tensor.
  WorkPtr all_gather_single(Tensor& output, Tensor& input, const AllgatherOptions& options = {},
                            Site site = Site::here());
  /// The older name of all_gather_single().
  WorkPtr _allgather_base(Tensor& output, Tensor& input, const AllgatherOptions& options = {},
                          Site site = Site::here());
  /// Stores the tensors of all ranks in the outputs of the root; those of others are empty.
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const GatherOptions& options = {},
                 Site site = Site::here());
  /// Stores the root's tensor for each rank in its output; the inputs of others are empty.
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                  const ScatterOptions& options = {}, Site site = Site::here());
  /// Joins what the ranks have for each rank, which gets it.
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                         const ReduceScatterOptions& options = {}, Site site = Site::here());
  /// Does the same for parts of one tensor.
  WorkPtr reduce_scatter_single(Tensor& output, Tensor& input,
                                const ReduceScatterOptions& options = {}, Site site = Site::here());
  /// The older name of reduce_scatter_single().
  WorkPtr _reduce_scatter_base(Tensor& output, Tensor& input,
                               const ReduceScatterOptions& options = {}, Site site = Site::here());
  /// Sends rows of `input` to the ranks, and stores what they send in order. Empty sizes divide
  /// dimension 0 evenly.
  WorkPtr all_to_all_single(Tensor& output, Tensor& input, std::vector<std::int64_t>& output_sizes,
                            std::vector<std::int64_t>& input_sizes,
                            const AllToAllOptions& options = {}, Site site = Site::here());
  /// The older name of all_to_all_single().
  WorkPtr alltoall_base(Tensor& output, Tensor& input, std::vector<std::int64_t>& output_sizes,
                        std::vector<std::int64_t>& input_sizes, const AllToAllOptions& options = {},
                        Site site = Site::here());
  /// Sends a tensor to each rank, and stores what they send.
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const AllToAllOptions& options = {},
                   Site site = Site::here());
  /// Sends a copy to a rank.
  WorkPtr send(Tensors& tensors, int to, int tag, Site site = Site::here());
  /// Receives from a rank. Messages of a pair of ranks arrive in order: Error for another tag.
  WorkPtr recv(Tensors& tensors, int from, int tag, Site site = Site::here());
  /// Waits for all ranks.
  WorkPtr barrier(const BarrierOptions& options = {}, Site site = Site::here());

 private:
  WorkPtr joined(Tensors results, const Tensor& sent, ReduceOp op,
                 const std::function<void(Tensor)>& finish, Site site);

  distributed::ProcessGroup group_;
};

/// The group of the processes of mpirun, or of the threads of tern::distributed::run().
class TERN_API ProcessGroupMPI final : public Backend {
 public:
  using Backend::Backend;
  /// Returns "mpi".
  const std::string getBackendName() const override { return "mpi"; }
  /// Returns the group of all ranks, or of the given ones; null on others. All ranks call it.
  static IntrusivePtr<ProcessGroupMPI> createProcessGroupMPI(std::vector<int> ranks = {},
                                                             Site site = Site::here());
};

}  // namespace tern::compat::process_groups

namespace c10d {
using namespace ::tern::compat::process_groups;
/// libtorch's class of groups over several transports.
using ProcessGroup = Backend;
/// Waits as long as the group does.
constexpr auto kNoTimeout = std::chrono::milliseconds(0);
/// The name of the transport of ProcessGroupMPI.
constexpr const char* MPI_BACKEND_NAME = "mpi";
}  // namespace c10d
