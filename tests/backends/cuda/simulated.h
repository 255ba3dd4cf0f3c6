#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/cuda/host/loader.h>
#include <tern/core/base/error.h>
#include <tern/core/kernels/families/fill.h>
#include <tern/core/kernels/families/random.h>
#include <tern/core/tensor/generator.h>

#include "error_of.h"
#include "simulated_devices.h"

namespace tern::testing {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// The host type for elements of T, because vector<bool> has no addresses.
template <class T>
using Values = std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;

/// An array in device memory, filled with values of the host.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const Values<T>& values, DeviceIndex device = 0)
      : device_(kCUDA, device), size_(values.size()) {
    data_ = static_cast<T*>(cuda::cuda_backend().allocator().allocate(bytes(), device));
    write(values.data());
  }
  DeviceArray(std::size_t size, T value, DeviceIndex device = 0)
      : DeviceArray(Values<T>(size, value), device) {}
  ~DeviceArray() { cuda::cuda_backend().allocator().deallocate(data_, bytes(), device_.index()); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  Device device() const { return device_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  void write(const void* values, bool non_blocking = false) {
    cuda::cuda_backend().copy_bytes(data_, device_, values, kCPU, bytes(), non_blocking);
  }
  Values<T> read() const {
    Values<T> values(size_);
    cuda::cuda_backend().copy_bytes(values.data(), kCPU, data_, device_, bytes(), false);
    return values;
  }

 private:
  Device device_;
  std::size_t size_;
  T* data_;
};

/// upload<float>({1, 2}): an array with these values.
template <class T>
DeviceArray<T> upload(const Values<T>& values, DeviceIndex device = 0) {
  return DeviceArray<T>(values, device);
}

/// Queues a kernel on the current stream of a device and returns how the launch ended.
template <class Args>
kernels::KernelContext launch(const Args& args, DeviceIndex device = 0) {
  cuda::CudaBackend& backend = cuda::cuda_backend();
  kernels::KernelContext context;
  context.device = device;
  context.stream = backend.stream(device);
  context.message[0] = '\0';
  backend.kernels()[kernels::SlotOf<Args>::slot](&args, &context);
  return context;
}

/// The arguments that fill a contiguous array.
inline kernels::FillArgs fill_args(float* data, std::int64_t count, float value) {
  kernels::FillArgs args{};
  args.out.data = data;
  args.out.dtype = kFloat;
  args.out.ndim = 1;
  args.out.sizes[0] = count;
  args.out.strides[0] = 1;
  args.value = {value, 0};
  return args;
}

/// Fills an array by a kernel on the current stream of its device.
inline void fill(const DeviceArray<float>& array, float value) {
  const kernels::KernelContext context =
      launch(fill_args(array.data(), 1, value), array.device().index());
  if (context.status != kernels::StatusCode::kOk) throw DeviceError(context.message);
}

/// Draws one uniform number from a generator by a kernel on the current stream of its device.
inline void draw(float* out, Generator& generator) {
  kernels::RandomArgs args{};
  args.op = kernels::RandomOp::kUniform;
  args.dtype = kFloat;
  args.out = out;
  args.count = 1;
  args.b = 1;
  kernels::reserve_numbers(generator, 1, args);
  launch(args, generator.device().index());
}

/// Returns the first element in its present state: reads on a stream that waits for no other
/// stream.
inline float peek(const DeviceArray<float>& array) {
  const cuda::StreamGuard guard(cuda::getStreamFromPool(true, array.device().index()));
  return array.read()[0];
}

}  // namespace tern::testing
