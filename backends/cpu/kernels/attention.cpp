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

template <class T>
void attention_typed(const AttentionArgs& args, KernelContext& context) {
  bool done;
  if (args.op == AttentionOp::kForward) {
    done = run_tasks(AttentionForward<T>(args));
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
