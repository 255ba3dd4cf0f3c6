#include <tern/text/detail/vocabulary.h>

#include <algorithm>
#include <bit>
#include <functional>

#include <tern/core/base/error.h>

namespace tern::text {

std::size_t Vocabulary::slot_of(std::string_view text) const {
  std::size_t at = std::hash<std::string_view>()(text) & (slots_.size() - 1);
  while (slots_[at] != kNoId && this->text(slots_[at]) != text) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return at;
}

void Vocabulary::set_slots(std::size_t count) {
  slots_.assign(std::bit_ceil(std::max<std::size_t>(64, count)), kNoId);
  for (std::uint32_t id = 0; id < end(); ++id) {
    if (has(id)) slots_[slot_of(text(id))] = id;
  }
}

void Vocabulary::reserve(std::size_t count) {
  places_.reserve(count);
  if (slots_.size() < 2 * count) set_slots(2 * count);
}

bool Vocabulary::add(std::string_view text, std::uint32_t id) {
  if (has(id)) return false;
  if (slots_.size() < 2 * (count_ + 1)) set_slots(4 * count_);
  const std::size_t slot = slot_of(text);
  if (slots_[slot] != kNoId) return false;
  TERN_CHECK(text.size() < kNoId - bytes_.size(), Error,
             "a vocabulary has less than 4 GiB of text, got ", bytes_.size(), " bytes and ",
             text.size(), " more");
  if (id >= end()) places_.resize(id + 1);
  slots_[slot] = id;
  longest_ = std::max(longest_, text.size());
  places_[id] = {static_cast<std::uint32_t>(bytes_.size()),
                 static_cast<std::uint32_t>(text.size())};
  bytes_ += text;
  ++count_;
  return true;
}

std::uint32_t Vocabulary::find(std::string_view text) const {
  return slots_.empty() ? kNoId : slots_[slot_of(text)];
}

PairTable::PairTable(std::size_t count) {
  const std::size_t size = std::bit_ceil(count + count / 3 + 2);  // at most three quarters full
  slots_.assign(size, {0, {kNoId, kNoId}});
  shift_ = 64 - std::countr_zero(size);
}

void PairTable::set(std::uint32_t first, std::uint32_t second, Value value) {
  Slot& slot = slots_[slot_of(key_of(first, second))];
  if (slot.value.id == kNoId) slot = {key_of(first, second), value};
}

}  // namespace tern::text
