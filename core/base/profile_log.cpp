#include <cstring>
#include <new>
#include <utility>

#include <tern/core/base/detail/profile_recorder.h>
#include <tern/core/base/detail/profile_ticks.h>

namespace tern::detail {

constinit ProfileBudget profile_budget;

bool ProfileBudget::take(std::int64_t bytes) noexcept {
  if (left_.fetch_sub(bytes, std::memory_order_relaxed) >= bytes) return true;
  left_.fetch_add(bytes, std::memory_order_relaxed);
  return false;
}

ProfileLog::ProfileLog(std::uint32_t recording, std::string thread_name, std::int64_t thread_id)
    : recording_(recording), thread_name_(std::move(thread_name)), thread_id_(thread_id) {}

ProfileLog::~ProfileLog() {
  while (first_ != nullptr) delete std::exchange(first_, first_->next);
}

ProfileEvent* ProfileLog::new_event(ProfileKind kind, const char* name) noexcept {
  if (used_ == kBlockEvents) [[unlikely]] {
    Block* const block = profile_budget.take(sizeof(Block)) ? new (std::nothrow) Block : nullptr;
    if (block == nullptr) {
      lose();
      return nullptr;
    }
    block->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = block;
    last_ = block;
    used_ = 0;
  }
  ProfileEvent& event = last_->events[used_];
  event.name = name;
  event.parent = open_;
  event.index = count_.load(std::memory_order_relaxed);
  event.kind = kind;
  event.device.store(0, std::memory_order_relaxed);
  event.end.store(0, std::memory_order_relaxed);
  event.value.store(0, std::memory_order_relaxed);
  event.shapes.store(nullptr, std::memory_order_relaxed);
  return &event;
}

void ProfileLog::publish() noexcept {
  ++used_;
  count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

ProfileEvent* ProfileLog::add(ProfileKind kind, const char* name) noexcept {
  ProfileEvent* const event = new_event(kind, name);
  if (event == nullptr) return nullptr;
  open_ = event;
  event->start = profile_ticks();
  publish();
  return event;
}

void ProfileLog::close(ProfileEvent* event) noexcept {
  // Release: who sees the end of a parent also sees the ends of its children.
  event->end.store(profile_ticks(), std::memory_order_release);
  open_ = event->parent;
}

void ProfileLog::add_memory(std::int64_t bytes, std::int16_t device) noexcept {
  ProfileEvent* const event = new_event(ProfileKind::kMemory, "[memory]");
  if (event == nullptr) return;
  event->device.store(device, std::memory_order_relaxed);
  event->start = profile_ticks();
  event->end.store(event->start, std::memory_order_relaxed);
  event->value.store(bytes, std::memory_order_relaxed);
  publish();
}

const char* ProfileLog::intern(std::string_view name) noexcept {
  constexpr std::size_t kOverhead = 64;  // of a node of the set
  if (const auto found = names_.find(name); found != names_.end()) return found->c_str();
  if (!profile_budget.take(static_cast<std::int64_t>(name.size() + kOverhead))) return nullptr;
  try {
    return names_.emplace(name).first->c_str();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

const char* ProfileLog::outer_module_name() const noexcept {
  const ProfileEvent* event = open_;
  while (event != nullptr && event->kind != ProfileKind::kModule) event = event->parent;
  return event == nullptr ? nullptr : event->name;
}

const char* ProfileLog::name_of(const RunningModule& module) noexcept {
  const ModuleKey key{module.module, module.describer->type(module), outer_module_name()};
  if (const auto found = modules_.find(key); found != modules_.end()) return found->second;
  if (!profile_budget.take(sizeof(key) + 64)) return nullptr;
  try {
    std::string text = module.describer->describe(module);  // 'encoder.fc1' (Linear)
    std::erase(text, '\'');
    const char* const name = intern(text);
    if (name != nullptr) modules_.emplace(key, name);
    return name;
  } catch (...) {
    return nullptr;
  }
}

std::int64_t* ProfileLog::numbers(std::size_t count) noexcept {
  constexpr std::size_t kBlock = 1024;
  if (numbers_left_ < count) {
    const std::size_t size = count < kBlock ? kBlock : count;
    if (!profile_budget.take(static_cast<std::int64_t>(size * sizeof(std::int64_t)))) {
      return nullptr;
    }
    try {
      next_number_ = number_blocks_.emplace_back(std::make_unique<std::int64_t[]>(size)).get();
    } catch (const std::bad_alloc&) {
      numbers_left_ = 0;
      return nullptr;
    }
    numbers_left_ = size;
  }
  numbers_left_ -= count;
  return std::exchange(next_number_, next_number_ + count);
}

}  // namespace tern::detail
