#include <tern/nn/module/lazy_tensor.h>

#include <atomic>
#include <mutex>
#include <unordered_map>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/create/creation.h>

namespace tern::nn {

namespace {

/// The uninitialized tensors of all modules. They are kept, so that no other tensor gets the
/// address of a listed one; those that nobody else holds are dropped when the next one is made.
struct LazyTensors {
  std::mutex mutex;
  std::unordered_map<const TensorImpl*, Tensor> map;
  std::atomic<std::size_t> count{0};  // most programs have none, and ask without the mutex
};

LazyTensors& lazy_tensors() {
  static LazyTensors* const tensors =
      new LazyTensors();  // outlives modules that are static objects
  return *tensors;
}

}  // namespace

bool is_lazy(const Tensor& tensor) {
  LazyTensors& lazy = lazy_tensors();
  if (lazy.count.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard<std::mutex> lock(lazy.mutex);
  return lazy.map.contains(tensor.unsafeGetTensorImpl());
}

Tensor detail::make_lazy(const TensorOptions& options) {
  Tensor tensor = empty({0}, options);
  LazyTensors& lazy = lazy_tensors();
  const std::lock_guard<std::mutex> lock(lazy.mutex);
  std::erase_if(lazy.map, [](const auto& item) { return item.second.use_count() == 1; });
  lazy.map.emplace(tensor.unsafeGetTensorImpl(), tensor);
  lazy.count.store(lazy.map.size(), std::memory_order_release);
  return tensor;
}

void detail::forget_lazy(const Tensor& tensor) {
  LazyTensors& lazy = lazy_tensors();
  if (lazy.count.load(std::memory_order_acquire) == 0) return;
  const std::lock_guard<std::mutex> lock(lazy.mutex);
  lazy.map.erase(tensor.unsafeGetTensorImpl());
  lazy.count.store(lazy.map.size(), std::memory_order_release);
}

void detail::materialize(const Tensor& tensor, IntArrayRef sizes) {
  if (!is_lazy(tensor)) return;
  const NoGradGuard no_grad;
  tensor.set_data(empty(sizes, tensor.options()));
  forget_lazy(tensor);
}

void detail::check_not_lazy(const Tensor& tensor, const char* user) {
  TERN_CHECK(!is_lazy(tensor), Error, "Attempted to use an uninitialized parameter in ", user,
             ". This error happens when you are using a lazy module. Call `forward` with a dummy "
             "batch to initialize the parameters before calling tern functions");
}

}  // namespace tern::nn
