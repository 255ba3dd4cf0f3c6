#include <tern/core/distributed/detail/threads.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/text.h>
#include <tern/core/distributed/detail/combine.h>
#include <tern/core/distributed/detail/group.h>

namespace tern::distributed::detail {

// What a rank brings to a meeting.
struct Post {
  const void* in = nullptr;
  void* out = nullptr;
  int color = 0, key = 0;
  std::shared_ptr<struct ThreadGroup> part;  // from the first rank of a new group
};

// What the ranks of one group share; the world's lock guards it.
struct ThreadGroup {
  explicit ThreadGroup(std::vector<int> in_world)
      : members(std::move(in_world)), posts(members.size()), calls(members.size()) {}

  const std::vector<int> members;  // numbers in the world
  std::vector<Post> posts;
  std::size_t arrived = 0;
  std::uint64_t meetings = 0;
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> mail;  // by sender and receiver
  std::vector<const Call*> calls;
  bool is_late = false;                // a rank has waited too long
  std::vector<std::string> positions;  // where the ranks were then
};

// What all ranks share. One lock serves all groups: ranks meet rarely and briefly.
class ThreadWorld {
 public:
  explicit ThreadWorld(int size)
      : has_ended(static_cast<std::size_t>(size)),
        all(std::make_shared<ThreadGroup>(first(size))) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> has_ended;
  const std::shared_ptr<ThreadGroup> all;

  static std::vector<int> first(int size) {
    std::vector<int> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
};

namespace {

using Clock = std::chrono::steady_clock;

Result failed(const std::string& text) {
  Result result{Result::Outcome::kFailed, {}};
  std::strncpy(result.text, text.c_str(), sizeof(result.text) - 1);
  return result;
}

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroup> group, int rank)
      : world_(std::move(world)), group_(std::move(group)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(group_->members.size()); }
  void set_timeout(double seconds) override { timeout_ = seconds; }

  Result all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) override {
    // Each rank joins one slice, in the order of the ranks, and gives it to all.
    const std::int64_t begin = count * rank_ / size(), end = count * (rank_ + 1) / size();
    return together({nullptr, data, 0, 0, nullptr}, [&](const std::vector<Post>& posts) {
      const std::size_t item = element_size(dtype), offset = static_cast<std::size_t>(begin) * item;
      std::vector<char> sum(static_cast<std::size_t>(end - begin) * item);
      if (sum.empty()) return;
      std::memcpy(sum.data(), static_cast<char*>(posts[0].out) + offset, sum.size());
      for (std::size_t i = 1; i < posts.size(); ++i) {
        combine(dtype, op, sum.data(), static_cast<char*>(posts[i].out) + offset, end - begin);
      }
      for (const Post& post : posts) {
        std::memcpy(static_cast<char*>(post.out) + offset, sum.data(), sum.size());
      }
    });
  }

  Result reduce_scatter(const void* in, void* out, std::int64_t count, ScalarType dtype,
                        Reduction op) override {
    return together({in, out, 0, 0, nullptr}, [&](const std::vector<Post>& posts) {
      const std::int64_t bytes = count * static_cast<std::int64_t>(element_size(dtype));
      copy(out, posts[0].in, rank_ * bytes, bytes);
      for (std::size_t i = 1; i < posts.size(); ++i) {
        combine(dtype, op, out, static_cast<const char*>(posts[i].in) + rank_ * bytes, count);
      }
    });
  }

  Result broadcast(void* data, std::int64_t bytes, int root) override {
    return together({nullptr, data, 0, 0, nullptr}, [&](const std::vector<Post>& posts) {
      if (rank_ != root) copy(data, posts[static_cast<std::size_t>(root)].out, 0, bytes);
    });
  }

  Result all_gather(const void* in, void* out, std::int64_t bytes) override {
    return together({in, out, 0, 0, nullptr}, [&](const std::vector<Post>& posts) {
      char* to = static_cast<char*>(out);
      for (const Post& post : posts) {
        copy(to, post.in, 0, bytes);
        to += bytes;
      }
    });
  }

  Result all_to_all(const void* in, void* out, std::int64_t bytes) override {
    return together({in, out, 0, 0, nullptr}, [&](const std::vector<Post>& posts) {
      char* to = static_cast<char*>(out);
      for (const Post& post : posts) {
        copy(to, post.in, rank_ * bytes, bytes);
        to += bytes;
      }
    });
  }

  Result send(const void* data, std::int64_t bytes, int to) override {
    const char* const begin = static_cast<const char*>(data);
    std::vector<char> message(begin, begin + bytes);
    {
      const std::lock_guard lock(world_->mutex);
      group_->mail[{rank_, to}].push_back(std::move(message));
    }
    world_->changed.notify_all();
    return {};
  }

  Result recv(void* data, std::int64_t bytes, int from) override {
    std::unique_lock lock(world_->mutex);
    std::deque<std::vector<char>>& queue = group_->mail[{from, rank_}];
    const Result result = wait(lock, {from}, [&] { return !queue.empty(); });
    if (result.outcome != Result::Outcome::kDone) return result;
    const std::vector<char> message = std::move(queue.front());
    queue.pop_front();
    if (!message.empty()) std::memcpy(data, message.data(), static_cast<std::size_t>(bytes));
    return {};
  }

