#include <algorithm>

#include <gtest/gtest.h>

#include <tern/core/tensor/detail/allocator.h>
#include <tern/tern.h>

#include "error_of.h"

// Recorded in-place ops whose rules do not need the old elements write to their own tensor.

namespace tern::testing {
namespace {

using indexing::Slice;

// The op in place, and the same result out of place. `s` has the sizes of x and requires grad.
struct TwoForms {
  const char* name;
  void (*change)(Tensor& x, const Tensor& s);
  Tensor (*result)(const Tensor& x, const Tensor& s);
};

// Two indices that differ.
Tensor some(const Tensor& s) { return tensor({2, 0}).to(s.device()); }
Tensor grid(const Tensor& s) { return some(s).unsqueeze(1).expand({2, s.size(1)}); }
Tensor two(const Tensor& s) { return s.narrow(0, 0, 2); }
Tensor mask(const Tensor& s) { return s.detach() > 0; }
Tensor square_of(const Tensor& s) { return s.mm(s.t()); }

const TwoForms kOps[] = {
    {"index_add_", [](Tensor& x, const Tensor& s) { x.index_add_(0, some(s), two(s), 3); },
     [](const Tensor& x, const Tensor& s) { return x.index_add(0, some(s), two(s), 3); }},
    {"index_copy_", [](Tensor& x, const Tensor& s) { x.index_copy_(0, some(s), two(s)); },
     [](const Tensor& x, const Tensor& s) { return x.index_copy(0, some(s), two(s)); }},
    {"index_fill_, number", [](Tensor& x, const Tensor& s) { x.index_fill_(0, some(s), 7); },
     [](const Tensor& x, const Tensor& s) { return x.index_fill(0, some(s), 7); }},
    {"index_fill_", [](Tensor& x, const Tensor& s) { x.index_fill_(0, some(s), s[0][1]); },
     [](const Tensor& x, const Tensor& s) { return x.index_fill(0, some(s), s[0][1]); }},
    {"index_put_", [](Tensor& x, const Tensor& s) { x.index_put_({some(s)}, two(s)); },
     [](const Tensor& x, const Tensor& s) { return x.index_put({some(s)}, two(s)); }},
    {"index_put_, sum", [](Tensor& x, const Tensor& s) { x.index_put_({some(s)}, two(s), true); },
     [](const Tensor& x, const Tensor& s) { return x.index_put({some(s)}, two(s), true); }},
    {"index_put_, mask", [](Tensor& x, const Tensor& s) { x.index_put_({mask(s)}, s[0][1]); },
     [](const Tensor& x, const Tensor& s) { return x.index_put({mask(s)}, s[0][1]); }},
    {"index_put_, view",
     [](Tensor& x, const Tensor& s) {
       x.index_put_({Slice(), Slice(1, 3)}, s.narrow(1, 0, 2));
     },
     [](const Tensor& x, const Tensor& s) {
       return x.index_put({Slice(), Slice(1, 3)}, s.narrow(1, 0, 2));
     }},
    {"put_", [](Tensor& x, const Tensor& s) { x.put_(some(s), s[1].narrow(0, 0, 2)); },
     [](const Tensor& x, const Tensor& s) { return x.put(some(s), s[1].narrow(0, 0, 2)); }},
    {"scatter_", [](Tensor& x, const Tensor& s) { x.scatter_(0, grid(s), s); },
     [](const Tensor& x, const Tensor& s) { return x.scatter(0, grid(s), s); }},
    {"scatter_, number", [](Tensor& x, const Tensor& s) { x.scatter_(0, grid(s), 7); },
     [](const Tensor& x, const Tensor& s) { return x.scatter(0, grid(s), 7); }},
    {"scatter_add_", [](Tensor& x, const Tensor& s) { x.scatter_add_(0, grid(s), s); },
     [](const Tensor& x, const Tensor& s) { return x.scatter_add(0, grid(s), s); }},
    {"masked_fill_", [](Tensor& x, const Tensor& s) { x.masked_fill_(mask(s), s[0][1]); },
     [](const Tensor& x, const Tensor& s) { return x.masked_fill(mask(s), s[0][1]); }},
    {"masked_scatter_", [](Tensor& x, const Tensor& s) { x.masked_scatter_(mask(s), s); },
     [](const Tensor& x, const Tensor& s) { return x.masked_scatter(mask(s), s); }},
    {"copy_", [](Tensor& x, const Tensor& s) { x.copy_(s[0]); },
     [](const Tensor& x, const Tensor& s) { return x * 0 + s[0]; }},
    {"fill_", [](Tensor& x, const Tensor& s) { x.fill_(s[0][1]); },
     [](const Tensor& x, const Tensor& s) { return x * 0 + s[0][1]; }},
    {"fill_, number", [](Tensor& x, const Tensor&) { x.fill_(7); },
     [](const Tensor& x, const Tensor&) { return x * 0 + 7; }},
    {"zero_", [](Tensor& x, const Tensor&) { x.zero_(); },
     [](const Tensor& x, const Tensor&) { return x * 0; }},
    {"fill_diagonal_", [](Tensor& x, const Tensor&) { x.fill_diagonal_(7); },
     [](const Tensor& x, const Tensor&) {
       return x.masked_fill(eye(x.size(0), x.size(1), x.options()) > 0, 7);
     }},
    {"tril_", [](Tensor& x, const Tensor&) { x.tril_(1); },
     [](const Tensor& x, const Tensor&) { return x.tril(1); }},
    {"triu_", [](Tensor& x, const Tensor&) { x.triu_(-1); },
     [](const Tensor& x, const Tensor&) { return x.triu(-1); }},
    {"cumsum_", [](Tensor& x, const Tensor&) { x.cumsum_(0); },
     [](const Tensor& x, const Tensor&) { return x.cumsum(0); }},
    {"addmm_",
     [](Tensor& x, const Tensor& s) { x.addmm_(s.narrow(1, 0, 1), s.narrow(0, 1, 1), 2, 3); },
     [](const Tensor& x, const Tensor& s) {
       return x.addmm(s.narrow(1, 0, 1), s.narrow(0, 1, 1), 2, 3);
     }},
    {"addr_", [](Tensor& x, const Tensor& s) { x.addr_(s.select(1, 0), s[1], 1, 3); },
     [](const Tensor& x, const Tensor& s) { return x.addr(s.select(1, 0), s[1], 1, 3); }},
    {"addmv_",
     [](Tensor& x, const Tensor& s) {
       Tensor row = x[0];
       row.addmv_(s.t(), s.select(1, 0), 2, 3);
     },
     [](const Tensor& x, const Tensor& s) {
       return cat({x[0].addmv(s.t(), s.select(1, 0), 2, 3).unsqueeze(0), x.slice(0, 1)});
     }},
    {"baddbmm_",
     [](Tensor& x, const Tensor& s) {
       Tensor batch = x.unsqueeze(0);
       batch.baddbmm_(square_of(s).unsqueeze(0), s.unsqueeze(0), 2, 3);
     },
     [](const Tensor& x, const Tensor& s) {
       return x.unsqueeze(0).baddbmm(square_of(s).unsqueeze(0), s.unsqueeze(0), 2, 3).squeeze(0);
     }},
    {"eq_", [](Tensor& x, const Tensor& s) { x.eq_(s); },
     [](const Tensor& x, const Tensor& s) { return x * 0 + (x == s).to(x.dtype()); }},
    {"add_", [](Tensor& x, const Tensor& s) { x.add_(s, 3); },
     [](const Tensor& x, const Tensor& s) { return x.add(s, 3); }},
    {"add_, number", [](Tensor& x, const Tensor&) { x.add_(7); },
     [](const Tensor& x, const Tensor&) { return x.add(7); }},
    {"sub_", [](Tensor& x, const Tensor& s) { x.sub_(s, 3); },
     [](const Tensor& x, const Tensor& s) { return x.sub(s, 3); }},
    {"sub_, number", [](Tensor& x, const Tensor&) { x.sub_(7); },
     [](const Tensor& x, const Tensor&) { return x.sub(7); }},
    {"mul_, number", [](Tensor& x, const Tensor&) { x.mul_(7); },
     [](const Tensor& x, const Tensor&) { return x.mul(7); }},
    {"div_, number", [](Tensor& x, const Tensor&) { x.div_(7); },
     [](const Tensor& x, const Tensor&) { return x.div(7); }},
    {"remainder_, number", [](Tensor& x, const Tensor&) { x.remainder_(0.3); },
     [](const Tensor& x, const Tensor&) { return x.remainder(0.3); }},
    {"fmod_, number", [](Tensor& x, const Tensor&) { x.fmod_(0.3); },
     [](const Tensor& x, const Tensor&) { return x.fmod(0.3); }},
    {"addcmul_", [](Tensor& x, const Tensor& s) { x.addcmul_(s, s, 3); },
     [](const Tensor& x, const Tensor& s) { return x.addcmul(s, s, 3); }},
    {"addcdiv_", [](Tensor& x, const Tensor& s) { x.addcdiv_(s, s[0] + 4, 3); },
     [](const Tensor& x, const Tensor& s) { return x.addcdiv(s, s[0] + 4, 3); }},
    {"lerp_", [](Tensor& x, const Tensor& s) { x.lerp_(s, 0.25); },
     [](const Tensor& x, const Tensor& s) { return x.lerp(s, 0.25); }},
    {"lerp_, weights", [](Tensor& x, const Tensor& s) { x.lerp_(s, s.detach()); },
     [](const Tensor& x, const Tensor& s) { return x.lerp(s, s.detach()); }},
    {"masked_fill_, number", [](Tensor& x, const Tensor& s) { x.masked_fill_(mask(s), 7); },
     [](const Tensor& x, const Tensor& s) { return x.masked_fill(mask(s), 7); }},
    {"neg_", [](Tensor& x, const Tensor&) { x.neg_(); },
     [](const Tensor& x, const Tensor&) { return x.neg(); }},
    {"exp_", [](Tensor& x, const Tensor&) { x.exp_(); },
     [](const Tensor& x, const Tensor&) { return x.exp(); }},
    {"tanh_", [](Tensor& x, const Tensor&) { x.tanh_(); },
     [](const Tensor& x, const Tensor&) { return x.tanh(); }},
    {"round_", [](Tensor& x, const Tensor&) { x.round_(1); },
     [](const Tensor& x, const Tensor&) { return x.round(1); }},
    {"sgn_", [](Tensor& x, const Tensor&) { x.sgn_(); },
     [](const Tensor& x, const Tensor&) { return x.sgn(); }},
    {"frac_", [](Tensor& x, const Tensor&) { x.frac_(); },
     [](const Tensor& x, const Tensor&) { return x.frac(); }},
    {"deg2rad_", [](Tensor& x, const Tensor&) { x.deg2rad_(); },
     [](const Tensor& x, const Tensor&) { return x.deg2rad(); }},
};

// A tensor whose part the op changes: all of it, its transpose, or some columns.
constexpr int kLayouts = 3;

Tensor part_of(const Tensor& whole, int layout) {
  return layout == 0 ? whole : layout == 1 ? whole.t() : whole.narrow(1, 1, whole.size(1) - 2);
}

Tensor whole_from(const Tensor& whole, const Tensor& part, int layout) {
  if (layout == 0) return part;
  if (layout == 1) return part.t();
  return cat({whole.narrow(1, 0, 1), part, whole.narrow(1, whole.size(1) - 1, 1)}, 1);
}

// The result, and the gradients of first and second order.
std::vector<Tensor> with_gradients(const Tensor& result, const std::vector<Tensor>& inputs) {
  const Tensor weights =
      arange(1, result.numel() + 1, result.options().requires_grad(false)).reshape(result.sizes());
  Tensor loss = (result * result * weights).sum();
  for (const Tensor& input : inputs) loss = loss + (input * input).sum();
  std::vector<Tensor> all{result.detach()};
  auto slopes = autograd::grad({loss}, inputs, {}, std::nullopt, /*create_graph=*/true);
  all.insert(all.end(), slopes.begin(), slopes.end());
  Tensor second = (slopes[0] * slopes[0]).sum() + (slopes[1] * slopes[1]).sum();
  const auto curves = autograd::grad({second}, inputs);
  all.insert(all.end(), curves.begin(), curves.end());
  return all;
}

void expect_the_same(const TwoForms& op, int layout, Device device, bool with_history) {
  const DimVector sizes = layout == 1 ? DimVector{4, 3} : DimVector{3, layout == 2 ? 6 : 4};
  const auto numbers = [&](IntArrayRef of, double step) {
    return (arange(of[0] * of[1], kDouble) * step).sin().reshape(of).to(device);
  };
  const Tensor leaf = numbers(sizes, 2.5).requires_grad_();
  const Tensor source = numbers({3, 4}, 1.75).requires_grad_();
  Tensor whole = with_history ? leaf * 1 : leaf.detach().clone();
  const Tensor start = with_history ? leaf : leaf.detach();
  Tensor x = part_of(whole, layout);
  const void* const memory = x.data_ptr();
  const std::int64_t version = x._version();
  op.change(x, source);
  EXPECT_EQ(x.data_ptr(), memory);
  EXPECT_EQ(x._version(), version + 1);
  EXPECT_EQ(whole.storage_offset(), 0);
  const Tensor expected = whole_from(start, op.result(part_of(start, layout), source), layout);
  EXPECT_TRUE(x.detach().equal(part_of(whole, layout).detach()));
  const auto is = with_gradients(whole, {leaf, source});
  const auto should_be = with_gradients(expected, {leaf, source});
  for (std::size_t k = 0; k < is.size(); ++k) {
    SCOPED_TRACE(k);
    EXPECT_TRUE(k == 0 ? is[k].equal(should_be[k]) : is[k].allclose(should_be[k], 1e-12, 1e-12))
        << is[k] << " instead of " << should_be[k];
  }
}

TEST(RecordedInplace, WritesToItsTensorAndAgreesWithTheOtherForm) {
  for (const TwoForms& op : kOps) {
    for (const Device device : {Device("cpu"), Device("cuda:0")}) {
      for (int layout = 0; layout < kLayouts; ++layout) {
        for (const bool with_history : {true, false}) {
          SCOPED_TRACE(detail::text_of(op.name, " on ", device, ", layout ", layout,
                                       with_history ? ", with history" : ""));
          expect_the_same(op, layout, device, with_history);
        }
      }
    }
  }
}

TEST(RecordedInplace, NeedsNoMemoryOfTheSizeOfItsTensor) {
  const auto stats = [] { return detail::allocator_of(kCPU).stats(0); };
  constexpr std::int64_t kRows = 512, kColumns = 8192;
  const Tensor row = ones({kColumns}, kDouble).requires_grad_();
  const Tensor source = row.expand({kRows, kColumns});
  constexpr std::int64_t kBytes = kRows * kColumns * 8;
  for (const TwoForms& op : kOps) {
    const std::string name = op.name;
    // These make their source dense or square it, or add a whole product.
    if (name == "masked_scatter_" || name == "addmv_" || name == "baddbmm_" || name == "addr_") {
      continue;
    }
    SCOPED_TRACE(name);
    Tensor x = source.clone();
    const std::int64_t live = stats().live_bytes, peak = stats().peak_bytes;
    op.change(x, source);
    EXPECT_LT(stats().peak_bytes, std::max(peak, live + kBytes / 2) + 1);
    EXPECT_LT(stats().live_bytes, live + kBytes / 2);
  }
}

TEST(RecordedInplace, ChangesNothingWhenItFails) {
  const Tensor leaf = (arange(12, kDouble).reshape({3, 4}) + 1).requires_grad_();
  const Tensor source = ones({2, 4}, kDouble).requires_grad_();
  const Tensor far = tensor({0, 3}), wide = far.unsqueeze(1).expand({2, 4});
  Tensor x = leaf * 1;
  const Tensor before = x.detach().clone(), needs_x = x.square();
  const auto fails = [&](auto change) {
    EXPECT_THROW(change(), Error);
    EXPECT_TRUE(x.equal(before)) << x;
    EXPECT_EQ(x._version(), 0);
  };
  fails([&] { x.index_add_(0, far, source); });
  fails([&] { x.index_copy_(0, far, source); });
  fails([&] { x.index_fill_(0, far, source[0][0]); });
  fails([&] { x.index_put_({far}, source); });
  fails([&] { x.put_(tensor({0, 12}), source[0].narrow(0, 0, 2)); });
  fails([&] { x.scatter_(0, wide, source); });
  fails([&] { x.scatter_(0, wide, 7); });
  fails([&] { x.scatter_add_(0, wide, source); });
  fails([&] { x.masked_scatter_(x.detach() > 0, source); });
  fails([&] { x.masked_fill_(ones({2, 3, 4}, kBool), source[0][0]); });
  fails([&] { x.copy_(source); });
  fails([&] { x.fill_(source); });
  fails([&] { x.index_add_(0, tensor({0, 1}), source.to(kFloat)); });
  fails([&] { x.addmm_(source, source); });
  fails([&] { x.addmm_(source.t(), source); });
  fails([&] { x.addr_(source[0], source[0]); });
  fails([&] { x.cumsum_(2); });
  EXPECT_EQ(x.grad_fn()->name(), "MulBackward0");
  needs_x.sum().backward();
  EXPECT_TRUE(leaf.grad().equal(2 * leaf.detach()));
}

TEST(RecordedInplace, IsSeenByRulesThatSavedTheOldElements) {
  for (const TwoForms& op : kOps) {
    SCOPED_TRACE(op.name);
    Tensor x = ones({3, 4}, kDouble).requires_grad_() * 2;
    const Tensor source = ones({3, 4}, kDouble).requires_grad_(), early = x.square();
    op.change(x, source);
    EXPECT_NE(error_of([&] { early.sum().backward(); }).find("modified by an inplace operation"),
              std::string::npos);
  }
}

// The golden numbers are PyTorch's.
TEST(RecordedInplace, MayReadItself) {
  const Tensor leaf = tensor({{1., 2.}, {3., 4.}}).requires_grad_();
  const auto expect = [&](auto change, const Tensor& result, const Tensor& slope) {
    Tensor x = leaf * 1;
    const void* const memory = x.data_ptr();
    change(x);
    EXPECT_EQ(x.data_ptr(), memory);
    EXPECT_TRUE(x.equal(result)) << x;
    leaf.mutable_grad().reset();
    (x * tensor({{1., 2.}, {3., 4.}})).sum().backward();
    EXPECT_TRUE(leaf.grad().equal(slope)) << leaf.grad();
  };
  expect([](Tensor& x) { x.fill_(x[0][1]); }, full({2, 2}, 2.), tensor({{0., 10.}, {0., 0.}}));
  expect([](Tensor& x) { x.masked_fill_(x.detach() > 2, x[0][0]); }, tensor({{1., 2.}, {1., 1.}}),
         tensor({{8., 2.}, {0., 0.}}));
  expect([](Tensor& x) { x[0].copy_(x[1]); }, tensor({{3., 4.}, {3., 4.}}),
         tensor({{0., 0.}, {4., 6.}}));
  expect([](Tensor& x) { x.copy_(x.t().clone()); }, tensor({{1., 3.}, {2., 4.}}),
         tensor({{1., 3.}, {2., 4.}}));
}

// The operand has a wider dtype, in which the kernel computes. The golden numbers are PyTorch's.
TEST(RecordedInplace, KeepsTheDtypeOfItsTensor) {
  const Tensor leaf = tensor({1., 2.}).to(kHalf).requires_grad_();
  const Tensor wide = tensor({0.1F, 0.3F}).requires_grad_();
  const auto expect = [&](auto change, const char* node, double first, const Tensor& slope) {
    Tensor x = leaf * 1;
    const void* const memory = x.data_ptr();
    change(x);
    EXPECT_EQ(x.data_ptr(), memory);
    EXPECT_EQ(x.dtype(), kHalf);
    EXPECT_EQ(x.grad_fn()->name(), node);
    EXPECT_NEAR(x[0].item<double>(), first, 1e-3);
    leaf.mutable_grad().reset();
    wide.mutable_grad().reset();
    (x * tensor({1., 2.}).to(kHalf)).sum().backward();
    EXPECT_TRUE(leaf.grad().equal(tensor({1., 2.}).to(kHalf))) << leaf.grad();
    EXPECT_TRUE(wide.grad().allclose(slope)) << wide.grad();
  };
  expect([&](Tensor& x) { x.add_(wide, 3); }, "AddBackward0", 1.3, tensor({3.F, 6.F}));
  expect([&](Tensor& x) { x.addcmul_(wide, wide, 3); }, "AddcmulBackward0", 1.03,
         tensor({0.6F, 3.6F}));
}

// As in PyTorch, an integer tensor gets a history from a value that requires grad.
TEST(RecordedInplace, KeepsTheHistoryWhereAnOpHasNoDerivative) {
  const Tensor value = tensor(2.0).requires_grad_();
  Tensor x = zeros({2}, kLong);
  x.masked_fill_(ones({2}, kBool), value);
  x.bitwise_xor_(tensor({1, 2}));
  x.narrow(0, 0, 1).bitwise_or_(tensor(4));
  EXPECT_TRUE(x.equal(tensor({7, 0}))) << x;
  ASSERT_TRUE(x.grad_fn());
  EXPECT_EQ(x.grad_fn()->name(), "MaskedFillBackward1");
}

}  // namespace
}  // namespace tern::testing
