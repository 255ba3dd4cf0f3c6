#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"
#include "sanitizer.h"

// Sums of many terms for one element, in float16 and bfloat16, and deterministic algorithms.

namespace tern {
namespace {

constexpr std::int64_t kTerms = 4096;  // float16 reaches 2048 by additions of 1, bfloat16 256

struct Sum {
  std::string name;
  /// Returns what adds up the gradient of `table` [3, 2] in row 1, or the sums themselves.
  std::function<Tensor(const Tensor& table, const Tensor& rows)> of;
};

Tensor gradient_of(const Tensor& table, const std::function<Tensor(const Tensor&)>& op) {
  Tensor leaf = table.detach().requires_grad_();
  const Tensor result = op(leaf);
  result.backward(ones_like(result));
  return leaf.grad();
}

/// Returns `rows` as an index of elements [rows, 2].
Tensor per_element(const Tensor& rows) { return rows.unsqueeze(1).expand({kTerms, 2}); }

const std::vector<Sum> kSums = {
    {"embedding",
     [](const Tensor& table, const Tensor& rows) {
       return gradient_of(table, [&](const Tensor& x) { return embedding(x, rows); });
     }},
    {"embedding_bag",
     [](const Tensor& table, const Tensor& rows) {
       return gradient_of(table, [&](const Tensor& x) {
         return std::get<0>(embedding_bag(x, rows, arange(kTerms, rows.options())));
       });
     }},
    {"one bag",
     [](const Tensor& table, const Tensor& rows) {
       return gradient_of(table, [&](const Tensor& x) {
         return std::get<0>(embedding_bag(x, rows, zeros({1}, rows.options()), false, 0));
       });
     }},
    {"x[index]",
     [](const Tensor& table, const Tensor& rows) {
       return gradient_of(table, [&](const Tensor& x) { return x.index({rows}); });
     }},
    {"x[index, index]",
     [](const Tensor& table, const Tensor& rows) {
       return gradient_of(table, [&](const Tensor& x) {
         return x.t().index({rows - 1, rows}) + x.index({rows, 1});
       });
     }},
    {"index_select",
     [](const Tensor& table, const Tensor& rows) {
       return gradient_of(table, [&](const Tensor& x) { return x.index_select(0, rows); });
     }},
    {"gather",
     [](const Tensor& table, const Tensor& rows) {
       return gradient_of(table, [&](const Tensor& x) { return x.gather(0, per_element(rows)); });
     }},
    {"take",
     [](const Tensor& table, const Tensor& rows) {
       return gradient_of(table,
                          [&](const Tensor& x) { return x.take(rows + 1) + x.take(rows + 2); });
     }},
    {"index_add",
     [](const Tensor& table, const Tensor& rows) {
       return table.index_add(0, rows, table.new_ones({kTerms, 2}));
     }},
    {"scatter_add",
     [](const Tensor& table, const Tensor& rows) {
       return table.scatter_add(0, per_element(rows), table.new_ones({kTerms, 2}));
     }},
    {"scatter_reduce",
     [](const Tensor& table, const Tensor& rows) {
       return table.scatter_reduce(0, per_element(rows), table.new_ones({kTerms, 2}), "sum");
     }},
    {"index_put",
     [](const Tensor& table, const Tensor& rows) {
       return table.index_put({rows}, table.new_ones({kTerms, 2}), true);
     }},
    {"index_put of a number",
     [](const Tensor& table, const Tensor& rows) {
       return table.index_put({rows}, Scalar(1), true);
     }},
    {"put",
     [](const Tensor& table, const Tensor& rows) {
       const Tensor one = table.new_ones({kTerms});
       return table.put(rows + 1, one, true).put(rows + 2, one, true);
     }},
    {"max_pool1d",
     [](const Tensor& table, const Tensor&) {
       // Every window has the element kTerms - 1, which is the largest.
       const Tensor peak = table.new_zeros({1, 2, 2 * kTerms - 1});
       peak.select(2, kTerms - 1).fill_(1);
       const Tensor g =
           gradient_of(peak, [](const Tensor& x) { return max_pool1d(x, {kTerms}, {1}); });
       return stack({table[0], g[0].select(1, kTerms - 1), table[2]});
     }},
    {"grid_sample",
     [](const Tensor& table, const Tensor&) {
       const Tensor image = table.unsqueeze(0).unsqueeze(0);
       const Tensor left = table.new_zeros({1, kTerms, 1, 2}), right = left.clone();
       left.select(3, 0).fill_(-1);
       right.select(3, 0).fill_(1);
       return gradient_of(image,
                          [&](const Tensor& x) {
                            return grid_sampler(x, left, 0, 0, true) +
                                   grid_sampler(x, right, 0, 0, true);
                          })
           .reshape({3, 2});
     }},
};

class IndexSums : public ::testing::TestWithParam<const char*> {
 protected:
  ~IndexSums() override { use_deterministic_algorithms(false); }

