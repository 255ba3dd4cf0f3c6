#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tern/core/kernels/operand.h>

namespace tern::testing {

/// Copies of a kernel's operands between guard bytes. A write to the guard bytes fails the test,
/// and the address sanitizer detects a read.
class Guards {
 public:
  /// Makes the arguments behind `operands` point to the guarded copies.
  explicit Guards(const kernels::Operands& operands) {
    for (const kernels::Operand& operand : operands) {
      auto* const pointer = static_cast<char*>(const_cast<void*>(operand.pointer));
      pieces_.push_back({pointer + operand.first, pointer + operand.last});
    }
    join_overlapping();
    for (Piece& piece : pieces_) copy_in(piece);
    for (const kernels::Operand& operand : operands) {
      const auto* const pointer = static_cast<const char*>(operand.pointer);
      const auto piece = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& each) {
        return each.first <= pointer + operand.first && pointer + operand.last <= each.last;
      });
      const char* const moved = piece->copy + (pointer - piece->first);
      std::memcpy(operand.field, &moved, sizeof(moved));
    }
  }

  /// Copies the results back to the original operands.
  ~Guards() {
    for (Piece& piece : pieces_) copy_out(piece);
  }
  Guards(const Guards&) = delete;
  Guards& operator=(const Guards&) = delete;

 private:
  struct Piece {
    char* first;
    char* last;
    std::vector<char> memory{};
    char* copy = nullptr;

    std::size_t size() const { return static_cast<std::size_t>(last - first); }
    char* end() { return memory.data() + memory.size(); }
  };
  static constexpr std::size_t kGuard = 64;  // also the alignment that a copy keeps
  static constexpr char kNobodys = '\xA5';

  // Pieces that share memory stay together: a kernel may work in place.
  void join_overlapping() {
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.first < b.first; });
    std::vector<Piece> joined;
    for (const Piece& piece : pieces_) {
      if (!joined.empty() && piece.first < joined.back().last) {
        joined.back().last = std::max(joined.back().last, piece.last);
      } else {
        joined.push_back(piece);
      }
    }
    pieces_ = std::move(joined);
  }

  static void copy_in(Piece& piece) {
    piece.memory.assign(3 * kGuard + piece.size(), kNobodys);
    const auto place = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
    char* const start = piece.memory.data() + kGuard;
    piece.copy = start + (place(piece.first) - place(start)) % kGuard;
    std::memcpy(piece.copy, piece.first, piece.size());
    static const Sanitize poison = sanitizer("__asan_poison_memory_region");
    sanitize(poison, piece);
  }

  static void copy_out(Piece& piece) {
    static const Sanitize unpoison = sanitizer("__asan_unpoison_memory_region");
    sanitize(unpoison, piece);
    const auto untouched = [](const char* from, const char* to) {
      return std::all_of(from, to, [](char c) { return c == kNobodys; });
    };
    EXPECT_TRUE(untouched(piece.memory.data(), piece.copy)) << "a write before an operand";
    EXPECT_TRUE(untouched(piece.copy + piece.size(), piece.end())) << "a write behind an operand";
    // Inputs may be in read-only memory.
    if (std::memcmp(piece.first, piece.copy, piece.size()) != 0) {
      std::memcpy(piece.first, piece.copy, piece.size());
    }
  }

  using Sanitize = void (*)(const volatile void*, std::size_t);

  // Looked up at run time, as in has_sanitizer().
  static Sanitize sanitizer(const char* function) {
    return reinterpret_cast<Sanitize>(::dlsym(RTLD_DEFAULT, function));
  }
  static void sanitize(Sanitize call, Piece& piece) {
    if (call == nullptr) return;
    const char* const behind = piece.copy + piece.size();
    call(piece.memory.data(), static_cast<std::size_t>(piece.copy - piece.memory.data()));
    call(behind, static_cast<std::size_t>(piece.end() - behind));
  }

  std::vector<Piece> pieces_;
};

}  // namespace tern::testing
