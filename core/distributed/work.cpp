#include <utility>

#include <tern/core/distributed/detail/group.h>
#include <tern/core/distributed/detail/threads.h>

namespace tern::distributed {

Work::Work() = default;
Work::Work(std::shared_ptr<detail::Pending> pending) : pending_(std::move(pending)) {}
Work::Work(Work&&) noexcept = default;

Work& Work::operator=(Work&& other) noexcept {
  Work old(std::move(pending_));  // waits
  pending_ = std::move(other.pending_);
  return *this;
}

Work::~Work() {
  try {
    wait();
  } catch (...) {  // NOLINT(bugprone-empty-catch): nobody asked for it
  }
}

void Work::wait() {
  if (!pending_) return;
  const std::shared_ptr<detail::Pending> pending = std::move(pending_);
  // The last owner of the group must not be its own thread.
  const std::shared_ptr<detail::Group> group = std::move(pending->group);
  detail::await_pending(*pending);
  {
    std::unique_lock lock(pending->mutex);
    pending->changed.wait(lock, [&] { return pending->is_done; });
  }
  if (pending->error) std::rethrow_exception(pending->error);
  if (pending->after_call) pending->after_call();
  if (pending->finish) pending->finish();
}

bool Work::is_completed() const {
  if (!pending_) return true;
  const std::lock_guard lock(pending_->mutex);
  return pending_->is_done;
}

}  // namespace tern::distributed