  const Device device{GetParam()};
};

TEST_P(IndexSums, OfNarrowFloatsAreRoundedOnce) {
  for (const bool deterministic : {false, true}) {
    use_deterministic_algorithms(deterministic);
    for (const ScalarType dtype : {kBFloat16, kHalf}) {
      for (const Sum& sum : kSums) {
        if (deterministic && sum.name == "grid_sample") continue;
        // As many windows as elements: minutes of the naive kernel.
        if (testing::has_sanitizer() && sum.name == "max_pool1d") continue;
        SCOPED_TRACE(::testing::Message() << sum.name << ' ' << dtype << ' ' << deterministic);
        const Tensor table = zeros({3, 2}, TensorOptions(dtype).device(device));
        const Tensor rows = ones({kTerms}, TensorOptions(kLong).device(device));
        const Tensor want = tensor({{0, 0}, {4096, 4096}, {0, 0}}, dtype);
        const Tensor is = sum.of(table, rows).cpu();
        EXPECT_TRUE(equal(is, want)) << to_string(is);
      }
    }
  }
}

// The rule of the CPU on every device: the last of equal indices, and sums in one order.
TEST_P(IndexSums, DeterministicAlgorithmsGiveTheSameBits) {
  use_deterministic_algorithms(true);
  const TensorOptions on(device);
  const Tensor rows = (arange(1000, kLong) * 7 % 5);
  const Tensor terms = (arange(3000, kFloat) * 0.37).sin().reshape({1000, 3});
  const auto on_both = [&](const char* name, auto&& op) {
    const Tensor here = op(rows, terms), there = op(rows.to(device), terms.to(device)).cpu();
    EXPECT_TRUE(allclose(there, here, 1e-4, 1e-4)) << name;
    EXPECT_TRUE(equal(op(rows.to(device), terms.to(device)).cpu(), there)) << name;
  };
  const auto elements = [](const Tensor& at) { return at.unsqueeze(1).expand({1000, 3}); };
  on_both("scatter", [&](const Tensor& at, const Tensor& x) {
    return x.new_zeros({5, 3}).scatter(0, elements(at), x);
  });
  on_both("index_put", [&](const Tensor& at, const Tensor& x) {
    return x.new_zeros({5, 3}).index_put({at}, x);
  });
  on_both("put", [&](const Tensor& at, const Tensor& x) {
    return x.new_zeros({5, 3}).put(at, x.select(1, 0));
  });
  on_both("scatter_add", [&](const Tensor& at, const Tensor& x) {
    return x.new_zeros({5, 3}).scatter_add(0, elements(at), x);
  });
  on_both("scatter_reduce", [&](const Tensor& at, const Tensor& x) {
    return x.new_ones({5, 3}).scatter_reduce(0, elements(at), x.abs() + 0.7, "prod");
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, IndexSums, ::testing::Values("cpu", "cuda:0"),
                         [](const auto& test) { return std::string(test.param).substr(0, 4); });

class Deterministic : public ::testing::Test {
 protected:
  ~Deterministic() override { use_deterministic_algorithms(false); }
};

TEST_F(Deterministic, IsOffUntilItIsSet) {
  const auto settings = [] {
    return std::pair(are_deterministic_algorithms_enabled(),
                     is_deterministic_algorithms_warn_only_enabled());
  };
  EXPECT_EQ(settings(), std::pair(false, false));
  use_deterministic_algorithms(true);
  EXPECT_EQ(settings(), std::pair(true, false));
  use_deterministic_algorithms(true, true);
  EXPECT_EQ(settings(), std::pair(true, true));
  use_deterministic_algorithms(false, true);
  EXPECT_EQ(settings(), std::pair(false, false));
}

TEST_F(Deterministic, OpsWithoutSuchAnAlgorithmThrow) {
  const auto backward = [](const char* device, std::vector<std::int64_t> sizes) {
    const auto dims = static_cast<std::int64_t>(sizes.size()) - 2;
    std::vector<std::int64_t> points(sizes.size(), 1);
    points.back() = dims;
    const Tensor image = ones(sizes, Device(device)).requires_grad_();
    grid_sampler(image, zeros(points, Device(device)), 0, 0, false).sum().backward();
  };
  use_deterministic_algorithms(true);
  backward("cpu", {1, 1, 2, 2});
  EXPECT_EQ(error_of<Error>([&] {
              backward("cuda:0", {1, 1, 2, 2});
            }),
            "grid_sampler_2d_backward_cuda does not have a deterministic implementation, but you "
            "set 'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for "
            "this operation, or you can use the 'warn_only=True' option, if that's acceptable for "
            "your application.");
  EXPECT_TRUE(error_of<Error>([&] {
                backward("cuda:0", {1, 1, 2, 2, 2});
              }).starts_with("grid_sampler_3d_backward_cuda does not have"));
  use_deterministic_algorithms(true, /*warn_only=*/true);
  backward("cuda:0", {1, 1, 2, 2});
}

}  // namespace
}  // namespace tern
