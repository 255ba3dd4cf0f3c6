#include <algorithm>

#include <gtest/gtest.h>

#include <tern/core/autograd/grad_mode.h>

#include "error_of.h"
#include "ops/op_case.h"

// Tests for every record where ops run, and that they reject tensors on two devices.

namespace tern::testing {
namespace {

class OpDeviceTest : public OpCaseTest {};
class OpMixedDevicesTest : public OpDeviceTest {};
class OpNumbersTest : public OpDeviceTest {};

const Device kPlaces[] = {kCPU, Device(0), Device(1)};

// The state that a rejected call must leave unchanged.
class Snapshot {
 public:
  explicit Snapshot(const std::vector<Tensor>& tensors) : tensors_(tensors) {
    for (const Tensor& tensor : tensors) {
      before_.push_back({tensor.device(), tensor._version(), tensor.use_count(),
                         tensor.detach().to(kCPU, /*non_blocking=*/false, /*copy=*/true)});
    }
  }
  void expect_unchanged() const {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      SCOPED_TRACE("input " + std::to_string(i));
      EXPECT_EQ(tensors_[i].device(), before_[i].device);
      EXPECT_EQ(tensors_[i]._version(), before_[i].version);
      EXPECT_EQ(tensors_[i].use_count(), before_[i].use_count);
      EXPECT_TRUE(tensors_[i].detach().cpu().equal(before_[i].elements));
      EXPECT_TRUE(tensors_[i].is_leaf());
    }
    EXPECT_EQ(cuda::current_device(), device_);
  }

