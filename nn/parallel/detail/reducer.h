#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/distributed/process_group.h>
#include <tern/nn/module.h>
#include <tern/nn/parallel/distributed_data_parallel.h>

namespace tern::nn::detail {

/// The tensors of a module, by name.
using Named = std::vector<std::pair<std::string, Tensor>>;

/// Throws Error on all ranks, with the first difference, unless the tensors have the same names,
/// dtypes, sizes and requires_grad everywhere.
void check_same_on_all(const distributed::ProcessGroup& group, const Named& tensors,
                       const char* who = "DistributedDataParallel");

/// Returns the buffers of a module.
Named buffers_of(const Module& module);

/// Copies the elements of rank `root` to all ranks.
void broadcast_all(const distributed::ProcessGroup& group, const Named& tensors, int root = 0);

/// The gradients of DistributedDataParallel: collects them in buckets and averages full buckets
/// while backward goes on. Buckets start in the same order on all ranks.
class Reducer {
 public:
  Reducer(const std::shared_ptr<Module>& module,
          const parallel::DistributedDataParallelOptions& options);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  void before_forward();
  void join(const std::function<void()>& train, const parallel::JoinOptions& options);

  /// Above 0 in no_sync().
  std::atomic<int> local_scopes = 0;

 private:
  struct Parameter {
    std::string name;
    Tensor tensor;
    unsigned hook = 0;
    std::size_t bucket = 0;
    Tensor home = {};  // the place of its gradient in the bucket
    bool is_ready = false;
  };
  struct Bucket {
    Tensor elements;
    std::vector<std::size_t> parameters;
    std::size_t missing = 0;  // gradients that are not complete
    Tensor narrow = {};       // the elements in reduce_dtype
    distributed::Work work;
  };

  // What a rank does next in join().
  enum class Step : std::int64_t { kForward, kBackward, kDone };

  Step announce(Step mine);
  void answer(Step step);
  void check_parameters() const;
  void make_buckets(const std::vector<std::size_t>& order);
  void on_gradient(std::size_t index, Tensor& grad);
  void reset_buckets();
  void begin();
  void start_full_buckets();
  void finish();
  void finish_buckets(const std::vector<std::pair<std::size_t, Tensor>>& unused);
  void finish_unused(const std::vector<std::pair<std::size_t, Tensor>>& unused);
  void follow_first_backward();

  std::shared_ptr<Module> module_;
  parallel::DistributedDataParallelOptions options_;
  distributed::ProcessGroup group_;
  std::vector<Parameter> parameters_;
  std::vector<Bucket> buckets_;
  Tensor some_unused_;  // one element behind the last bucket: above 0 if a rank lacks gradients
  bool is_running_ = false;
  bool is_first_ = true;
  std::size_t next_bucket_ = 0;
  const parallel::JoinOptions* joining_ = nullptr;  // not null in join()
  bool is_done_ = false;                            // in join(): this rank has ended
  int root_ = 0;                                    // the first rank that has not ended
  int divisor_ = 1;                                 // of the sums of gradients
  std::vector<std::size_t> arrived_;                // parameters in the order of their gradients
};

}  // namespace tern::nn::detail
