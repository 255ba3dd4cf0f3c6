#include <tern/core/autograd/grad_mode.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

/// Appends the rows `first` to `end` of keys and values to a layer.
std::tuple<Tensor, Tensor> append(nn::KVCache& cache, const Tensor& keys, const Tensor& values,
                                  std::int64_t first, std::int64_t end, std::int64_t layer = 0) {
  return cache.update(layer, keys.narrow(2, first, end - first),
                      values.narrow(2, first, end - first));
}

void expect_rows(const std::tuple<Tensor, Tensor>& got, const Tensor& keys, const Tensor& values,
                 std::int64_t rows) {
  EXPECT_TRUE(same_bits(std::get<0>(got), keys.narrow(2, 0, rows)));
  EXPECT_TRUE(same_bits(std::get<1>(got), values.narrow(2, 0, rows)));
}

TEST(KVCache, ReturnsAllRows) {
  for (const std::optional<StrictInt> max_length : {std::optional<StrictInt>(), {StrictInt(9)}}) {
    for (const Device device : {Device("cpu"), Device("cuda:1")}) {
      for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
        nn::KVCache cache(2, max_length);
        const Tensor k = randn({2, 3, 9, 4}).to(device, dtype);
        const Tensor v = randn({2, 3, 9, 5}).to(device, dtype);
        expect_rows(append(cache, k, v, 0, 3), k, v, 3);
        expect_rows(append(cache, v, k, 0, 2, 1), v, k, 2);
        for (std::int64_t t = 3; t < 9; ++t) {
          EXPECT_EQ(cache.length(), t);
          expect_rows(append(cache, k, v, t, t + 1), k, v, t + 1);
        }
        expect_rows(append(cache, k, v, 9, 9), k, v, 9);
        EXPECT_EQ(cache.length(1), 2);
        EXPECT_EQ(cache.num_layers(), 2);
        EXPECT_EQ(cache.max_length().has_value(), max_length.has_value());
      }
    }
  }
}

TEST(KVCache, CanGetAnotherMaxLength) {
  nn::KVCache cache(2, 4);
  const Tensor k = randn({1, 2, 9, 4}), v = randn({1, 2, 9, 5});
  append(cache, k, v, 0, 4);
  cache.set_max_length(9);
  EXPECT_EQ(cache.max_length(), 9);
  expect_rows(append(cache, k, v, 4, 6), k, v, 6);
  const void* const buffer = std::get<0>(append(cache, k, v, 6, 8)).data_ptr();
  const auto rows = append(cache, k, v, 8, 9);
  EXPECT_EQ(std::get<0>(rows).data_ptr(), buffer);
  expect_rows(rows, k, v, 9);
  EXPECT_EQ(error_of([&] { cache.set_max_length(8); }),
            "nn::KVCache: max_length must be at least the 9 rows in the cache, got 8");
  EXPECT_EQ(error_of([&] { cache.set_max_length(0); }),
            "nn::KVCache: max_length must be greater than 0, got 0");
  cache.crop(3);
  cache.set_max_length(5);
  expect_rows(append(cache, k, v, 3, 5), k, v, 5);
  EXPECT_THROW(append(cache, k, v, 5, 6), ShapeError);
}

TEST(KVCache, GrowsByDoubling) {
  nn::KVCache cache(1);
  const Tensor row = randn({1, 1, 1, 2});
  int moves = 0;
  const void* buffer = nullptr;
  for (int step = 0; step < 1000; ++step) {
    const auto [keys, values] = cache.update(0, row, row);
    if (keys.data_ptr() != buffer) ++moves;
    buffer = keys.data_ptr();
  }
  EXPECT_LE(moves, 10);
  nn::KVCache fixed(1, 1000);
  buffer = std::get<0>(fixed.update(0, row, row)).data_ptr();
  for (int step = 1; step < 1000; ++step) {
    ASSERT_EQ(std::get<0>(fixed.update(0, row, row)).data_ptr(), buffer);
  }
}

