#pragma once

#include <cstring>
#include <functional>
#include <utility>

#include <tern/core/distributed/detail/transport.h>

// A network that a test or a benchmark slows down. benchmarks/distributed_step.cpp uses it, too.

namespace tern::testing {

/// One of two ranks that are alike: collectives act as if the other rank brought the same elements,
/// but sums keep those of one rank. `travel` runs in each collective and may wait.
class AlikeRanks final : public distributed::detail::Transport {
 public:
  enum class Kind { kAllReduce, kReduceScatter, kBroadcast, kAllGather };
  using Reduction = distributed::detail::Reduction;
  using Result = distributed::detail::Result;
  /// Gets the bytes of the whole tensor.
  using Travel = std::function<void(Kind kind, std::int64_t bytes)>;

  explicit AlikeRanks(Travel travel) : travel_(std::move(travel)) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void set_timeout(double /*seconds*/) override {}
  Result all_reduce(void* /*data*/, std::int64_t count, ScalarType dtype, Reduction op) override {
    if (op != Reduction::kMin) travel_(Kind::kAllReduce, bytes_of(count, dtype));
    return {};  // the minimum is the comparison of calls
  }
  Result reduce_scatter(const void* in, void* out, std::int64_t count, ScalarType dtype,
                        Reduction /*op*/) override {
    travel_(Kind::kReduceScatter, 2 * bytes_of(count, dtype));
    std::memcpy(out, in, static_cast<std::size_t>(bytes_of(count, dtype)));
    return {};
  }
  Result broadcast(void* /*data*/, std::int64_t bytes, int /*root*/) override {
    travel_(Kind::kBroadcast, bytes);
    return {};
  }
  Result all_gather(const void* in, void* out, std::int64_t bytes) override {
    travel_(Kind::kAllGather, 2 * bytes);
    std::memcpy(out, in, static_cast<std::size_t>(bytes));
    std::memcpy(static_cast<char*>(out) + bytes, in, static_cast<std::size_t>(bytes));
    return {};
  }
  Result all_to_all(const void* in, void* out, std::int64_t bytes) override {
    std::memcpy(out, in, static_cast<std::size_t>(2 * bytes));
    return {};
  }
  Result send(const void*, std::int64_t, int) override { return {}; }
  Result recv(void*, std::int64_t, int) override { return {}; }
  Result split(int /*color*/, int /*key*/, Transport** part) override {
    *part = new AlikeRanks(travel_);
    return {};
  }
  void enter(const distributed::detail::Call* /*call*/) override {}
  void call_roll(const char* /*mine*/, char* /*positions*/) override {}

 private:
  static std::int64_t bytes_of(std::int64_t count, ScalarType dtype) {
    return count * static_cast<std::int64_t>(element_size(dtype));
  }

  Travel travel_;
};

}  // namespace tern::testing
