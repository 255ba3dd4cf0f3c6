// Instruction sets: baseline.

#include <algorithm>

#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/grid_taps.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kGridGrain = 4096;  // elements per thread

/// One element that a point reads.
template <class T>
struct GridTerm {
  std::int64_t offset;  // in the plane, -1 for a zero
  T weight;
  T slopes[3];
};

template <class T>
class GridSampler {
 public:
  explicit GridSampler(const GridSampleArgs& args)
      : args_(args), plane_(args.sizes[0] * args.sizes[1] * args.sizes[2]) {}

  void run() const {
    if (args_.grad != nullptr) {
      // Points of one image add to the same elements.
      parallel_for(0, args_.batch, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin * args_.points; i < end * args_.points; ++i) spread(i);
      });
      return;
    }
    parallel_for(0, args_.batch * args_.points,
                 kGridGrain / std::max<std::int64_t>(args_.channels, 1),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) sample(i);
                 });
  }

 private:
  /// Sets the terms of point i and returns their number.
  int terms_of(std::int64_t i, GridTerm<T> (&terms)[64]) const {
    T coordinates[3] = {};
    const T* const grid = static_cast<const T*>(args_.grid) + i * args_.dims;
    for (int d = 0; d < args_.dims; ++d) coordinates[d] = grid[d];
    int count = 0;
    GridPoint<T>(args_, coordinates)
        .visit(args_, [&](std::int64_t offset, T weight, const T(&slopes)[3]) {
          terms[count++] = {offset, weight, {slopes[0], slopes[1], slopes[2]}};
        });
    return count;
  }

  void sample(std::int64_t i) const {
    GridTerm<T> terms[64];
    const int count = terms_of(i, terms);
    const std::int64_t image = i / args_.points * args_.channels, point = i % args_.points;
    const T* in = static_cast<const T*>(args_.in) + image * plane_;
    T* const out = static_cast<T*>(args_.out) + image * args_.points + point;
    for (std::int64_t c = 0; c < args_.channels; ++c, in += plane_) {
      T sum = 0;
      for (int k = 0; k < count; ++k) {
        sum += terms[k].weight * (terms[k].offset < 0 ? T(0) : in[terms[k].offset]);
      }
      out[c * args_.points] = sum;
    }
  }

  void spread(std::int64_t i) const {
    GridTerm<T> terms[64];
    const int count = terms_of(i, terms);
    const std::int64_t image = i / args_.points * args_.channels, point = i % args_.points;
    const T* const in = static_cast<const T*>(args_.in) + image * plane_;
    const T* const grad = static_cast<const T*>(args_.grad) + image * args_.points + point;
    T* const grad_in = static_cast<T*>(args_.grad_in);
    T slopes[3] = {};
    for (int k = 0; k < count; ++k) {
      T product = 0;
      if (terms[k].offset >= 0) {
        for (std::int64_t c = 0; c < args_.channels; ++c) {
          const T g = grad[c * args_.points];
          product += g * in[c * plane_ + terms[k].offset];
          if (grad_in != nullptr) {
            grad_in[(image + c) * plane_ + terms[k].offset] += g * terms[k].weight;
          }
        }
      }
      // All slopes of kNearest are 0, but the product may be infinite.
      if (args_.mode == GridMode::kNearest) continue;
      for (int d = 0; d < 3; ++d) slopes[d] += product * terms[k].slopes[d];
    }
    if (args_.grad_grid == nullptr) return;
    T* const grad_grid = static_cast<T*>(args_.grad_grid) + i * args_.dims;
    for (int d = 0; d < args_.dims; ++d) grad_grid[d] = slopes[2 - d];
  }

  const GridSampleArgs& args_;
  std::int64_t plane_;
};

void grid_sample(const GridSampleArgs& args, KernelContext& context) {
  run_widened(args, [&](const GridSampleArgs& wide) {
    visit_floating(wide.dtype, context,
                   [&](auto tag) { GridSampler<typename decltype(tag)::type>(wide).run(); });
  });
}

}  // namespace

void register_grid_sample(kernels::KernelTable& table) {
  kernels::set<kernels::GridSampleArgs, grid_sample>(table);
}

}  // namespace tern::cpu