 private:
  struct State {
    Device device;
    std::int64_t version;
    std::size_t use_count;
    Tensor elements;
  };
  const std::vector<Tensor>& tensors_;
  std::vector<State> before_;
  DeviceIndex device_ = cuda::current_device();
};

/// Expects an error. `first` and `second` are devices in the order of the arguments.
void expect_refused(const OpFunction& function, const std::vector<Tensor>& inputs, Device first,
                    Device second) {
  const Snapshot before(inputs);
  const std::string text = error_of<DeviceError>([&] { function(inputs); });
  EXPECT_NE(text.find("Expected all tensors to be on the same device, but found at least two "
                      "devices, " +
                      first.str() + " and " + second.str() + "!"),
            std::string::npos)
      << text;
  before.expect_unchanged();
}

// Returns true if all tensors on the CPU are 0-d, with input `i` on `away` and the others at
// `home`.
bool numbers_join(const Sample& sample, std::size_t i, Device home, Device away) {
  for (std::size_t k = 0; k < sample.size(); ++k) {
    if ((k == i ? away : home).is_cpu() && !sample[k].sizes.empty()) return false;
  }
  return home.is_cpu() || away.is_cpu();
}

TEST_P(OpMixedDevicesTest, RefusesTensorsThatLiveApart) {
  const OpCase& op = GetParam();
  const DeviceGuard guard(1);
  for (const Sample& sample : op.samples) {
    const auto inputs = make_inputs(sample, op.dtypes.front(), Layout::kContiguous);
    for (std::size_t i = 0; sample.size() > 1 && i < sample.size(); ++i) {
      for (const Device home : kPlaces) {
        for (const Device away : kPlaces) {
          if (home == away || numbers_join(sample, i, home, away)) continue;
          SCOPED_TRACE(describe(sample, Layout::kContiguous) + ": input " + std::to_string(i) +
                       " on " + away.str() + ", the others on " + home.str());
          std::vector<Tensor> mixed = to_device(inputs, home);
          mixed[i] = mixed[i].to(away);
          const Device first = i == 0 ? away : home, second = i == 0 ? home : away;
          expect_refused(op.function, require_grad(mixed, sample), first, second);
          if (op.in_place) expect_refused(op.in_place, mixed, first, second);
        }
      }
    }
  }
}

TEST_P(OpNumbersTest, TakesNumbersOfTheHost) {
  const OpCase& op = GetParam();
  for (const Sample& sample : op.samples) {
    const auto inputs = make_inputs(sample, op.dtypes.front(), Layout::kContiguous);
    std::vector<Tensor> mixed;
    bool any_number = false, any_array = false;
    for (const Tensor& input : inputs) {
      mixed.push_back(input.dim() == 0 ? input : input.to("cuda:1"));
      (input.dim() == 0 ? any_number : any_array) = true;
    }
    if (!any_number || !any_array) continue;
    SCOPED_TRACE(describe(sample, Layout::kContiguous));
    if (op.numbers_join) {
      const Tensor result = op.function(mixed);
      EXPECT_EQ(result.device(), Device("cuda:1"));
      EXPECT_EQ(difference(result, op.function(inputs), op.tolerance), "");
    } else {
      const bool number_first = inputs[0].dim() == 0;
      expect_refused(op.function, mixed, number_first ? "cpu" : "cuda:1",
                     number_first ? "cuda:1" : "cpu");
    }
  }
}

TEST_P(OpDeviceTest, RunsWhereItsInputsAre) {
  const OpCase& op = GetParam();
  const Sample& sample = op.samples.front();
  const auto inputs = make_inputs(sample, op.dtypes.front(), Layout::kContiguous);
  for (const int current : {0, 1}) {
    const DeviceGuard guard(current);
    for (const Device place : kPlaces) {
      const Tensor result = op.function(to_device(inputs, place));
      EXPECT_EQ(result.device(), place) << "current device " << current;
      EXPECT_EQ(cuda::current_device(), current);
    }
  }
}

bool has_several_tensors(const OpCase& op) {
  return !op.mixes_devices &&
         std::ranges::any_of(op.samples, [](const Sample& sample) { return sample.size() > 1; });
}

bool has_a_number_and_an_array(const OpCase& op) {
  return std::ranges::any_of(op.samples, [](const Sample& sample) {
    const auto is_number = [](const Input& input) { return input.sizes.empty(); };
    return std::ranges::any_of(sample, is_number) && !std::ranges::all_of(sample, is_number);
  });
}

// A 0-d host tensor may join tensors of a GPU as an operand, but cannot hold their result.
TEST(OpInPlaceDeviceTest, ANumberOfTheHostTakesNoResultOfAGpu) {
  const Tensor there = scalar_tensor(2).to("cuda:0"), mask = ones({}, there.options().dtype(kBool));
  const auto is_refused = [](const Tensor& number, const auto& change) {
    Tensor x = number;
    const std::string text = error_of<DeviceError>([&] { change(x); });
    EXPECT_NE(text.find("Expected all tensors to be on the same device, but found at least two "
                        "devices, cpu and cuda:0!"),
              text.npos)
        << text;
    EXPECT_EQ(number.item<float>(), 1);
  };
  const Tensor leaf = scalar_tensor(1).requires_grad_();
  for (const bool recorded : {false, true}) {
    SCOPED_TRACE(recorded ? "recorded" : "not recorded");
    const auto number = [&] { return recorded ? leaf * 1 : scalar_tensor(1); };
    is_refused(number(), [&](Tensor& x) { x.add_(there); });
    is_refused(number(), [&](Tensor& x) { x.lerp_(there, 0.5); });
    is_refused(number(), [&](Tensor& x) { x.addcmul_(there, there); });
    is_refused(number(), [&](Tensor& x) { x.masked_fill_(mask, 5); });
  }
  is_refused(scalar_tensor(1), [&](Tensor& x) { x.mul_(there.clone().requires_grad_()); });
}

const auto name_of = [](const auto& test) { return test.param.name; };

INSTANTIATE_TEST_SUITE_P(All, OpDeviceTest, ::testing::ValuesIn(all_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(All, OpMixedDevicesTest,
                         ::testing::ValuesIn(cases_where(has_several_tensors)), name_of);
INSTANTIATE_TEST_SUITE_P(All, OpNumbersTest,
                         ::testing::ValuesIn(cases_where(has_a_number_and_an_array)), name_of);

}  // namespace
}  // namespace tern::testing
