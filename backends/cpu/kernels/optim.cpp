// Compiled for size.
// Instruction sets: baseline avx2.

#include <algorithm>
#include <functional>
#include <numeric>

#include <tern/backends/cpu/kernels/support/strided.h>
#include <tern/core/base/flush_denormal.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/kernels/optim/formulas.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kOptimGrain = 16384;
// Elements that are converted or negated at a time.
constexpr std::int64_t kBlock = 1024;

/// Runs `step(tensor, begin, end)` over all tensors. Each thread takes a part of each tensor,
/// mostly the part whose gradient it has computed, which may still be in its core's cache.
template <class Step>
void for_each_piece(int count, const std::int64_t* numel, const Step& step) {
  // A moment without new gradients fades into denormals and stays there: slow, and too small for
  // any parameter to notice.
  const tern::detail::FlushDenormals flush;
  const std::int64_t total = std::accumulate(numel, numel + count, std::int64_t{0});
  const std::int64_t parts = std::clamp<std::int64_t>(total / kOptimGrain, 1,
                                                      in_parallel_region() ? 1 : get_num_threads());
  parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (int t = 0; t < count; ++t) {
      const std::int64_t first = numel[t] * begin / parts, last = numel[t] * end / parts;
      if (first < last) step(t, first, last);
    }
  });
}

/// Pieces of a parameter, its gradient and its states.
struct OptimPiece {
  static constexpr int kOperands = 2 + kMaxOptimStates;
  static constexpr int kGradient = 1;
  void* operands[kOperands];  // null for states that are not used

  OptimPiece(const OptimArgs& args, int t, std::int64_t begin) : operands{} {
    operands[0] = args.param[t];
    operands[kGradient] = const_cast<void*>(args.grad[t]);
    for (int k = 0; k < kMaxOptimStates; ++k) operands[2 + k] = args.state[k][t];
    advance(begin * static_cast<std::int64_t>(element_size(args.dtype)));
  }

  void advance(std::int64_t bytes) {
    for (void*& data : operands) {
      if (data != nullptr) data = static_cast<char*>(data) + bytes;
    }
  }
};

/// Steps `n` elements with the constants of a rule. Everything but these loops is compiled once for
/// all rules.
using OptimLoop = void (*)(const OptimPiece& piece, std::int64_t n, const void* constants);

/// The loop of a form, which is a constant, so that the loop has no branch. Each operand is a
/// parameter of its own, so that the compiler knows that no two of them overlap.
template <class Rule, unsigned kForm, class T>
inline void optim_elements(T* __restrict p, const T* __restrict grad, T* __restrict state0,
                           T* __restrict state1, T* __restrict state2, std::int64_t n,
                           const typename Rule::template Constants<T>& constants) {
  constexpr unsigned kStates = Rule::states(kForm);
  const auto c = constants;
  for (std::int64_t i = 0; i < n; ++i) {
    T none = 0;
    p[i] = optim_element<Rule>(kForm, c, p[i], grad[i], (kStates & 1) != 0 ? state0[i] : none,
                               (kStates & 2) != 0 ? state1[i] : none,
                               (kStates & 4) != 0 ? state2[i] : none);
  }
}

template <class Rule, unsigned kForm, class T>
void optim_loop(const OptimPiece& piece, std::int64_t n, const void* constants) {
  const auto operand = [&](int k) { return static_cast<T*>(piece.operands[k]); };
  optim_elements<Rule, kForm, T>(
      operand(0), operand(OptimPiece::kGradient), operand(2), operand(3), operand(4), n,
      *static_cast<const typename Rule::template Constants<T>*>(constants));
}

/// Returns the loop of a form without kMaximize: few callers need it, and loops of its own would
/// double the code.
template <class Rule, class T, unsigned... kHalves>
OptimLoop optim_loop_of(unsigned form, std::integer_sequence<unsigned, kHalves...>) {
  static_assert(Rule::kMaximize == 1);
  static constexpr OptimLoop kLoops[] = {optim_loop<Rule, 2 * kHalves, T>...};
  return kLoops[form / 2];
}

/// Calls loop(piece, n) with converted copies of n elements of a narrow dtype, block by block.
template <class Run>
void run_narrow(ScalarType dtype, const OptimPiece& narrow, std::int64_t n, const Run& run) {
  alignas(64) float buffers[OptimPiece::kOperands][kBlock];
  const Loop widen = widening_loop(dtype), round = narrowing_loop(dtype);
  const auto size = static_cast<std::int64_t>(element_size(dtype));
  for (std::int64_t i = 0; i < n; i += kBlock) {
    const std::int64_t count = std::min(kBlock, n - i);
    OptimPiece wide = narrow;
    const auto for_each = [&](const auto& visit) {
      for (int k = 0; k < OptimPiece::kOperands; ++k) {
        if (narrow.operands[k] == nullptr) continue;
        visit(k, static_cast<char*>(narrow.operands[k]) + i * size);
      }
    };
    for_each([&](int k, const void* from) {
      widen(wide.operands[k] = buffers[k], &from, count, nullptr);
    });
    run(wide, count);
    for_each([&](int k, void* to) {
      const void* const from = buffers[k];
      if (k != OptimPiece::kGradient) round(to, &from, count, nullptr);
    });
  }
}

/// Calls loop(piece, n) with negated gradients, block by block.
template <class T>
void run_negated(OptimPiece piece, std::int64_t n, OptimLoop loop, const void* constants) {
  T negated[kBlock];
  for (std::int64_t count; n > 0; n -= count) {
    count = std::min(kBlock, n);
    OptimPiece block = piece;
    const T* const grad = static_cast<const T*>(piece.operands[OptimPiece::kGradient]);
    std::transform(grad, grad + count, negated, std::negate<T>());
    block.operands[OptimPiece::kGradient] = negated;
    loop(block, count, constants);
    piece.advance(count * static_cast<std::int64_t>(sizeof(T)));
  }
}

void run_optim(const OptimArgs& args, bool maximize, OptimLoop loop, const void* constants) {
  const auto run_piece = [&](const OptimPiece& piece, std::int64_t n) {
    if (!maximize) return loop(piece, n, constants);
    if (args.dtype == kDouble) return run_negated<double>(piece, n, loop, constants);
    run_negated<float>(piece, n, loop, constants);
  };
  for_each_piece(args.count, args.numel, [&](int t, std::int64_t begin, std::int64_t end) {
    const OptimPiece piece(args, t, begin);
    if (is_narrow(args.dtype)) {
      run_narrow(args.dtype, piece, end - begin, run_piece);
    } else {
      run_piece(piece, end - begin);
    }
  });
}

template <class Rule, class T>
void optim_typed(const OptimArgs& args) {
  const auto constants = optim_constants<Rule, T>(args);
  const unsigned form = optim_form<Rule, T>(args);
  const OptimLoop loop =
      optim_loop_of<Rule, T>(form, std::make_integer_sequence<unsigned, Rule::kForms / 2>());
  run_optim(args, (form & Rule::kMaximize) != 0, loop, &constants);
}

void optim(const OptimArgs& args, KernelContext& context) {
  visit_optim_rule(args.rule, [&](auto rule) {
    using Rule = decltype(rule);
    visit_floating(math_dtype(args.dtype), context,
                   [&](auto tag) { optim_typed<Rule, typename decltype(tag)::type>(args); });
  });
}

}  // namespace

void register_optim(kernels::KernelTable& table) { kernels::set<kernels::OptimArgs, optim>(table); }

}  // namespace tern::cpu
