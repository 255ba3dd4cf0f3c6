#include <tern/core/distributed/detail/threads.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
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
  std::string deadlock;                // not empty: ranks waited in it when all did
  std::string name;                    // for errors
};

// A rank that waits in a call of a group.
struct Waiter {
  ThreadGroup* group;
  int rank;  // in the group
  std::function<bool()> can_go_on;
};

// One lock serves all groups: ranks meet rarely and briefly.
class ThreadWorld {
 public:
  explicit ThreadWorld(int size)
      : has_ended(static_cast<std::size_t>(size)),
        all(std::make_shared<ThreadGroup>(first(size))),
        active(size) {
    all->name = "the group of run()";
  }

  // Reports a deadlock if all ranks wait and none can go on. Call it with the lock.
  void find_deadlock();

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> has_ended;
  const std::shared_ptr<ThreadGroup> all;
  std::int64_t active;  // threads of ranks, and of groups with calls, that do not wait
  std::list<Waiter> waiters;
  bool has_foreign_threads = false;  // then `active` misses some, and deadlocks end by time-out

  static std::vector<int> first(int size) {
    std::vector<int> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
};

void ThreadWorld::find_deadlock() {
  if (active > 0 || has_foreign_threads || waiters.empty()) return;
  for (const Waiter& waiter : waiters) {
    if (waiter.can_go_on() || !waiter.group->deadlock.empty()) return;  // it only has to wake up
  }
  std::map<int, std::string> positions;  // by rank, which may wait in several groups
  for (const Waiter& waiter : waiters) {
    const auto rank = static_cast<std::size_t>(waiter.rank);
    const int in_world = waiter.group->members[rank];
    std::string& text = positions[in_world];
    text += text.empty() ? tern::detail::text_of("; rank ", in_world, " waits in ") : " and in ";
    text += tern::detail::text_of(describe(*waiter.group->calls[rank]), " in ", waiter.group->name);
  }
  std::string text = "deadlock: every rank waits for another one";
  for (const auto& [rank, position] : positions) text += position;
  for (const Waiter& waiter : waiters) waiter.group->deadlock = text;
  changed.notify_all();
}

namespace {

using Clock = std::chrono::steady_clock;

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
    Result result = check_usable();
    if (result.outcome == Result::Outcome::kDone) {
      result = wait(lock, {from}, [&] { return !queue.empty(); });
    }
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
          part_ = nullptr;
          if (part_ranks_.front() != rank_) return;
          part_ = std::make_shared<ThreadGroup>(ranks);
          part_->name = name_of_part(ranks);
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

  std::string name_of_part(const std::vector<int>& ranks) const {
    const std::vector<std::int64_t> numbers(ranks.begin(), ranks.end());
    return tern::detail::text_of("the group of ranks ", IntArrayRef(numbers), " by ",
                                 describe(*group_->calls[static_cast<std::size_t>(rank_)]));
  }

  // Waits under the world's lock until `can_go_on` or `deadline`, which may be null.
  void wait_for(std::unique_lock<std::mutex>& lock, const Clock::time_point* deadline,
                const std::function<bool()>& can_go_on) {
    if (can_go_on()) return;
    if (world_of_thread() != world_.get()) world_->has_foreign_threads = true;
    const auto waiter =
        world_->waiters.insert(world_->waiters.end(), {group_.get(), rank_, can_go_on});
    --world_->active;
    world_->find_deadlock();
    const auto is_over = [&] { return can_go_on() || !group_->deadlock.empty(); };
    if (deadline == nullptr) {
      world_->changed.wait(lock, is_over);
    } else {
      world_->changed.wait_until(lock, *deadline, is_over);
    }
    ++world_->active;
    world_->waiters.erase(waiter);
  }

  // Throws or returns an error if the group cannot be used any more.
  Result check_usable() const {
    TERN_CHECK(group_->deadlock.empty(), Error, group_->deadlock);
    return group_->is_late ? failed("another rank has waited too long for it") : Result();
  }

  // Waits under the world's lock until `is_ready`, for ranks of which none may end.
  Result wait(std::unique_lock<std::mutex>& lock, const std::vector<int>& ranks,
              const std::function<bool()>& is_ready) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(timeout_));
    const auto ended = [&] {
      return std::find_if(ranks.begin(), ranks.end(), [&](int rank) {
        const int in_world = group_->members[static_cast<std::size_t>(rank)];
        return world_->has_ended[static_cast<std::size_t>(in_world)];
      });
    };
    wait_for(lock, &deadline,
             [&] { return is_ready() || group_->is_late || ended() != ranks.end(); });
    TERN_CHECK(group_->deadlock.empty(), Error, group_->deadlock);
    if (group_->is_late) return {Result::Outcome::kLate, {}};
    if (is_ready()) return {};
    if (ended() != ranks.end()) {
      return failed(tern::detail::text_of("rank ", *ended(), " has ended").c_str());
    }
    group_->is_late = true;
    for (const Call* call : group_->calls) {
      group_->positions.push_back(call == nullptr ? "" : describe(*call));
    }
    world_->changed.notify_all();
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
      if (const Result result = check_usable(); result.outcome != Result::Outcome::kDone) {
        return result;
      }
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
      wait_for(lock, nullptr, [&] { return group_->meetings != meeting; });
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
    --world.active;
    world.find_deadlock();
  }
  world.changed.notify_all();
}
void begin_pending(Pending& pending) {
  pending.world = world_of_thread();
  if (pending.world == nullptr) return;
  const std::lock_guard lock(pending.world->mutex);
  // The thread of a group makes its calls one after the other.
  if (pending.group->pending_count++ == 0) ++pending.world->active;
}

void end_pending(Pending& pending, Group& group) {
  if (pending.world == nullptr) return;
  const std::lock_guard lock(pending.world->mutex);
  pending.has_ended = true;
  if (pending.is_awaited) ++pending.world->active;
  if (--group.pending_count > 0) return;
  --pending.world->active;
  pending.world->find_deadlock();
}

void await_pending(Pending& pending) {
  if (pending.world == nullptr) return;
  const std::lock_guard lock(pending.world->mutex);
  if (world_of_thread() != pending.world) pending.world->has_foreign_threads = true;
  if (pending.has_ended) return;
  pending.is_awaited = true;
  --pending.world->active;
  pending.world->find_deadlock();
}

}  // namespace tern::distributed::detail
