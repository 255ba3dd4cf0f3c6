#include <cmath>
#include <cstring>
#include <sstream>

#include <gtest/gtest.h>

#include <tern/core/tensor/detail/allocator.h>
#include <tern/tern.h>

#include "golden/golden.h"

// All dtypes, compared with PyTorch (golden/ops/dtypes.json), on the CPU and on a simulated device.

namespace tern {
namespace {

constexpr ScalarType kNarrowDtypes[] = {kHalf, kBFloat16, kInt, kShort, kChar, kByte};
const Device kDevices[] = {Device("cpu"), Device("cuda:1")};

const nlohmann::json& goldens() { return testing::golden("ops/dtypes"); }

/// Returns the dtypes in the order of the golden rows and columns.
std::vector<ScalarType> all_dtypes() {
  std::vector<ScalarType> dtypes;
  for (const nlohmann::json& name : goldens()["dtypes"]) {
    dtypes.push_back(testing::golden_dtype(name));
  }
  return dtypes;
}

constexpr std::uint64_t kNaN = 0x4e614e;

/// Returns the numbers in a text like "n 3c00 0".
std::vector<std::uint64_t> numbers(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::uint64_t> result;
  for (std::string word; words >> word;) {
    result.push_back(word == "n" ? kNaN : std::stoull(word, nullptr, 16));
  }
  return result;
}

Tensor from_bits(const std::vector<std::uint64_t>& bits, ScalarType dtype) {
  Tensor out = empty({static_cast<std::int64_t>(bits.size())}, dtype);
  const std::size_t size = element_size(dtype);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(static_cast<char*>(out.data_ptr()) + i * size, &bits[i], size);
    if (is_floating_point(dtype) && bits[i] == kNaN) {
      out[static_cast<std::int64_t>(i)].fill_(NAN);
    }
  }
  return out;
}

std::vector<std::uint64_t> bits_of(const Tensor& tensor) {
  const Tensor here = tensor.cpu().contiguous(), nan = here.isnan();
  std::vector<std::uint64_t> result(static_cast<std::size_t>(here.numel()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t size = here.element_size();
    std::memcpy(&result[i], static_cast<const char*>(here.data_ptr()) + i * size, size);
    if (nan.data_ptr<bool>()[i]) result[i] = kNaN;
  }
  return result;
}

TEST(Dtypes, PromoteAsPyTorch) {
  const std::vector<ScalarType> dtypes = all_dtypes();
  const std::string letters = goldens()["letters"];
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    const ScalarType a = dtypes[i];
    const std::string promoted = goldens()["promotion"][i], castable = goldens()["can_cast"][i];
    for (std::size_t j = 0; j < dtypes.size(); ++j) {
      const ScalarType b = dtypes[j];
      EXPECT_EQ(promote_types(a, b), dtypes[letters.find(promoted[j])]) << a << ' ' << b;
      EXPECT_EQ(can_cast(a, b), castable[j] == '1') << a << ' ' << b;
      // A comparison uses the common dtype, in which 1 is always 1.
      EXPECT_TRUE((ones({2}, a) == ones({2}, b)).all().item<bool>());
    }
  }
}

// Tensors with dimensions count more than 0-d tensors, and these more than numbers.
TEST(Dtypes, ResultTypeCountsDimensions) {
  const Tensor row = ones({1}, kInt), number = ones({}, kHalf), bytes = ones({2}, kByte);
  EXPECT_EQ(result_type(row, bytes), kInt);
  EXPECT_EQ(result_type(row, ones({}, kLong)), kInt);
  EXPECT_EQ(result_type(row, number), kHalf);  // of a higher category
  EXPECT_EQ(result_type(number, ones({}, kDouble)), kDouble);
  EXPECT_EQ(result_type(row, 1.5), kFloat);
  EXPECT_EQ(result_type(number, 1.5), kHalf);
  EXPECT_EQ(result_type(2, bytes), kByte);
  EXPECT_EQ(result_type(true, 2), kLong);
  EXPECT_THROW(result_type(Tensor(), row), Error);
}

TEST(Dtypes, CastAsPyTorch) {
  const std::vector<ScalarType> dtypes = all_dtypes();
  for (const Device& device : kDevices) {
    for (const nlohmann::json& casts : goldens()["casts"]) {
      const ScalarType from = testing::golden_dtype(casts["from"]);
      const Tensor in = from_bits(numbers(casts["bits"]), from).to(device);
      for (std::size_t j = 0; j < dtypes.size(); ++j) {
        const ScalarType to = dtypes[j];
        SCOPED_TRACE(::testing::Message() << from << " to " << to);
        const std::vector<std::uint64_t> want = numbers(casts["to"][j]);
        EXPECT_EQ(bits_of(in.to(to)), want) << device;
        // Long and strided: several blocks, transposed and with gaps.
        const Tensor many = in.expand({300, in.size(0)}).clone();
        const Tensor down = many.t().to(to);
        EXPECT_EQ(bits_of(down.t()[299]), want);
        const Tensor gaps = zeros({300, in.size(0), 2}, TensorOptions(to).device(device));
        gaps.select(2, 0).copy_(many);
        EXPECT_EQ(bits_of(gaps.select(2, 0)[299]), want);
        EXPECT_EQ(bits_of(gaps.select(2, 1)[299]), std::vector<std::uint64_t>(want.size(), 0));
      }
    }
  }
}

TEST(Dtypes, EveryHalfIsItself) {
  std::vector<std::int16_t> words(1 << 16);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::int16_t>(i);
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    const Tensor all = from_blob(words.data(), {1 << 16}, dtype);
    const Tensor back = all.to(kFloat).to(dtype);
    const auto same = [&](std::size_t i) {
      // NaN keeps its bits, apart from the bit that makes it quiet.
      const auto got =
          static_cast<std::uint16_t>(static_cast<const std::int16_t*>(back.data_ptr())[i]);
      const auto want = static_cast<std::uint16_t>(i);
      const unsigned quiet = dtype == kHalf ? 0x200 : 0x40;
      return got == want ||
             (all[static_cast<std::int64_t>(i)].isnan().item<bool>() && got == (want | quiet));
    };
    for (std::size_t i = 0; i < words.size(); ++i) ASSERT_TRUE(same(i)) << dtype << ' ' << i;
  }
  static_assert(float(Half(65504)) == 65504 && float(Half(1e-7)) == 0x1p-23f);
  static_assert(float(BFloat16(1.00390625f)) == 1 && float(BFloat16(-3e38)) < -2.9e38f);
  static_assert(std::is_trivially_copyable_v<Half> && std::is_trivial_v<BFloat16>);
}

