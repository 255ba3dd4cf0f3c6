#include <array>
#include <type_traits>
#include <vector>

#include <tern/core/kernels/families/order_statistics.h>
#include <tern/core/kernels/families/search.h>
#include <tern/core/kernels/families/sort.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

// Rows in which elements occur several times, with NaN and zeros of both signs.
template <class T>
std::vector<T> elements(std::int64_t count, std::uint64_t seed) {
  Noise noise(seed);
  std::vector<T> list(static_cast<std::size_t>(count));
  for (T& x : list) {
    const std::uint64_t bits = noise.bits();
    x = static_cast<T>(static_cast<int>(bits % 50) - 20);
    if constexpr (testing::kFloating<T>) {
      if (bits % 7 == 0) x = static_cast<T>(noise.uniform(-1, 1));
      if (bits % 31 == 0) x = testing::Limits<T>::quiet_NaN();
      if (bits % 11 == 0) x = static_cast<T>(-0.0F);
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (bits % 13 == 0) x = testing::Limits<T>::max();
      if (bits % 17 == 0) x = testing::Limits<T>::lowest();
    }
  }
  return list;
}

template <class T>
void expect_equal(const std::vector<T>& got, const std::vector<T>& want) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if constexpr (testing::kFloating<T>) {
      ASSERT_EQ(testing::ulps(got[i], static_cast<Number>(want[i])), 0) << "at " << i;
    } else {
      ASSERT_EQ(got[i], want[i]) << "at " << i;
    }
  }
}

constexpr std::array<std::int64_t, 3> kShapes[] = {{1, 1, 1},   {3, 20, 1}, {2, 5, 7},
                                                   {2, 700, 1}, {2, 70, 3}, {1, 9000, 1}};

class Sort : public testing::KernelTest {
 protected:
  template <class T, class Args>
  void check(Args args, std::int64_t count) {
    const auto size = static_cast<std::size_t>(count);
    std::vector<std::int64_t> indices(size), wanted_indices(size);
    std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> values(size),
        wanted(size);
    args.values = values.data();
    args.indices = indices.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.values = wanted.data();
    args.indices = wanted_indices.data();
    testing::run_oracle(args);
    expect_equal(values, wanted);
    EXPECT_EQ(indices, wanted_indices);
  }
};

// Calls visit.operator()<T>(shape, elements).
template <class Visit>
void for_each_input(const Visit& visit) {
  for (const auto& shape : kShapes) {
    testing::for_each_dtype([&]<class T>() {
      // Long rows take other paths, which a sanitizer sees in elements of four and of one byte.
      if (testing::has_sanitizer() && shape[1] > 500 && !std::is_same_v<T, float> &&
          !std::is_same_v<T, std::uint8_t>) {
        return;
      }
      SCOPED_TRACE(::testing::Message()
                   << dtype_of<T>() << ' ' << shape[0] << ' ' << shape[1] << ' ' << shape[2]);
      using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
      std::vector<Stored> in = elements<Stored>(shape[0] * shape[1] * shape[2], 3);
      if constexpr (std::is_same_v<T, bool>) {
        for (Stored& x : in) x &= 1;
      }
      visit.template operator()<T>(shape, in.data());
    });
  }
}

TEST_P(Sort, Rows) {
  for_each_input([&]<class T>(const auto& shape, const void* in) {
    for (const bool descending : {false, true}) {
      const auto [outer, size, inner] = shape;
      check<T>(SortArgs{dtype_of<T>(), descending, outer, size, inner, in, nullptr, nullptr},
               outer * size * inner);
    }
  });
}

TEST_P(Sort, Selected) {
  for_each_input([&]<class T>(const auto& shape, const void* in) {
    const auto [outer, size, inner] = shape;
    const auto select = [&, outer = outer, size = size, inner = inner](
                            OrderStatistic op, std::int64_t k, bool largest) {
      OrderStatisticsArgs args{op, dtype_of<T>(), largest, outer, size, inner, k,
                               in, nullptr,       nullptr};
      check<T>(args, outer * inner * selected_count(args));
    };
    for (const std::int64_t k : {std::int64_t{1}, std::min<std::int64_t>(size, 5),
                                 std::min<std::int64_t>(size, 40), size / 2 + 1}) {
      for (const bool largest : {false, true}) select(OrderStatistic::kTop, k, largest);
      select(OrderStatistic::kRank, k - 1, false);
    }
    for (const OrderStatistic op :
         {OrderStatistic::kMedian, OrderStatistic::kNanMedian, OrderStatistic::kMode}) {
      select(op, 0, false);
    }
  });
}

TEST_P(Sort, RowsOfMatrices) {
  for (const auto& [rows, columns] : {std::array<std::int64_t, 2>{1, 1}, {50, 2}, {300, 1}}) {
    testing::for_each_dtype([&]<class T>() {
      using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
      std::vector<Stored> in(static_cast<std::size_t>(rows * columns));
      Noise noise(5);
      for (Stored& x : in) x = static_cast<Stored>(static_cast<int>(noise.bits() % 2));
      std::vector<std::int64_t> order(static_cast<std::size_t>(rows)), want(order);
      OrderRowsArgs args{dtype_of<T>(), rows, columns, in.data(), order.data()};
      ASSERT_EQ(run(args).status, StatusCode::kOk);
      args.order = want.data();
      testing::run_oracle(args);
      EXPECT_EQ(order, want) << dtype_of<T>();
    });
  }
}

TEST_P(Sort, Search) {
  testing::for_each_dtype([&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      for (const std::int64_t size : {0, 1, 6, 33}) {
        for (const bool shared : {false, true}) {
          constexpr std::int64_t kRows = 3, kCount = 40;
          std::vector<T> sequence(static_cast<std::size_t>(kRows * size));
          std::vector<std::int64_t> sorter(sequence.size());
          for (std::size_t i = 0; i < sequence.size(); ++i) {
            const std::int64_t j = static_cast<std::int64_t>(i) % size;
            sequence[i] = static_cast<T>(static_cast<int>(size - 1 - j) / 2);
            sorter[i] = size - 1 - j;
          }
          const std::vector<T> in = elements<T>(kRows * kCount, 7);
          for (const ScalarType dtype : {kInt, kLong}) {
            std::vector<std::int64_t> out(in.size()), want(in.size());
            SearchArgs args{dtype_of<T>(), dtype,     size % 2 == 0, shared,
                            kRows,         kCount,    size,          sequence.data(),
                            sorter.data(), in.data(), out.data()};
            ASSERT_EQ(run(args).status, StatusCode::kOk);
            args.out = want.data();
            testing::run_oracle(args);
            EXPECT_EQ(out, want) << dtype_of<T>() << ' ' << size;
          }
        }
      }
    }
  });
}

TERN_KERNEL_TESTS(Sort);

}  // namespace
}  // namespace tern
