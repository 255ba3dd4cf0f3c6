#include <tern/core/autograd/autocast.h>

#include <memory>
#include <unordered_map>

#include <tern/core/autograd/detail/autocast_mode.h>
#include <tern/core/autograd/grad_mode.h>

namespace tern::detail {

constinit thread_local AutocastMode autocast_mode;

namespace {

struct CachedCast {
  Tensor source, cast;  // the source, so that no other tensor gets its address
};

// Made by the first cast that is cached.
thread_local std::unique_ptr<std::unordered_map<const TensorImpl*, CachedCast>> autocast_cache;
thread_local int autocast_nesting = 0;

bool is_cached_kind(const Tensor& tensor, ScalarType dtype) {
  return autocast_mode.cache_enabled && tensor.dtype() == kFloat && tensor.requires_grad() &&
         tensor.is_leaf() && !tensor.is_view() &&
         dtype == autocast_mode.dtypes[static_cast<int>(tensor.device().type())];
}

DeviceType checked_autocast_type(DeviceType type) {
  TERN_CHECK(autocast::is_autocast_available(type), DeviceError,
             "User specified an unsupported autocast device_type '", type, "'");
  return type;
}

void check_autocast_dtype(DeviceType type, ScalarType dtype) {
  const bool is_known = dtype == kHalf || dtype == kBFloat16 || (type == kCUDA && dtype == kFloat);
  const char* name = type == kCPU ? "CPU" : "CUDA";
  TERN_CHECK(is_known, DTypeError, "In ", name, " autocast, but the target dtype ", dtype,
             " is not supported. ", name,
             " Autocast only supports dtypes of torch.bfloat16, torch.float16",
             type == kCUDA ? ", torch.float32" : "", " currently.");
}

}  // namespace

Tensor autocast_to(const Tensor& tensor, ScalarType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  if (!is_cached_kind(tensor, dtype)) return tensor.to(dtype);
  if (!autocast_cache) {
    autocast_cache = std::make_unique<std::unordered_map<const TensorImpl*, CachedCast>>();
  }
  CachedCast& entry = (*autocast_cache)[&tensor.self()];
  // A cast without history does not serve where gradients are recorded.
  const bool serves = entry.cast.defined() && entry.cast.dtype() == dtype &&
                      (entry.cast.requires_grad() || !GradMode::records());
  if (!serves) entry = {tensor, tensor.to(dtype)};
  return entry.cast;
}

AutocastRegion::AutocastRegion(const AutocastMode& mode) : mode_(mode) {
  autocast::increment_nesting();
}
AutocastRegion::~AutocastRegion() {
  if (autocast::decrement_nesting() == 0) autocast::clear_cache();
}

}  // namespace tern::detail

namespace tern::autocast {

using detail::autocast_mode;

bool is_autocast_available(DeviceType device_type) {
  return device_type == kCPU || device_type == kCUDA;
}

bool is_autocast_enabled(DeviceType device_type) {
  return autocast_mode.is_enabled(detail::checked_autocast_type(device_type));
}

void set_autocast_enabled(DeviceType device_type, StrictBool enabled) {
  autocast_mode.set_enabled(detail::checked_autocast_type(device_type), enabled);
}

ScalarType get_autocast_dtype(DeviceType device_type) {
  return autocast_mode.dtypes[static_cast<int>(detail::checked_autocast_type(device_type))];
}

void set_autocast_dtype(DeviceType device_type, ScalarType dtype) {
  detail::checked_autocast_type(device_type);
  detail::check_autocast_dtype(device_type, dtype);
  autocast_mode.dtypes[static_cast<int>(device_type)] = dtype;
}

void clear_cache() { detail::autocast_cache.reset(); }
int increment_nesting() { return ++detail::autocast_nesting; }
int decrement_nesting() { return --detail::autocast_nesting; }
bool is_autocast_cache_enabled() { return autocast_mode.cache_enabled; }
void set_autocast_cache_enabled(StrictBool enabled) { autocast_mode.cache_enabled = enabled; }

}  // namespace tern::autocast

namespace tern::amp {

using detail::autocast_mode;

Autocast::Autocast(Device device, std::optional<ScalarType> dtype, StrictBool enabled,
                   std::optional<StrictBool> cache_enabled)
    : type_(detail::checked_autocast_type(device.type())),
      was_enabled_(autocast_mode.is_enabled(type_)),
      was_cache_enabled_(autocast_mode.cache_enabled),
      previous_dtype_(tern::autocast::get_autocast_dtype(type_)) {
  const ScalarType chosen = dtype.value_or(previous_dtype_);
  if (enabled) detail::check_autocast_dtype(type_, chosen);
  tern::autocast::set_autocast_enabled(type_, enabled);
  autocast_mode.dtypes[static_cast<int>(type_)] = chosen;
  if (cache_enabled) autocast_mode.cache_enabled = *cache_enabled;
  tern::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (tern::autocast::decrement_nesting() == 0) tern::autocast::clear_cache();
  autocast_mode.set_enabled(type_, was_enabled_);
  autocast_mode.dtypes[static_cast<int>(type_)] = previous_dtype_;
  autocast_mode.cache_enabled = was_cache_enabled_;
}

}  // namespace tern::amp
