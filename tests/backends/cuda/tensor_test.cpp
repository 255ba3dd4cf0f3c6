#include <algorithm>
#include <functional>
#include <sstream>
#include <thread>

#include <tern/tern.h>

#include "backends/cuda/simulated.h"

// The rules of docs/devices.md from the user's view: tensors on two devices.

namespace tern {
namespace {

const Device kFirst("cuda:0"), kSecond("cuda:1");
const Device kPlaces[] = {kCPU, kFirst, kSecond};

const char* const kNoSuchDevice =
    "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs? "
    "cuda:7 was asked for, the number of devices is 2";

TEST(TensorDevice, EveryFactoryTakesADevice) {
  const Tensor like = ones({2, 2});
  for (const Device place : kPlaces) {
    const TensorOptions on = place;
    for (const Tensor& made : {empty({2}, on),
                               empty_strided({2}, {1}, on),
                               zeros({2}, on),
                               ones({2}, on),
                               full({2}, 3, on),
                               eye(2, on),
                               arange(3, on),
                               linspace(0, 1, 3, on),
                               scalar_tensor(1, on),
                               rand({2}, on),
                               randn({2}, on),
                               randint(5, {2}, on),
                               randperm(3, on),
                               tensor({1, 2}, on),
                               tensor(1.5, on),
                               tensor(std::vector<float>{1, 2}, on),
                               empty_like(like, on),
                               zeros_like(like, on),
                               ones_like(like, on),
                               full_like(like, 2, on),
                               rand_like(like, on),
                               randn_like(like, on),
                               randint_like(like, 0, 5, on),
                               like.new_empty({2}, on),
                               like.new_zeros({2}, on),
                               like.new_ones({2}, on),
                               like.new_full({2}, 1, on),
                               like.new_tensor({1, 2}, on),
                               like.new_empty_strided({2}, {3}, on),
                               like.new_tensor(std::vector<int>{1, 2}, on),
                               ones({2}, place.str()),
                               tensor({0.1}, place.str().c_str())}) {
      EXPECT_EQ(made.device(), place);
      EXPECT_EQ(made.get_device(), place.is_cuda() ? place.index() : -1);
      EXPECT_EQ(made.is_cuda(), place.is_cuda());
      EXPECT_EQ(made.is_cpu(), place.is_cpu());
    }
  }
  EXPECT_EQ(error_of<DeviceError>([] { zeros({1}, Device(7)); }), kNoSuchDevice);
}

TEST(TensorDevice, LikeAndNewKeepDeviceAndDtype) {
  const DeviceGuard elsewhere(0);
  const Tensor self = ones({2, 3}, device(kSecond).dtype(kDouble));
  for (const Tensor& made :
       {empty_like(self), zeros_like(self), ones_like(self), full_like(self, 2), rand_like(self),
        randn_like(self), randint_like(self, 0, 5), self.new_empty({2}), self.new_zeros({2}),
        self.new_ones({2}), self.new_full({2}, 1), self.new_tensor({1, 2}),
        self.new_tensor(std::vector<int>{1, 2}), self.new_empty_strided({2}, {3})}) {
    EXPECT_EQ(made.device(), kSecond);
    EXPECT_EQ(made.dtype(), kDouble);
  }
  EXPECT_EQ(zeros_like(self, kCPU).device(), Device(kCPU));
  EXPECT_EQ(self.new_tensor({{1, 2}, {3, 4}}, kLong).sum().item<std::int64_t>(), 10);
}

TEST(TensorDevice, CudaWithoutANumberIsTheCurrentDevice) {
  for (const int current : {0, 1}) {
    const DeviceGuard guard(current);
    const Device here(current);
    EXPECT_EQ(ones({1}, kCUDA).device(), here);
    EXPECT_EQ(ones({1}, Device("cuda")).device(), here);
    EXPECT_EQ(ones({1}).cuda().device(), here);
    EXPECT_EQ(ones({1}).to(kCUDA).device(), here);
    EXPECT_EQ(ones({1}, kFirst).to(kCUDA).device(), here);
  }
}

TEST(TensorDevice, PrintsItsDevice) {
  const auto printed = [](const Tensor& tensor) {
    std::ostringstream out;
    out << tensor;
    return out.str();
  };
  EXPECT_EQ(printed(tensor({1.0, 2.0}, kSecond)), "tensor([1., 2.], device='cuda:1')");
  EXPECT_EQ(printed(tensor({1.0, 2.0})), "tensor([1., 2.])");
}

TEST(TensorTo, ReturnsTheSameTensorWhenNothingChanges) {
  const DeviceGuard guard(1);
  const Tensor x = ones({2}, kSecond);
  for (const Tensor& same :
       {x.to(kSecond), x.to("cuda:1"), x.to("cuda"), x.to(kCUDA), x.to(1), x.to(kFloat),
        x.to(kSecond, kFloat), x.to(x), x.to(x.options()), x.to(TensorOptions()), x.cuda(),
        x.cuda(1), x.cuda("cuda:1"), x.type_as(x)}) {
    EXPECT_TRUE(same.is_same(x));
  }
  EXPECT_FALSE(x.to(kSecond, /*non_blocking=*/false, /*copy=*/true).is_same(x));
}

TEST(TensorTo, CopiesBetweenAnyTwoPlaces) {
  const Tensor values = arange(6, kFloat).view({2, 3});
  for (const Device from : kPlaces) {
    for (const Device to : kPlaces) {
      for (const bool transposed : {false, true}) {
        SCOPED_TRACE(from.str() + " to " + to.str());
        const Tensor source = transposed ? values.to(from).t() : values.to(from);
        const Tensor copy = source.to(to, kDouble);
        EXPECT_EQ(copy.device(), to);
        EXPECT_EQ(copy.strides(), source.strides());
        EXPECT_TRUE(copy.cpu().equal(source.cpu().to(kDouble)));
        // Into a column of another tensor, with broadcast and cast.
        const Tensor target = zeros({3, 4}, device(to).dtype(kLong));
        target.select(1, 2).copy_(values.to(from)[1]);
        EXPECT_EQ(target.sum(0).cpu().to_vector<std::int64_t>(),
                  (std::vector<std::int64_t>{0, 0, 12, 0}));
        EXPECT_EQ(cuda::current_device(), 0);
      }
    }
  }
}

TEST(TensorTo, IsDifferentiable) {
  const Tensor x = ones({2}).requires_grad_();
  const Tensor y = (x.to(kFirst) * 2).to(kSecond, kDouble).cpu();
  EXPECT_EQ(x.to(kFirst).grad_fn()->name(), "ToCopyBackward0");
  y.sum().backward();
  EXPECT_EQ(x.grad().device(), Device(kCPU));
  EXPECT_EQ(x.grad().dtype(), kFloat);
  EXPECT_TRUE(x.grad().equal(full({2}, 2.0)));
}

TEST(TensorTo, RefusesInPyTorchsWords) {
  const Tensor x = ones({1});
  EXPECT_EQ(error_of<DeviceError>([&] { x.to(7); }), kNoSuchDevice);
  EXPECT_EQ(error_of<DeviceError>([&] { x.cuda(7); }), kNoSuchDevice);
  EXPECT_EQ(error_of<DeviceError>([&] {
              x.cuda("cpu");
            }).find("cuda: Invalid device, must be cuda device"),
            0u);
  EXPECT_EQ(error_of<DeviceError>([&] { x.to("cuda:-1"); }), "Invalid device string: 'cuda:-1'");
  EXPECT_EQ(error_of<NotImplementedError>([&] { x.to(kMeta).to(kFirst); }),
            "to: Cannot copy out of meta tensor; no data!");
}

TEST(TensorDevice, ABadIndexIsNamedByTheNextCallThatWaits) {
  const Tensor x = ones({2, 2}, kSecond);
  const Tensor picked = x.index_select(0, tensor({5}, kSecond));
  const std::string text = error_of<IndexError>([&] { cuda::synchronize(1); });
  EXPECT_EQ(text.find("index_select(): index 5 is out of bounds for a dimension of size 2"), 0u)
      << text;
  EXPECT_EQ((x + 1).sum().item<float>(), 8);  // the device still works
}

TEST(CudaGenerator, SeedsReachEveryDevice) {
  const auto draw = [](Device place) { return randn({5}, place).cpu(); };
  manual_seed(3);
  const Tensor first = draw(kFirst), second = draw(kSecond);
  EXPECT_TRUE(first.equal(second));  // the numbers depend on the seed alone
  EXPECT_FALSE(first.equal(draw(kFirst)));
  cuda::manual_seed_all(3);
  EXPECT_TRUE(first.equal(draw(kFirst)) && first.equal(draw(kSecond)));
  const DeviceGuard guard(1);
  cuda::manual_seed(3);
  EXPECT_FALSE(first.equal(draw(kFirst)));
  EXPECT_TRUE(first.equal(draw(kSecond)));
}

// Numbers of 64 bits take two blocks of the generator, numbers of 32 bits one block.
TEST(CudaGenerator, DrawsNoNumberTwice) {
  const auto check = [](const char* name, const std::function<Tensor(Generator)>& draw) {
    Generator generator(kFirst);
    generator.manual_seed(1);
    const Tensor first = draw(generator), second = draw(generator);
    const std::vector<double> drawn = first.cpu().to(kDouble).to_vector<double>();
    for (const double number : second.cpu().to(kDouble).to_vector<double>()) {
      EXPECT_EQ(std::count(drawn.begin(), drawn.end(), number), 0) << name;
    }
  };
  const TensorOptions floats = device(kFirst), doubles = device(kFirst).dtype(kDouble);
  const std::int64_t large = std::int64_t{1} << 60;
  check("rand", [&](const Generator& g) { return rand({7}, g, floats); });
  check("rand, double", [&](const Generator& g) { return rand({7}, g, doubles); });
  check("randn", [&](const Generator& g) { return randn({7}, g, floats); });
  check("randn, double", [&](const Generator& g) { return randn({7}, g, doubles); });
  check("randint", [&](const Generator& g) { return randint(0, 1 << 30, {7}, g, kFirst); });
  check("randint, 64 bits", [&](const Generator& g) { return randint(0, large, {7}, g, kFirst); });
}

TEST(CudaMemory, IsCountedPerDevice) {
  TERN_NEEDS_SIMULATOR();
  cuda::empty_cache();
  cuda::reset_peak_memory_stats(1);
  const std::int64_t before = cuda::memory_allocated(1);
  const auto free_before = cuda::mem_get_info(1).first;
  {
    const Tensor a = empty({1 << 20}, kSecond);  // 4 MiB, from a segment of 20
    EXPECT_EQ(cuda::memory_allocated(1) - before, 4 << 20);
    EXPECT_EQ(cuda::memory_stats(1).live_bytes, cuda::memory_allocated(1));
    EXPECT_EQ(cuda::mem_get_info(1).first, free_before - (20 << 20));
  }
  EXPECT_EQ(cuda::memory_allocated(1), before);
  EXPECT_EQ(cuda::max_memory_allocated(1) - before, 4 << 20);
  EXPECT_EQ(cuda::memory_reserved(1), 20 << 20);
  cuda::empty_cache();
  EXPECT_EQ(cuda::memory_reserved(1), 0);
  EXPECT_EQ(cuda::max_memory_reserved(1), 20 << 20);
  cuda::reset_peak_memory_stats(1);
  EXPECT_EQ(cuda::max_memory_reserved(1), 0);
  EXPECT_EQ(cuda::mem_get_info(1), std::pair(std::int64_t{4} << 30, std::int64_t{4} << 30));
}

TEST(CudaDevice, PeersReachEachOther) {
  const bool reached = cuda::can_device_access_peer(0, 1);
  EXPECT_TRUE(reached || testing::on_gpu());  // not on every machine
  EXPECT_FALSE(cuda::can_device_access_peer(1, 1));
  EXPECT_THROW(cuda::can_device_access_peer(0, 7), DeviceError);
}

TEST(CudaDevice, ThreadsWorkOnDevicesOfTheirOwn) {
  std::vector<std::thread> threads;
  std::vector<Tensor> sums(4);
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      const DeviceGuard guard(static_cast<int>(t % 2));
      Tensor x = zeros({10}, kCUDA);
      for (int i = 0; i < 20; ++i) x = x + static_cast<double>(t);
      sums[t] = x.sum();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < sums.size(); ++t) {
    EXPECT_EQ(sums[t].get_device(), static_cast<int>(t % 2));
    EXPECT_EQ(sums[t].item<float>(), 200 * static_cast<float>(t));
  }
  EXPECT_EQ(cuda::current_device(), 0);
}

}  // namespace
}  // namespace tern