TEST(KVCache, RefusesRowsThatDoNotFit) {
  nn::KVCache cache(2, 6);
  const Tensor k = randn({2, 3, 5, 4}), v = randn({2, 3, 5, 5});
  cache.update(0, k, v);
  const auto text = [&](const Tensor& keys, const Tensor& values, std::int64_t layer = 0) {
    const std::string error = error_of([&] { cache.update(layer, keys, values); });
    EXPECT_EQ(cache.length(), 5);
    EXPECT_EQ(cache.length(1), 0);
    return error;
  };
  EXPECT_TRUE(
      has_text(text(k, v), "nn::KVCache: layer 0 has 5 of at most 6 rows, so 5 more do not fit"));
  EXPECT_TRUE(has_text(text(randn({2, 3, 7, 4}), randn({2, 3, 7, 4}), 1),
                       "layer 1 has 0 of at most 6 rows, so 7 more do not fit"));
  EXPECT_TRUE(has_text(text(k, v, 2), "layer 2 is out of range for 2 layers"));
  EXPECT_TRUE(has_text(text(k, v, -1), "layer -1 is out of range for 2 layers"));
  const auto one = [](const Tensor& t) { return t.narrow(2, 0, 1); };
  EXPECT_TRUE(has_text(text(one(k), v),
                       "expected keys [B, H, T, E] and values [B, H, T, Ev], got [2, 3, 1, 4] and "
                       "[2, 3, 5, 5]"));
  EXPECT_TRUE(has_text(text(k[0], v[0]), "expected keys [B, H, T, E]"));
  EXPECT_TRUE(has_text(text(randn({1, 3, 1, 4}), randn({1, 3, 1, 5})),
                       "keys of layer 0 have the sizes [2, 3, 5, 4], which rows of sizes "
                       "[1, 3, 1, 4] do not fit"));
  EXPECT_TRUE(
      has_text(text(one(k), randn({2, 3, 1, 4})), "values of layer 0 have the sizes [2, 3, 5, 5]"));
  EXPECT_TRUE(
      has_text(text(one(k).to(kHalf), one(v).to(kHalf)), "keys of layer 0 are Float, got Half"));
  EXPECT_TRUE(has_text(text(one(k).to("cuda:1"), one(v).to("cuda:1")),
                       "keys of layer 0 are on cpu, got rows on cuda:1"));
  const Tensor leaf = one(k).clone().requires_grad_();
  EXPECT_TRUE(has_text(text(leaf, one(v)),
                       "a cache records no gradients, but the rows require grad: call the model "
                       "under NoGradGuard, or detach() the rows"));
  EXPECT_TRUE(
      has_text(error_of([] { nn::KVCache(0); }), "num_layers must be greater than 0, got 0"));
  EXPECT_TRUE(has_text(error_of([] { nn::KVCache(std::int64_t{1} << 62); }),
                       "num_layers must be at most 1000000, got 4611686018427387904"));
  EXPECT_TRUE(
      has_text(error_of([] { nn::KVCache(1, 0); }), "max_length must be greater than 0, got 0"));
  const NoGradGuard no_grad;
  EXPECT_FALSE(std::get<0>(cache.update(0, leaf, one(v))).requires_grad());
}

TEST(KVCache, StartsAgain) {
  nn::KVCache cache(2, 6);
  const Tensor k = randn({2, 3, 6, 4}), v = randn({2, 3, 6, 4});
  const Tensor keys = std::get<0>(append(cache, k, v, 0, 5));
  append(cache, k, v, 0, 2, 1);
  cache.crop(3);
  EXPECT_EQ(cache.length(0), 3);
  EXPECT_EQ(cache.length(1), 2);
  expect_rows(append(cache, k, v, 3, 6), k, v, 6);
  cache.reset();
  EXPECT_EQ(cache.length(), 0);
  EXPECT_EQ(std::get<0>(append(cache, k, v, 0, 1)).data_ptr(), keys.data_ptr());
  cache.reset();
  const Tensor other = randn({1, 2, 4, 8}, kDouble);  // another batch, and another dtype
  expect_rows(cache.update(0, other, other), other, other, 4);
  EXPECT_TRUE(has_text(error_of([&] { cache.crop(-1); }), "must not be negative, got -1"));
}

TEST(KVCache, ReordersSamples) {
  nn::KVCache cache(2, 6);
  const Tensor k = randn({3, 2, 6, 4}), v = randn({3, 2, 6, 5});
  append(cache, k, v, 0, 4);
  const Tensor rows = tensor({2, 0, 0, 1});
  cache.reorder(rows);
  EXPECT_EQ(cache.length(), 4);
  EXPECT_EQ(cache.length(1), 0);
  const Tensor other_k = k.index_select(0, rows), other_v = v.index_select(0, rows);
  expect_rows(append(cache, other_k, other_v, 4, 6), other_k, other_v, 6);
  EXPECT_NE(error_of<IndexError>([&] { cache.reorder(tensor({0, 4})); }), "");
  EXPECT_EQ(cache.length(), 6);
  EXPECT_EQ(std::get<0>(cache.update(0, ones({4, 2, 0, 4}), ones({4, 2, 0, 5}))).size(0), 4);
}

TEST(KVCache, MovesAndCopies) {
  nn::KVCache cache(1);
  const Tensor k = randn({2, 2, 6, 4}), v = randn({2, 2, 6, 5});
  append(cache, k, v, 0, 3);
  nn::KVCache copy = cache.clone();
  append(copy, v.narrow(3, 0, 4), k.repeat({1, 1, 1, 2}).narrow(3, 0, 5), 3, 5);
  EXPECT_EQ(copy.length(), 5);
  EXPECT_EQ(cache.length(), 3);
  expect_rows(append(cache, k, v, 3, 4), k, v, 4);
  cache.to("cuda:1");
  const Tensor there_k = k.to("cuda:1"), there_v = v.to("cuda:1");
  expect_rows(append(cache, there_k, there_v, 4, 6), there_k, there_v, 6);
  const nn::KVCache moved = std::move(cache);
  EXPECT_EQ(moved.length(), 6);
}

TEST(KVCache, TakesAnEmptyBatch) {
  nn::KVCache cache(1);
  const Tensor k = ones({0, 2, 3, 4});
  EXPECT_EQ(std::get<0>(cache.update(0, k, k)).sizes(), k.sizes());
  EXPECT_EQ(std::get<0>(cache.update(0, k, k)).sizes(), IntArrayRef({0, 2, 6, 4}));
}

}  // namespace
}  // namespace tern
