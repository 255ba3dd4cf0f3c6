#include <cstring>
#include <functional>
#include <new>

#include <tern/text/detail/model.h>

namespace tern::text {

WordCache::WordCache() : slots_(static_cast<Slot*>(std::calloc(kSlots, sizeof(Slot)))) {
  if (slots_ == nullptr) throw std::bad_alloc();
}

std::size_t WordCache::slot_of(std::string_view word) {
  return std::hash<std::string_view>()(word) & (kSlots - 1);
}

bool WordCache::find(std::string_view word, std::vector<PieceToken>& to) const {
  if (word.size() > kMaxBytes) return false;
  const Slot& slot = slots_[slot_of(word)];
  if (slot.size != word.size() || std::memcmp(slot.word.data(), word.data(), word.size()) != 0) {
    return false;
  }
  for (std::size_t i = 0; i < slot.count; ++i) to.push_back({slot.ids[i], slot.sizes[i]});
  return true;
}

void WordCache::put(std::string_view word, const PieceToken* tokens, std::size_t count) {
  if (word.size() > kMaxBytes || count > kMaxTokens) return;
  Slot& slot = slots_[slot_of(word)];
  word.copy(slot.word.data(), word.size());
  slot.size = static_cast<std::uint8_t>(word.size());
  slot.count = static_cast<std::uint8_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    slot.ids[i] = tokens[i].id;
    slot.sizes[i] = static_cast<std::uint8_t>(tokens[i].size);
  }
}

std::unique_ptr<WordCache> CachePool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::make_unique<WordCache>();
  std::unique_ptr<WordCache> cache = std::move(free_.back());
  free_.pop_back();
  return cache;
}

void CachePool::give_back(std::unique_ptr<WordCache> cache) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(cache));
}

}  // namespace tern::text
