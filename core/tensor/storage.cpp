#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include <tern/core/tensor/detail/allocator.h>
#include <tern/core/tensor/detail/inference.h>
#include <tern/core/tensor/storage.h>

namespace tern {

constinit thread_local bool detail::in_inference_mode = false;

namespace {

/// What kernels made of the contents of storages. Few storages have any, so that it lies outside of
/// them.
struct DerivedOfStorages {
  std::mutex mutex;
  std::unordered_map<const Storage*, IntrusivePtr<RefCounted>> table;
};

DerivedOfStorages& derived_of_storages() {
  static auto* const all = new DerivedOfStorages;  // never freed: a storage may be freed at exit
  return *all;
}

}  // namespace

Storage::Storage(std::size_t bytes, Device device)
    : data_(nullptr),
      bytes_(bytes),
      deleter_(nullptr),
      context_(nullptr),
      device_(device),
      foreign_(false),
      inference_(detail::in_inference_mode) {
  if (bytes != 0) data_ = detail::allocator_of(device.type()).allocate(bytes, device.index());
}

Storage::Storage(std::size_t bytes, Allocator& allocator)
    : data_(bytes == 0 ? nullptr : allocator.allocate(bytes, -1)),
      bytes_(bytes),
      deleter_(nullptr),
      context_(&allocator),
      device_(kCPU),
      foreign_(false),
      pinned_(true),
      inference_(detail::in_inference_mode) {}

Storage::Storage(void* data, std::size_t bytes, Device device, Deleter deleter, void* context)
    : data_(data),
      bytes_(bytes),
      deleter_(deleter),
      context_(context),
      device_(device),
      foreign_(true),
      inference_(detail::in_inference_mode) {}

Storage::Storage(const IntrusivePtr<Storage>& other)
    : data_(other->data_),
      bytes_(other->bytes_),
      deleter_([](void*, void* context) { static_cast<Storage*>(context)->release(); }),
      context_(const_cast<Storage*>(&other->owner())),
      device_(other->device_),
      foreign_(true),
      pinned_(other->pinned_),
      shared_(true),
      inference_(other->inference_) {
  static_cast<Storage*>(context_)->retain();
}

Storage::~Storage() {
  if (has_derived_) forget_derived();
  if (foreign_) {
    if (deleter_ != nullptr) deleter_(data_, context_);
  } else if (bytes_ != 0) {
    Allocator& owner =
        pinned_ ? *static_cast<Allocator*>(context_) : detail::allocator_of(device_.type());
    owner.deallocate(data_, bytes_, device_.index());
  }
}

void Storage::keep_derived(IntrusivePtr<RefCounted> derived) {
  auto& [mutex, table] = derived_of_storages();
  IntrusivePtr<RefCounted> before;  // is freed outside the lock
  const std::lock_guard lock(mutex);
  before = std::exchange(table[this], std::move(derived));
  has_derived_ = true;
}

IntrusivePtr<RefCounted> Storage::derived() const {
  auto& [mutex, table] = derived_of_storages();
  const std::lock_guard lock(mutex);
  const auto found = table.find(this);
  return found == table.end() ? nullptr : found->second;
}

void Storage::forget_derived() noexcept {
  auto& [mutex, table] = derived_of_storages();
  IntrusivePtr<RefCounted> before;  // is freed outside the lock
  const std::lock_guard lock(mutex);
  const auto found = table.find(this);
  before = std::move(found->second);
  table.erase(found);
  has_derived_ = false;
}

void Storage::swap_memory(Storage& other) noexcept {
  if (has_derived_) forget_derived();
  if (other.has_derived_) other.forget_derived();
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(deleter_, other.deleter_);
  std::swap(context_, other.context_);
  std::swap(device_, other.device_);
  std::swap(foreign_, other.foreign_);
  std::swap(pinned_, other.pinned_);
  std::swap(shared_, other.shared_);
}

void* Storage::operator new(std::size_t size) { return detail::allocate_object(size); }
void Storage::operator delete(void* pointer, std::size_t size) noexcept {
  detail::free_object(pointer, size);
}

namespace detail {
namespace {

constexpr std::size_t kStep = 64;    // sizes are rounded up to a multiple
constexpr std::size_t kClasses = 8;  // so objects of up to 512 bytes are recycled
constexpr std::size_t kKept = 4096;  // free objects per class and thread

struct FreeObject {
  FreeObject* next;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kRecycle = false;  // lets the sanitizers see every object
#else
constexpr bool kRecycle = true;
#endif

struct Cache {
  FreeObject* lists[kClasses] = {};
  std::size_t counts[kClasses] = {};
  ~Cache();
};

// Thread-locals die in an unspecified order; objects freed later go straight back to the heap.
thread_local bool cache_is_gone = false;
thread_local Cache cache;

Cache::~Cache() {
  cache_is_gone = true;
  for (FreeObject* list : lists) {
    while (list != nullptr) ::operator delete(std::exchange(list, list->next));
  }
}

}  // namespace

void* allocate_object(std::size_t size) {
  const std::size_t index = (size - 1) / kStep;
  if (kRecycle && index < kClasses && !cache_is_gone) {
    if (FreeObject* object = cache.lists[index]) {
      cache.lists[index] = object->next;
      --cache.counts[index];
      return object;
    }
    return ::operator new((index + 1) * kStep);
  }
  return ::operator new(size);
}

void free_object(void* pointer, std::size_t size) noexcept {
  const std::size_t index = (size - 1) / kStep;
  if (kRecycle && index < kClasses && !cache_is_gone && cache.counts[index] < kKept) {
    auto* object = static_cast<FreeObject*>(pointer);
    object->next = cache.lists[index];
    cache.lists[index] = object;
    ++cache.counts[index];
    return;
  }
  ::operator delete(pointer);
}

}  // namespace detail
}  // namespace tern
