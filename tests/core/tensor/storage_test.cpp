#include <tern/core/tensor/storage.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tern/core/tensor/detail/allocator.h>

namespace tern {
namespace {

/// Stands for pinned memory and lists what it gets back.
struct PinnedMemory final : Allocator {
  void* allocate(std::size_t bytes, DeviceIndex) override { return std::malloc(bytes); }
  void deallocate(void* pointer, std::size_t bytes, DeviceIndex) noexcept override {
    freed.emplace_back(pointer, bytes);
    std::free(pointer);
  }
  void empty_cache() override {}
  MemoryStats stats(DeviceIndex) const override { return {}; }
  void reset_peak(DeviceIndex) override {}

  std::vector<std::pair<void*, std::size_t>> freed;
};

TEST(Storage, SwappedMemoryGoesBackToItsOwner) {
  PinnedMemory owner, other_owner;
  void* pinned = nullptr;
  void* other_pinned = nullptr;
  {
    Storage a(64, owner), ordinary(64, kCPU), b(64, other_owner);
    pinned = a.data();
    other_pinned = b.data();
    a.swap_memory(ordinary);
    EXPECT_FALSE(a.is_pinned());
    EXPECT_TRUE(ordinary.is_pinned());
    EXPECT_EQ(ordinary.data(), pinned);
    ordinary.swap_memory(b);
    EXPECT_TRUE(ordinary.is_pinned() && b.is_pinned());
    EXPECT_EQ(ordinary.data(), other_pinned);
  }
  using Freed = std::vector<std::pair<void*, std::size_t>>;
  EXPECT_EQ(owner.freed, (Freed{{pinned, 64}}));
  EXPECT_EQ(other_owner.freed, (Freed{{other_pinned, 64}}));
}

TEST(Storage, SwappedMemoryOfOthersGoesBackToItsDeleter) {
  std::vector<int> elements(16);
  std::vector<void*> freed;
  const auto note = [](void* data, void* list) {
    static_cast<std::vector<void*>*>(list)->push_back(data);
  };
  {
    Storage lent(elements.data(), 64, kCPU, note, &freed), own(64, kCPU);
    lent.swap_memory(own);
    EXPECT_EQ(own.data(), elements.data());
    EXPECT_NE(lent.data(), elements.data());
  }
  EXPECT_EQ(freed, std::vector<void*>{elements.data()});
}

/// Counts those that live.
struct Derived final : RefCounted {
  Derived() { ++living; }
  ~Derived() override { --living; }
  static inline int living = 0;
};

TEST(Storage, KeepsOneDerivedObjectUntilItsEnd) {
  {
    Storage a(64, kCPU), b(64, kCPU);
    EXPECT_EQ(a.derived().get(), nullptr);
    a.keep_derived(IntrusivePtr<RefCounted>(new Derived));
    const IntrusivePtr<RefCounted> first = a.derived();
    EXPECT_EQ(a.derived().get(), first.get());
    EXPECT_EQ(b.derived().get(), nullptr);
    a.keep_derived(IntrusivePtr<RefCounted>(new Derived));
    EXPECT_NE(a.derived().get(), first.get());
    EXPECT_EQ(Derived::living, 2);  // `first` is still used
  }
  EXPECT_EQ(Derived::living, 0);
}

TEST(Storage, ForgetsWhatWasDerivedFromOtherMemory) {
  Storage a(64, kCPU), b(64, kCPU);
  a.keep_derived(IntrusivePtr<RefCounted>(new Derived));
  b.swap_memory(a);
  EXPECT_EQ(a.derived().get(), nullptr);
  EXPECT_EQ(b.derived().get(), nullptr);
  EXPECT_EQ(Derived::living, 0);
}

}  // namespace
}  // namespace tern
