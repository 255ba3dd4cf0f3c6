#include <tern/nn/data/detail/workers.h>

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/base/profile_scope.h>

namespace tern::data::detail {

struct Workers::Impl {
  Impl(std::size_t count, bool ordered, std::optional<std::int64_t> timeout)
      : in_order(ordered), timeout_ms(timeout) {
    try {
      for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this, i] { work(i); });
    } catch (const std::system_error& error) {
      const std::size_t started = threads.size();
      stop();
      tern::detail::raise<Error>("DataLoader: cannot start ", count, " workers, only ", started,
                                 "; the system says: ", error.code().message());
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Impl() { stop(); }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    job_ready.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void work(std::size_t worker) {
    tern::detail::name_thread("DataLoader worker", static_cast<int>(worker));
    std::unique_lock lock(mutex);
    while (true) {
      job_ready.wait(lock, [this] { return stopping || !jobs.empty(); });
      if (stopping) return;
      auto [number, job] = std::move(jobs.front());
      jobs.pop_front();
      ++running;
      lock.unlock();
      Outcome outcome;
      try {
        const tern::detail::ProfileScope profile(tern::detail::ProfileKind::kRange,
                                                 "DataLoader fetch");
        outcome.result = job(worker);
      } catch (...) {
        outcome.error = std::current_exception();
      }
      job = nullptr;  // frees what it captured outside of the lock
      lock.lock();
      --running;
      outcomes.emplace(number, std::move(outcome));
      outcome_ready.notify_all();
    }
  }

  bool next_is_ready() const {
    return !outcomes.empty() && (!in_order || outcomes.begin()->first == popped);
  }

  const pid_t process = ::getpid();
  const bool in_order;
  const std::optional<std::int64_t> timeout_ms;
  std::mutex mutex;
  std::condition_variable job_ready;
  std::condition_variable outcome_ready;
  std::deque<std::pair<std::uint64_t, Job>> jobs;
  std::map<std::uint64_t, Outcome> outcomes;
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  std::size_t running = 0;
  bool stopping = false;
  std::vector<std::thread> threads;
};

Workers::Workers(std::size_t count, bool in_order, std::optional<std::int64_t> timeout_ms)
    : impl_(std::make_unique<Impl>(count, in_order, timeout_ms)) {}

Workers::~Workers() {
  // A forked child has no threads to join, and another thread may have held the mutex.
  if (impl_->process != ::getpid()) static_cast<void>(impl_.release());
}

void Workers::check_process() const {
  TERN_CHECK(impl_->process == ::getpid(), Error,
             "DataLoader: the workers of this loader run in the process that made it, not in its "
             "forked child; make a loader in the child");
}

void Workers::push(Job job) {
  check_process();
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->jobs.emplace_back(impl_->pushed++, std::move(job));
  }
  impl_->job_ready.notify_one();
}

std::size_t Workers::pending() const {
  check_process();
  const std::lock_guard lock(impl_->mutex);
  return static_cast<std::size_t>(impl_->pushed - impl_->popped);
}

Workers::Outcome Workers::pop() {
  check_process();
  std::unique_lock lock(impl_->mutex);
  const auto ready = [this] { return impl_->next_is_ready(); };
  if (impl_->timeout_ms) {
    const std::chrono::milliseconds limit(*impl_->timeout_ms);
    TERN_CHECK(impl_->outcome_ready.wait_for(lock, limit, ready), Error,
               "Timeout in DataLoader queue while waiting for next batch (timeout was ",
               *impl_->timeout_ms, " ms)");
  } else {
    impl_->outcome_ready.wait(lock, ready);
  }
  Outcome outcome = std::move(impl_->outcomes.begin()->second);
  impl_->outcomes.erase(impl_->outcomes.begin());
  ++impl_->popped;
  return outcome;
}

void Workers::clear() {
  check_process();
  std::unique_lock lock(impl_->mutex);
  impl_->jobs.clear();
  impl_->outcome_ready.wait(lock, [this] { return impl_->running == 0; });
  impl_->outcomes.clear();
  impl_->popped = impl_->pushed;
}

}  // namespace tern::data::detail
