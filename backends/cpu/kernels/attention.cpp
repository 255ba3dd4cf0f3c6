#include <atomic>

#include <tern/backends/cpu/kernels/attention/backward.h>
#include <tern/backends/cpu/kernels/attention/forward.h>
#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>

namespace tern::cpu {
namespace {

using namespace kernels;

/// Runs the tasks of a pass on the threads. Returns false if one of them is out of memory.
template <class Pass>
bool run_tasks(const Pass& pass) {
  std::atomic<bool> done{true};
  parallel_for(0, pass.tasks(), 1, [&](std::int64_t begin, std::int64_t end) {
    if (!pass.run(begin, end)) done = false;
  });
  return done;
}

/// Joins the heads of the queries that share a head of keys. A step of generation has one query for
/// each head, and a block has a lane for each query: the keys are then read once for the group, and
/// fewer lanes are empty. The bits stay, because lanes know nothing of each other.
AttentionArgs join_groups(const AttentionArgs& args) {
  AttentionArgs joined = args;
  const std::int64_t shared = args.heads / args.group;
  const bool is_causal = args.is_causal != 0 && args.keys > 1;
  if (args.queries != 1 || is_causal || args.batch * shared < get_num_threads()) return joined;
  joined.heads = shared;
  joined.group = 1;
  joined.queries = args.group;
  joined.is_causal = 0;
  for (AttentionStrides* strides : {&joined.q_strides, &joined.out_strides}) {
    strides->row = strides->head;
    strides->head *= args.group;
  }
  joined.mask_strides[2] = args.mask_strides[1];
  joined.mask_strides[1] *= args.group;
  return joined;
}

template <class T>
void attention_typed(const AttentionArgs& args, KernelContext& context) {
  bool done;
  if (args.op == AttentionOp::kForward) {
    const AttentionArgs joined = join_groups(args);
    done = run_tasks(AttentionForward<T>(joined));
  } else {
    const AttentionBackward<T> backward(args);
    done = run_tasks(backward);
    if (backward.has_shares()) {
      parallel_for(0, backward.rows(), 64,
                   [&](std::int64_t begin, std::int64_t end) { backward.add_shares(begin, end); });
    }
  }
  if (!done) context.status = StatusCode::kOutOfMemory;
}

void attention(const AttentionArgs& args, KernelContext& context) {
  run_widened(args, [&](const AttentionArgs& wide) {
    visit_floating(wide.dtype, context,
                   [&](auto tag) { attention_typed<typename decltype(tag)::type>(wide, context); });
  });
}

}  // namespace

void register_attention(kernels::KernelTable& table) {
  kernels::set<kernels::AttentionArgs, attention>(table);
}

}  // namespace tern::cpu
