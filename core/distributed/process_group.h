#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/tensor.h>

/// Communication between processes, or threads that stand for processes.
namespace tern::distributed {

namespace detail {
class Group;
struct Pending;
class Transport;
}  // namespace detail

/// How a collective joins the elements of the ranks. A sum of bools is true where any is. The
/// maximum and the minimum are NaN where any element is. kMean takes floating point dtypes: it
/// divides each rank's elements by the number of ranks, and then adds them.
enum class ReduceOp : std::uint8_t { kSum, kMean, kMax, kMin };

/// The place of a call in a program, for errors. Callers leave it out.
struct CallSite {
  /// The file.
  const char* file;
  /// The line.
  std::uint32_t line;

  /// Returns the place of the call that this is a default argument of.
  static constexpr CallSite here(const char* file = __builtin_FILE(),
                                 std::uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

/// A collective that runs while the program goes on. Its tensors must not be used before wait()
/// returns. The destructor waits, too, and drops an error.
class TERN_API Work {
 public:
  /// Makes a Work that is complete.
  Work();
  /// Waits, and drops an error.
  ~Work();
  /// Takes over; the other is complete then.
  Work(Work&&) noexcept;
  /// Waits for the old one, drops its error, and takes over.
  Work& operator=(Work&&) noexcept;

  /// Waits until the collective is complete and its results are in the tensors. Throws its error.
  void wait();
  /// Returns true if wait() would not wait.
  bool is_completed() const;

 private:
  friend class detail::Group;
  explicit Work(std::shared_ptr<detail::Pending> pending);

  std::shared_ptr<detail::Pending> pending_;
};

/// The ranks that communicate with each other, of which this process is one. A copy is the same
/// group.
///
/// Every rank of the group must make the same calls in the same order. Each collective checks first
/// that all ranks agree on op, dtype, sizes and root. If they do not, it throws Error on every
/// rank, which names the ranks and what each called where; no tensor has changed, and the group can
/// be used further. A rank that does not come within the time-out is an Error on the others that
/// gives its number; then the group cannot be used any more.
///
/// Tensors have any dtype and layout. Those on a CUDA device travel between the devices where NCCL
/// or an MPI can do that, and otherwise are copied to the host and back.
/// Collectives are not differentiable. A group of one rank needs no transport: its collectives
/// check their arguments, and copy where input and output are different tensors.
///
/// The functions whose names end in `_async` return at once. Collectives of a group run in the
/// order of the calls. Only one thread at a time may use a group.
///
/// Example:
///   auto group = tern::distributed::init_process_group();
///   Tensor loss = ..;
///   group.all_reduce(loss, distributed::ReduceOp::kMean);
///   if (group.rank() == 0) std::cout << loss << "\n";
class TERN_API ProcessGroup {
 public:
  /// Makes a group of this process alone.
  ProcessGroup();
  /// Makes a group of a transport.
  explicit ProcessGroup(std::unique_ptr<detail::Transport> transport);

  /// The same group. There is no move, which would leave an object without a group.
  ProcessGroup(const ProcessGroup&) = default;
  /// Becomes the same group.
  ProcessGroup& operator=(const ProcessGroup&) = default;

  /// Returns the number of this process in the group, from 0.
  int rank() const;
  /// Returns the number of ranks.
  int size() const;
  /// Sets how long each collective waits for the other ranks, at most 1e9 s. At first 30 minutes;
  /// in run(), one minute. Throws Error unless it is above 0.
  void set_timeout(double seconds);
  /// Returns how long each collective waits.
  double timeout() const;

  /// Replaces the elements by those of all ranks, joined. All ranks get the same bits.
  void all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::kSum,
                  CallSite site = CallSite::here()) const;
  /// Starts all_reduce().
  [[nodiscard]] Work all_reduce_async(const Tensor& tensor, ReduceOp op = ReduceOp::kSum,
                                      CallSite site = CallSite::here()) const;
  /// Replaces the elements by those of rank `root`.
  void broadcast(const Tensor& tensor, int root = 0, CallSite site = CallSite::here()) const;
  /// Starts broadcast().
  [[nodiscard]] Work broadcast_async(const Tensor& tensor, int root = 0,
                                     CallSite site = CallSite::here()) const;
  /// Returns the tensors of all ranks in order.
  std::vector<Tensor> all_gather(const Tensor& input, CallSite site = CallSite::here()) const;
  /// Stores the elements of all ranks in order in `output`, which has size() times as many.
  void all_gather(const Tensor& output, const Tensor& input,
                  CallSite site = CallSite::here()) const;
  /// Starts all_gather().
  [[nodiscard]] Work all_gather_async(const Tensor& output, const Tensor& input,
                                      CallSite site = CallSite::here()) const;
  /// Joins the inputs of all ranks, and stores the rank()-th part of the elements in `output`. The
  /// input has size() times as many.
  void reduce_scatter(const Tensor& output, const Tensor& input, ReduceOp op = ReduceOp::kSum,
                      CallSite site = CallSite::here()) const;
  /// Starts reduce_scatter().
  [[nodiscard]] Work reduce_scatter_async(const Tensor& output, const Tensor& input,
                                          ReduceOp op = ReduceOp::kSum,
                                          CallSite site = CallSite::here()) const;
  /// Sends the r-th part of `input` to rank r, and stores what the ranks send in order in `output`.
  /// Both have the same number of elements, which is divisible by size().
  void all_to_all(const Tensor& output, const Tensor& input,
                  CallSite site = CallSite::here()) const;
  /// Starts all_to_all().
  [[nodiscard]] Work all_to_all_async(const Tensor& output, const Tensor& input,
                                      CallSite site = CallSite::here()) const;
  /// Sends a copy to another rank. Does not wait for its recv().
  void send(const Tensor& tensor, int to, CallSite site = CallSite::here()) const;
  /// Receives what another rank sends; several tensors of one rank arrive in order. Throws Error if
  /// the sent tensor has another dtype or other sizes; it is dropped then.
  void recv(const Tensor& tensor, int from, CallSite site = CallSite::here()) const;
  /// Starts recv().
  [[nodiscard]] Work recv_async(const Tensor& tensor, int from,
                                CallSite site = CallSite::here()) const;
  /// Waits until all ranks have called it.
  void barrier(CallSite site = CallSite::here()) const;
  /// Divides the group: the ranks that give the same `color` form a group, in order of their
  /// numbers here. With one color for all, makes a second group of the same ranks, whose
  /// collectives do not mix with those of this one. Throws Error for a color below 0.
  ProcessGroup split(int color, CallSite site = CallSite::here()) const;
  /// Orders the ranks of a new group by `key`, and those with the same key by their numbers here.
  ProcessGroup split(int color, int key, CallSite site = CallSite::here()) const;

 private:
  explicit ProcessGroup(std::shared_ptr<detail::Group> group);

  std::shared_ptr<detail::Group> group_;
};

}  // namespace tern::distributed
