#include <tern/backends/cuda/device/kernels.h>
#include <tern/backends/cuda/device/launch.h>
#include <tern/core/kernels/optim_formulas.h>

// All tensors of a call in one launch: a block takes kPerBlock elements of one of them.

namespace tern::cuda::device {
namespace {

constexpr int kPerThread = 4;
constexpr int kPerBlock = static_cast<int>(kThreads) * kPerThread;

template <class Args>
unsigned block_count(const Args& args) {
  std::int64_t blocks = 0;
  for (int t = 0; t < args.count; ++t) blocks += (args.numel[t] + kPerBlock - 1) / kPerBlock;
  return static_cast<unsigned>(blocks);
}

// Runs step(tensor, element) for the elements of the calling thread.
template <class Args, class Step>
__device__ void each_element(const Args& args, const Step& step) {
  std::int64_t block = blockIdx.x;
  for (int t = 0; t < args.count; ++t) {
    const std::int64_t blocks = (args.numel[t] + kPerBlock - 1) / kPerBlock;
    if (block < blocks) {
      const std::int64_t first = block * kPerBlock + threadIdx.x;
#pragma unroll
      for (int k = 0; k < kPerThread; ++k) {
        const std::int64_t i = first + k * std::int64_t{kThreads};
        if (i < args.numel[t]) step(t, i);
      }
      return;
    }
    block -= blocks;
  }
}

template <class T>
__device__ void adam_elements(const AdamArgs& args, const AdamNumbers<T>& numbers, unsigned form) {
  each_element(args, [&](int t, std::int64_t i) {
    T* const param = static_cast<T*>(args.param[t]);
    T* const top = static_cast<T*>(args.max_exp_avg_sq[t]);
    T none = 0;
    param[i] = adam_element(form, numbers, param[i], static_cast<const T*>(args.grad[t])[i],
                            static_cast<T*>(args.exp_avg[t])[i],
                            static_cast<T*>(args.exp_avg_sq[t])[i],
                            (form & kAmsgrad) != 0 ? top[i] : none);
  });
}

template <class T>
__device__ void sgd_elements(const SgdArgs& args, const SgdNumbers<T>& numbers) {
  each_element(args, [&](int t, std::int64_t i) {
    T* const param = static_cast<T*>(args.param[t]);
    T* const buffer = static_cast<T*>(args.momentum_buffer[t]);
    T none = 0;
    param[i] = sgd_element(sgd_form(args, t), numbers, param[i],
                           static_cast<const T*>(args.grad[t])[i],
                           buffer != nullptr ? buffer[i] : none);
  });
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    adam_kernel(AdamArgs args, AdamNumbers<T> numbers, unsigned form) {
  adam_elements(args, numbers, form);
}

template <class T>
__global__ void __launch_bounds__(kThreads) sgd_kernel(SgdArgs args, SgdNumbers<T> numbers) {
  sgd_elements(args, numbers);
}

// The same for a graph: what changes between its replays lies on the device. One thread of a block
// computes the numbers for all.

template <class T>
__global__ void __launch_bounds__(kThreads) adam_graph_kernel(AdamArgs args, unsigned form) {
  __shared__ AdamNumbers<T> numbers;
  if (threadIdx.x == 0) {
    const double lr = args.device_lr != nullptr ? *args.device_lr : args.lr;
    double correction1 = args.bias_correction1, correction2 = args.bias_correction2_sqrt;
    if (args.device_step != nullptr) {
      correction1 = 1 - pow(args.beta1, *args.device_step);
      correction2 = sqrt(1 - pow(args.beta2, *args.device_step));
    }
    numbers = adam_numbers<T>(args, lr, correction1, correction2);
  }
  __syncthreads();
  adam_elements(args, numbers, form);
}

template <class T>
__global__ void __launch_bounds__(kThreads) sgd_graph_kernel(SgdArgs args) {
  sgd_elements(args, sgd_numbers<T>(args, *args.device_lr));
}

}  // namespace

void adam(const AdamArgs& args, KernelContext& context) {
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.device_lr != nullptr || args.device_step != nullptr) {
      return launch(context, adam_graph_kernel<T>, block_count(args), kThreads, args,
                    adam_form<T>(args));
    }
    launch(context, adam_kernel<T>, block_count(args), kThreads, args, adam_numbers<T>(args),
           adam_form<T>(args));
  };
  if (args.dtype == kFloat) return run(TypeTag<float>());
  if (args.dtype == kDouble) return run(TypeTag<double>());
  context.status = StatusCode::kUnsupportedDtype;
}

void sgd(const SgdArgs& args, KernelContext& context) {
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.device_lr != nullptr) {
      return launch(context, sgd_graph_kernel<T>, block_count(args), kThreads, args);
    }
    launch(context, sgd_kernel<T>, block_count(args), kThreads, args, sgd_numbers<T>(args, args.lr));
  };
  if (args.dtype == kFloat) return run(TypeTag<float>());
  if (args.dtype == kDouble) return run(TypeTag<double>());
  context.status = StatusCode::kUnsupportedDtype;
}

}  // namespace tern::cuda::device