TEST(Dtypes, AreMadeAndRead) {
  for (const ScalarType dtype : kNarrowDtypes) {
    SCOPED_TRACE(dtype);
    EXPECT_TRUE(zeros({2}, dtype).equal(tensor({0, 0}, dtype)));
    EXPECT_TRUE(ones({2}, dtype).equal(full({2}, 1, dtype)));
    EXPECT_TRUE(tensor({{1, 2}, {3, 4}}, dtype).equal(tensor({{1, 2}, {3, 4}})));
    EXPECT_TRUE(arange(1, 7, 2, dtype).equal(tensor({1, 3, 5})));
    EXPECT_EQ(arange(3, dtype).dtype(), dtype);
    EXPECT_EQ(eye(2, dtype).to(kFloat).sum().item<int>(), 2);
    EXPECT_EQ(empty({2, 3}, dtype).nbytes(), 6 * element_size(dtype));
    EXPECT_EQ(tensor(5, dtype).item<int>(), 5);
    EXPECT_EQ(zeros_like(ones({2}, dtype)).dtype(), dtype);
    EXPECT_TRUE(static_cast<bool>(tensor(2, dtype)));
    EXPECT_TRUE(tensor({1.7, -0.0}, dtype).to(kLong).equal(tensor({1, 0})));
    EXPECT_TRUE(zeros({2}, TensorOptions(dtype).device(kMeta)).to(kFloat).is_meta());
  }
  EXPECT_EQ(tensor({0.1}, kHalf).item<float>(), 0.0999755859375f);
  EXPECT_EQ(static_cast<float>(tensor(0.1, kHalf).item<Half>()), 0.0999755859375f);
  EXPECT_EQ(full({1}, 1e6, kHalf).item<float>(), HUGE_VALF);
  EXPECT_EQ(tensor(-1, kByte).item<int>(), 255);
  EXPECT_EQ(full({1}, -1, kByte).data_ptr<std::uint8_t>()[0], 255);
  EXPECT_EQ((tensor({1, -2}, kChar).to_vector<std::int8_t>()), (std::vector<std::int8_t>{1, -2}));
  EXPECT_EQ(tensor({7}, kInt).data_ptr<int>()[0], 7);
  EXPECT_EQ(tensor({7}, kShort).data_ptr<short>()[0], 7);
  EXPECT_EQ(arange(0, 1, 0.1, kHalf)[4].item<float>(), 0.39990234375f);
  const std::pair<std::function<void()>, const char*> wrong[] = {
      {[] { full({1}, 300, kByte); }, "value cannot be converted to type uint8_t without overflow"},
      {[] { full({1}, -256, kByte); }, "value cannot be converted to type uint8_t"},
      {[] { full({1}, 128, kChar); }, "value cannot be converted to type int8_t"},
      {[] { zeros({1}, kShort).fill_(1e5); }, "value cannot be converted to type int16_t"},
      {[] { tensor(3e9, kInt); }, "value cannot be converted to type int32_t"},
      {[] { full({1}, NAN, kInt); }, "value cannot be converted to type int32_t"},
      {[] { zeros({1}, kHalf).data_ptr<float>(); }, "expected scalar type Float but found Half"},
      {[] { zeros({1}, kLong).data_ptr<int>(); }, "expected scalar type Int but found Long"},
  };
  for (const auto& [call, text] : wrong) {
    try {
      call();
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
}

TEST(Dtypes, MoveAsAnyOther) {
  for (const Device& device : kDevices) {
    for (const ScalarType dtype : kNarrowDtypes) {
      SCOPED_TRACE(::testing::Message() << dtype << " on " << device);
      const Tensor x = arange(24, dtype).view({2, 3, 4}).to(device);
      EXPECT_EQ(x.dtype(), dtype);
      EXPECT_TRUE(x.permute({2, 0, 1}).contiguous().cpu().equal(
          arange(24).view({2, 3, 4}).permute({2, 0, 1})));
      EXPECT_TRUE(x.clone().equal(x));
      EXPECT_TRUE(cat({x, x}, 1).select(1, 4).equal(x.select(1, 1)));
      EXPECT_TRUE(x[1].slice(0, 1, 3).cpu().equal(arange(16, 24).view({2, 4})));
      EXPECT_TRUE(x.index_select(1, tensor({2, 0}).to(device)).select(1, 0).equal(x.select(1, 2)));
      EXPECT_TRUE(x.gather(2, tensor({{{3}}}).to(device)).cpu().equal(tensor({{{3}}}, dtype)));
      Tensor y = x.clone();
      y[0].zero_();
      y[1].select(0, 0).fill_(1);
      y.select(2, 3).copy_(full({2, 3}, 2.9));
      const double last = is_floating_point(dtype) ? tensor(2.9, dtype).item<double>() : 2;
      EXPECT_EQ(y.to(kDouble).sum().item<double>(), 3 + 16 + 17 + 18 + 20 + 21 + 22 + 6 * last);
      EXPECT_THROW(x.index_select(0, tensor({2}).to(device)).cpu(), Error);
    }
  }
}

TEST(Dtypes, CompareInTheCommonDtype) {
  for (const ScalarType dtype : kNarrowDtypes) {
    const Tensor a = tensor({1, 2, 3}, dtype), b = tensor({1, 3, 2}, dtype);
    EXPECT_TRUE((a == b).equal(tensor({true, false, false})));
    EXPECT_TRUE((a < b).equal(tensor({false, true, false})));
    EXPECT_TRUE((a >= 2).equal(tensor({false, true, true})));
    EXPECT_TRUE((a != 1.5).all().item<bool>());
    EXPECT_FALSE(a.isnan().any().item<bool>());
    EXPECT_TRUE(a.isfinite().all().item<bool>());
    EXPECT_TRUE(a.allclose(a));
    EXPECT_FALSE(a.allclose(b));
    EXPECT_FALSE(a.equal(b));
  }
  EXPECT_TRUE((tensor({44}, kByte) == 300).item<bool>());
  EXPECT_TRUE((tensor({255}, kByte) == -1).item<bool>());
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    EXPECT_TRUE((tensor({0.1}, dtype) == 0.1).item<bool>());
    EXPECT_FALSE((tensor({NAN}, dtype) == NAN).item<bool>());
    EXPECT_TRUE(tensor({NAN}, dtype).isnan().item<bool>());
    EXPECT_TRUE(tensor({HUGE_VAL}, dtype).isinf().item<bool>());
  }
  EXPECT_TRUE((tensor({2048.}, kHalf) == tensor({2049}, kInt)).item<bool>());
  EXPECT_FALSE((tensor({2048.}) == tensor({2049}, kInt)).item<bool>());
}

TEST(Dtypes, PrintAsPyTorch) {
  const Tensor floating[] = {tensor({0.1, -2.5, 3.0}),
                             tensor({1., 2.}),
                             tensor({1e-4, 6e4}),
                             tensor({double{NAN}, HUGE_VAL, 1.0}),
                             tensor(2.5),
                             empty({0}),
                             zeros({2, 0})};
  const Tensor whole[] = {tensor({1, 20, 100}), tensor({{1}, {0}}), tensor(7), empty({0})};
  for (const nlohmann::json& golden : goldens()["printed"]) {
    const ScalarType dtype = testing::golden_dtype(golden["dtype"]);
    std::vector<std::string> printed;
    if (is_floating_point(dtype)) {
      for (const Tensor& x : floating) printed.push_back(to_string(x.to(dtype)));
    } else {
      for (const Tensor& x : whole) printed.push_back(to_string(x.to(dtype)));
    }
    EXPECT_EQ(printed, golden["texts"].get<std::vector<std::string>>());
  }
  EXPECT_EQ(goldens()["printed"].size(), std::size(kNarrowDtypes));
}

TEST(Dtypes, NarrowIntegersWrapAround) {
  for (const Device& device : kDevices) {
    const auto on = [&](const Tensor& x) { return x.to(device); };
    const Tensor x = on(tensor({1, 2, 3, 100}, kChar)), y = on(tensor({1, 2, 3, 200}, kByte));
    EXPECT_TRUE((x * x).equal(on(tensor({1, 4, 9, 16}, kChar))));
    EXPECT_TRUE((x + 300).equal(on(tensor({45, 46, 47, -112}, kChar))));
    EXPECT_TRUE((-y).equal(on(tensor({255, 254, 253, 56}, kByte))));
    EXPECT_TRUE((~y).equal(on(tensor({254, 253, 252, 55}, kByte))));
    EXPECT_TRUE((x > 300).equal(on(tensor({false, false, false, true}))));  // 300 is 44 here
    EXPECT_TRUE(x.sum().equal(on(tensor(106))));
    EXPECT_TRUE(x.prod().equal(on(tensor(600))));
    EXPECT_TRUE(x.sum(kChar).equal(on(tensor(106, kChar))));
    EXPECT_EQ(y.any().dtype(), kByte);
    EXPECT_EQ(y.all(0).dtype(), kByte);
    EXPECT_TRUE(x.clamp(-300, 300).equal(x));
    EXPECT_EQ((x / 2).dtype(), kFloat);
    EXPECT_EQ((x + y).dtype(), kShort);
  }
  EXPECT_THROW(tensor({1}, kChar).clamp_min(300), Error);
  EXPECT_THROW(tensor({1}, kChar).add(tensor({1}, kChar), 300), Error);
  EXPECT_THROW(tensor({1}, kByte).pow(-1), Error);
}

// As in PyTorch: products and quotients with a number take it exactly, other ops round it first.
TEST(Dtypes, NumbersJoinHalves) {
  for (const Device& device : kDevices) {
    const Tensor x = tensor({1., 3.}, kBFloat16).to(device);
    const float exact = 1.1f, rounded = float(BFloat16(1.1f));
    EXPECT_TRUE((x * 1.1).equal((x.to(kFloat) * exact).to(kBFloat16)));
    EXPECT_TRUE((x + 1.1).equal((x.to(kFloat) + rounded).to(kBFloat16)));
    EXPECT_TRUE((x == x * 1).all().item<bool>());
    EXPECT_TRUE((tensor({1.1}, kBFloat16).to(device) == 1.1).all().item<bool>());
  }
}

TEST(Dtypes, SumsOfHalvesDoNotStopGrowing) {
  for (const Device& device : kDevices) {
    EXPECT_EQ(ones({70000}, TensorOptions(kHalf).device(device)).mean().item<float>(), 1);
    EXPECT_EQ(ones({4096}, TensorOptions(kBFloat16).device(device)).sum().item<float>(), 4096);
    EXPECT_EQ(full({64, 100}, 300, TensorOptions(kHalf).device(device)).var().item<float>(), 0);
    EXPECT_EQ(full({4}, 1000, TensorOptions(kHalf).device(device)).norm().item<float>(), 2000);
  }
}

// The quotient of the smallest integer and -1 does not fit its dtype. In int64 the vectorised
// remainder has a rule for quotients beyond int32.
TEST(Dtypes, RemaindersOfTheSmallestInteger) {
  for (const Device& device : kDevices) {
    for (const ScalarType dtype : {kChar, kShort, kInt, kLong}) {
      const TensorOptions options = TensorOptions(dtype).device(device);
      for (const unsigned bits : {8U, 16U, 32U, 64U}) {
        if (bits > 8 * element_size(dtype)) continue;
        SCOPED_TRACE(::testing::Message()
                     << "-2^" << bits - 1 << " in " << dtype << " on " << device);
        const std::int64_t smallest = std::numeric_limits<std::int64_t>::min() >> (64 - bits);
        const Tensor x = full({1000}, smallest, options);
        const Tensor nothing = zeros({1000}, options), one = ones({1000}, options);
        EXPECT_TRUE(x.remainder(full({1000}, -1, options)).equal(nothing));
        EXPECT_TRUE(x.remainder(-1).equal(nothing));
        EXPECT_TRUE(x.remainder(x).equal(nothing));
        EXPECT_TRUE(one.remainder(x).equal(x + 1));
      }
    }
  }
}

// Kernels convert narrow operands in temporary memory, which may be missing.
TEST(Dtypes, RunningOutOfMemoryIsAnError) {
  const Tensor x = arange(512 * 256, kFloat).sin().to(kHalf).reshape({512, 256});
  for (std::int64_t n = 1; n <= 2; ++n) {  // the result, then the temporary memory
    testing::fail_allocation(n);
    EXPECT_THROW(x.softmax(1), OutOfMemoryError) << n;
    testing::fail_allocation(0);
  }
  EXPECT_TRUE(x.softmax(1).allclose(x.to(kFloat).softmax(1).to(kHalf)));
}

TEST(Dtypes, FactorsOfIntegerMatricesAreTruncated) {
  const Tensor x = ones({2, 2}, kInt);
  EXPECT_TRUE(addmm(x, x, x, 0.5, 1).equal(full({2, 2}, 2, kInt)));
  EXPECT_TRUE(addmm(x, x, x, 2.9, 1).equal(full({2, 2}, 4, kInt)));
  EXPECT_TRUE(addmm(x, x, x, -3.0, 0).equal(full({2, 2}, -3, kInt)));
}

TEST(Dtypes, MixedDtypesArePromoted) {
  for (const Device& device : {Device("cpu"), Device("cuda"), Device("meta")}) {
    for (const ScalarType dtype : kNarrowDtypes) {
      const Tensor x = ones({2, 2}, TensorOptions(dtype).device(device));
      EXPECT_EQ((x + x).dtype(), dtype);
      EXPECT_EQ((x + ones({2, 2}, TensorOptions(kDouble).device(device))).dtype(), kDouble);
    }
  }
  EXPECT_TRUE((tensor({1, 2}, kInt) + tensor({0.5, 0.5})).equal(tensor({1.5, 2.5})));
  EXPECT_EQ(ones({70000}, kByte).sum().item<int>(), 70000);
}

TEST(Dtypes, GradientsOfCastsHaveTheDtypeOfTheLeaf) {
  const Tensor x = tensor({1., 2.}, TensorOptions(kHalf).requires_grad(true));
  (x.to(kFloat) * 3).sum().backward();
  EXPECT_EQ(x.grad().dtype(), kHalf);
  EXPECT_TRUE(x.grad().equal(tensor({3., 3.})));
  EXPECT_THROW(ones({1}, kInt).requires_grad_(), DTypeError);
}

}  // namespace
}  // namespace tern
