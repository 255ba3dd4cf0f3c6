#include <tern/text/detail/vocabulary.h>

#include <algorithm>
#include <bit>
#include <functional>

namespace tern::text {

std::size_t Vocabulary::slot_of(std::string_view text) const {
  std::size_t at = std::hash<std::string_view>()(text) & (slots_.size() - 1);
  while (slots_[at] != kNoId && texts_[slots_[at]] != text) at = (at + 1) & (slots_.size() - 1);
  return at;
}

void Vocabulary::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), kNoId);
  for (std::uint32_t id = 0; id < texts_.size(); ++id) {
    if (has_[id]) slots_[slot_of(texts_[id])] = id;
  }
}

bool Vocabulary::add(std::string text, std::uint32_t id) {
  if (has(id)) return false;
  if (slots_.size() < 2 * (count_ + 1)) grow();
  const std::size_t slot = slot_of(text);
  if (slots_[slot] != kNoId) return false;
  if (id >= texts_.size()) {
    texts_.resize(id + 1);
    has_.resize(id + 1);
  }
  slots_[slot] = id;
  longest_ = std::max(longest_, text.size());
  texts_[id] = std::move(text);
  has_[id] = true;
  ++count_;
  return true;
}

std::uint32_t Vocabulary::find(std::string_view text) const {
  return slots_.empty() ? kNoId : slots_[slot_of(text)];
}

PairTable::PairTable(std::size_t count) {
  const std::size_t size = std::bit_ceil(2 * count + 2);
  slots_.assign(size, {0, {kNoId, kNoId}});
  shift_ = 64 - std::countr_zero(size);
}

void PairTable::set(std::uint32_t first, std::uint32_t second, Value value) {
  Slot& slot = slots_[slot_of(key_of(first, second))];
  if (slot.value.id == kNoId) slot = {key_of(first, second), value};
}

}  // namespace tern::text