  Result split(int color, int key, Transport** part) override {
    const Result result =
        together({nullptr, nullptr, color, key, nullptr}, [&](const std::vector<Post>& posts) {
          std::vector<int> ranks;
          for (int i = 0; i < size(); ++i) {
            if (posts[static_cast<std::size_t>(i)].color == color) ranks.push_back(i);
          }
          std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
            return posts[static_cast<std::size_t>(a)].key < posts[static_cast<std::size_t>(b)].key;
          });
          part_ranks_ = ranks;
          for (int& rank : ranks) rank = group_->members[static_cast<std::size_t>(rank)];
          part_ = part_ranks_.front() == rank_ ? std::make_shared<ThreadGroup>(ranks) : nullptr;
        });
    if (result.outcome != Result::Outcome::kDone) return result;
    return together({nullptr, nullptr, 0, 0, part_}, [&](const std::vector<Post>& posts) {
      const auto own = std::find(part_ranks_.begin(), part_ranks_.end(), rank_);
      *part = new ThreadTransport(world_, posts[static_cast<std::size_t>(part_ranks_[0])].part,
                                  static_cast<int>(own - part_ranks_.begin()));
    });
  }

  void enter(const Call* call) override {
    const std::lock_guard lock(world_->mutex);
    group_->calls[static_cast<std::size_t>(rank_)] = call;
  }

  void call_roll(const char* /*mine*/, char* positions) override {
    const std::lock_guard lock(world_->mutex);
    for (std::size_t i = 0; i < group_->positions.size(); ++i) {
      std::strncpy(positions + i * kPositionBytes, group_->positions[i].c_str(),
                   kPositionBytes - 1);
    }
  }

 private:
  static void copy(void* to, const void* from, std::int64_t offset, std::int64_t bytes) {
    if (bytes == 0) return;
    std::memcpy(to, static_cast<const char*>(from) + offset, static_cast<std::size_t>(bytes));
  }

  // Waits under the world's lock until `is_ready`, for ranks of which none may end.
  template <class Ready>
  Result wait(std::unique_lock<std::mutex>& lock, const std::vector<int>& ranks,
              const Ready& is_ready) {
    if (group_->is_late) return failed("another rank has waited too long for it");
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(timeout_));
    const auto ended = [&] {
      return std::find_if(ranks.begin(), ranks.end(), [&](int rank) {
        const int in_world = group_->members[static_cast<std::size_t>(rank)];
        return world_->has_ended[static_cast<std::size_t>(in_world)];
      });
    };
    world_->changed.wait_until(
        lock, deadline, [&] { return is_ready() || group_->is_late || ended() != ranks.end(); });
    if (is_ready()) return {};
    if (!group_->is_late && ended() != ranks.end()) {
      return failed(tern::detail::text_of("rank ", *ended(), " has ended"));
    }
    if (!group_->is_late) {
      group_->is_late = true;
      for (const Call* call : group_->calls) {
        group_->positions.push_back(call == nullptr ? "" : describe(*call));
      }
      world_->changed.notify_all();
    }
    return {Result::Outcome::kLate, {}};
  }

  // Returns the number of the meeting that this rank comes to; the last rank ends it.
  std::uint64_t arrive() {
    const std::uint64_t meeting = group_->meetings;
    if (++group_->arrived == group_->members.size()) {
      group_->arrived = 0;
      ++group_->meetings;
      world_->changed.notify_all();
    }
    return meeting;
  }

  // Runs `work` while all ranks are in this call.
  template <class Work>
  Result together(Post post, const Work& work) {
    {
      std::unique_lock lock(world_->mutex);
      group_->posts[static_cast<std::size_t>(rank_)] = std::move(post);
      const std::uint64_t meeting = arrive();
      const Result result =
          wait(lock, ThreadWorld::first(size()), [&] { return group_->meetings != meeting; });
      if (result.outcome != Result::Outcome::kDone) return result;
    }
    // Nobody changes the posts before all have come to the second meeting. There is no time-out:
    // others may still read memory of this rank.
    const auto leave = [&] {
      std::unique_lock lock(world_->mutex);
      const std::uint64_t meeting = arrive();
      world_->changed.wait(lock, [&] { return group_->meetings != meeting; });
    };
    try {
      work(std::as_const(group_->posts));
    } catch (...) {
      leave();
      throw;
    }
    leave();
    return {};
  }

  std::shared_ptr<ThreadWorld> world_;
  std::shared_ptr<ThreadGroup> group_;
  int rank_;
  double timeout_ = 60;
  std::vector<int> part_ranks_;  // of split()
  std::shared_ptr<ThreadGroup> part_;
};

}  // namespace

std::shared_ptr<ThreadWorld> make_thread_world(int size) {
  return std::make_shared<ThreadWorld>(size);
}

std::unique_ptr<Transport> thread_transport(const std::shared_ptr<ThreadWorld>& world, int rank) {
  return std::make_unique<ThreadTransport>(world, world->all, rank);
}

void end_rank(ThreadWorld& world, int rank) {
  {
    const std::lock_guard lock(world.mutex);
    world.has_ended[static_cast<std::size_t>(rank)] = true;
  }
  world.changed.notify_all();
}

}  // namespace tern::distributed::detail
