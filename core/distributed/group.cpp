#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/distributed/detail/direct_transport.h>
#include <tern/core/distributed/detail/group.h>
#include <tern/core/distributed/detail/threads.h>
#include <tern/core/kernels/device_streams.h>

namespace tern::distributed::detail {
namespace {

using tern::detail::text_of;

constexpr double kLongest = 1e9;  // seconds, which clocks still can add

const char* name_of(Call::Kind kind) {
  static constexpr const char* kNames[] = {"all_reduce",     "broadcast",  "all_gather",
                                           "reduce_scatter", "all_to_all", "barrier",
                                           "split",          "send",       "recv"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_between_two(Call::Kind kind) {
  return kind == Call::Kind::kSend || kind == Call::Kind::kRecv;
}

std::int64_t hash_of(IntArrayRef sizes) {
  std::uint64_t hash = sizes.size();
  for (const std::int64_t size : sizes) {
    hash = kernels::detail::hash_number(hash, static_cast<std::uint64_t>(size));
  }
  return static_cast<std::int64_t>(hash);
}

// Keeps what a transport may still use until the process ends.
void keep(std::shared_ptr<void> memory) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(memory));
}

std::int64_t host_hash() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return static_cast<std::int64_t>(kernels::detail::hash_bytes(0, name));
}

std::function<void()> order_after(Device device) {
  return kernels::backend_of(device.type()).order_after(device.index());
}

const char* name_of(Route route) {
  if (route == Route::kNccl) return " by NCCL";
  return route == Route::kDirect ? " by MPI from device memory" : " over host memory";
}

std::string list_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += text_of(i == 0 ? " " : ", ", ranks[i]);
  return text;
}

}  // namespace

std::string describe(const Call& call) {
  std::string text = name_of(call.kind);
  if (call.kind == Call::Kind::kAllReduce || call.kind == Call::Kind::kReduceScatter) {
    static constexpr const char* kOps[] = {"(sum)", "(mean)", "(max)", "(min)"};
    text += kOps[static_cast<std::size_t>(call.op)];
  }
  if (call.kind == Call::Kind::kSend) text += text_of(" to rank ", call.peer);
  if (call.kind == Call::Kind::kRecv) text += text_of(" from rank ", call.peer);
  if (call.kind == Call::Kind::kBroadcast) text += text_of(" from rank ", call.peer);
  if (call.kind != Call::Kind::kBarrier && call.kind != Call::Kind::kSplit) {
    text += text_of(" of ", dtype_info(call.dtype).python_name, " ", IntArrayRef(call.sizes));
  }
  if (!call.device.is_cpu()) text += text_of(" on ", call.device);
  const char* const slash = std::strrchr(call.site.file, '/');
  text += text_of(" at ", slash == nullptr ? call.site.file : slash + 1, ":", call.site.line);
  return text;
}

Group::Group(std::unique_ptr<Transport> transport, DeviceRules rules)
    : transport_(std::move(transport)), rules_(std::move(rules)) {}

Group::~Group() {
  if (!worker_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void Group::set_timeout(double seconds) {
  TERN_CHECK(seconds > 0, Error, "set_timeout: seconds must be above 0, got ", seconds);
  timeout_ = std::min(seconds, kLongest);
  if (transport_) transport_->set_timeout(timeout_);
}

void Group::prepare(Pending& pending) {
  Call& call = pending.call;
  if (call.route != Route::kHost) pending.after_program = order_after(call.device);
  const bool is_counted = call.device.is_cuda() && !is_between_two(call.kind);
  if (is_counted && DeviceRules::hold(call.route == Route::kNccl)) {
    call.order = rules_.next(describe(call));
  }
}

Work Group::start(Call call, Body body, std::function<void()> finish) {
  if (!transport_) {
    if (finish) finish();
    return {};
  }
  auto pending = std::make_shared<Pending>();
  pending->call = std::move(call);
  pending->body = std::move(body);
  pending->finish = std::move(finish);
  pending->group = shared_from_this();
  prepare(*pending);
  begin_pending(*pending);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(pending);
    if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  }
  changed_.notify_all();
  return Work(std::move(pending));
}

/// Ends the call that runs on the caller's thread, also after an exception.
struct Group::Busy {
  Group& group;
  ~Busy() {
    {
      const std::lock_guard lock(group.mutex_);
      group.is_busy_ = false;
    }
    group.changed_.notify_all();
  }
};

void Group::run(Call call, const Body& body, const std::function<void()>& finish) {
  bool is_mine = false;
  {
    const std::lock_guard lock(mutex_);
    is_mine = transport_ && queue_.empty() && !is_busy_;
    is_busy_ = is_busy_ || is_mine;
  }
  if (!is_mine) {
    start(std::move(call), body, finish).wait();
    return;
  }
  Pending pending;
  pending.call = std::move(call);
  pending.body = body;
  {
    const Busy busy{*this};
    prepare(pending);
    perform(pending);
  }
  if (pending.error) std::rethrow_exception(pending.error);
  if (pending.after_call) pending.after_call();
  if (finish) finish();
}

void Group::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || (!queue_.empty() && !is_busy_); });
    if (is_ending_) return;
    const std::shared_ptr<Pending> pending = std::move(queue_.front());
    queue_.pop_front();
    is_busy_ = true;
    lock.unlock();
    world_of_thread() = pending->world;
    perform(*pending);
    world_of_thread() = nullptr;
    lock.lock();
    is_busy_ = false;
  }
}

void Group::perform(Pending& pending) {
  Call& call = pending.call;
  std::exception_ptr error;
  try {
    TERN_CHECK(failure_.empty(), Error, describe(call),
               ": the group cannot be used after an earlier error: ", failure_);
    transport_->enter(&call);
    if (!is_between_two(call.kind)) check_agreement(call);
    if (!is_between_two(call.kind)) check_devices(call);
    const Result result =
        call.route == Route::kHost ? pending.body(*transport_) : run_on_device(pending);
    const bool is_late = result.outcome == Result::Outcome::kLate;
    check(result, call, is_late ? std::make_shared<Body>(pending.body) : nullptr);
  } catch (...) {
    error = std::current_exception();
    if (call.order.is_counted) rules_.forget();
  }
  transport_->enter(nullptr);
  end_pending(pending, *this);
  {
    const std::lock_guard lock(pending.mutex);
    pending.body = nullptr;
    pending.error = error;
    pending.is_done = true;
    // Under the lock: the caller may destroy the object as soon as it can take it.
    pending.changed.notify_all();
  }
}

// CUDA-aware MPI and NCCL on the same devices can deadlock, so MPI gets no pointers where NCCL is
// there, also not for dtypes that NCCL lacks.
Route Group::route_of(const Tensor& tensor) const {
  const Device device = tensor.device();
  if (!transport_ || !device.is_cuda()) return Route::kHost;
  if (has_nccl(device)) return is_of_nccl(tensor.dtype()) ? Route::kNccl : Route::kHost;
  return transport_->takes_device_memory() ? Route::kDirect : Route::kHost;
}

Result Group::run_on_device(Pending& pending) {
  const Device device = pending.call.device;
  Result result;
  const auto run_on = [&](Transport& transport) {
    pending.after_program();
    result = pending.body(transport);
    pending.after_call = order_after(device);
  };
  if (pending.call.route == Route::kNccl) {
    if (!nccl_) nccl_ = std::make_unique<NcclTransport>(*transport_, device, timeout_);
    nccl_->on_stream([&] { run_on(*nccl_); });
  } else {
    DirectTransport direct(*transport_, device);
    kernels::Backend::Runner& beside = beside_[device.index()];
    if (!beside) beside = kernels::runner_beside(device.index());
    beside([&] { run_on(direct); });
  }
  return result;
}

// Compares the calls by one small reduction: the minimum of a number and of its complement, which
// is the maximum.
void Group::check_agreement(const Call& call) {
  const std::int64_t fields[] = {calls_++,
                                 static_cast<std::int64_t>(call.kind),
                                 static_cast<std::int64_t>(call.op),
                                 call.peer,
                                 static_cast<std::int64_t>(call.dtype),
                                 hash_of(call.sizes),
                                 static_cast<std::int64_t>(call.device.type()),
                                 static_cast<std::int64_t>(call.route),
                                 call.order.hash};
  constexpr std::size_t kFields = std::size(fields), kOrder = kFields - 1, kRoute = kFields - 2;
  const auto memory = std::make_shared<std::array<std::int64_t, 2 * kFields>>();
  std::array<std::int64_t, 2 * kFields>& ends = *memory;
  for (std::size_t i = 0; i < kFields; ++i) {
    ends[i] = fields[i];
    ends[kFields + i] = ~fields[i];
  }
  check(transport_->all_reduce(ends.data(), std::int64_t{2 * kFields}, kLong, Reduction::kMin),
        call, memory);
  bool agree = true;
  for (std::size_t i = 0; i < kFields; ++i) agree = agree && ends[i] == ~ends[kFields + i];
  if (agree) return;
  bool agree_but_for_order = true;
  for (std::size_t i = 0; i < kOrder; ++i) {
    agree_but_for_order = agree_but_for_order && ends[i] == ~ends[kFields + i];
  }

  const auto texts = std::make_shared<std::pair<std::string, std::string>>();
  auto& [mine, all] = *texts;
  mine = describe(call);
  if (agree_but_for_order)
    mine += call.order.before.empty() ? " first" : " after " + call.order.before;
  if (ends[kRoute] != ~ends[kFields + kRoute]) mine += name_of(call.route);
  mine.resize(kPositionBytes - 1);
  mine.push_back('\0');
  all.resize(static_cast<std::size_t>(size() * kPositionBytes));
  check(transport_->all_gather(mine.data(), all.data(), kPositionBytes), call, texts);
  std::string text = agree_but_for_order
                         ? "the ranks call collectives of two groups in different orders, in which "
                           "NCCL hangs: "
                         : "the ranks call different collectives: ";
  const std::string first = all.c_str();
  text += "rank 0 calls " + first;
  for (int rank = 1; rank < size(); ++rank) {
    const std::string other = &all[static_cast<std::size_t>(rank * kPositionBytes)];
    if (other != first) text += text_of(", rank ", rank, " calls ", other);
  }
  tern::detail::raise<Error>(text);
}

// Two ranks of one process or machine cannot share a device, and a rank cannot change its own.
void Group::check_devices(const Call& call) {
  if (!call.device.is_cuda() || !DeviceRules::hold(call.route == Route::kNccl)) return;
  const auto memory = std::make_shared<
      std::pair<std::array<std::int64_t, 3>, std::vector<std::array<std::int64_t, 3>>>>();
  auto& [mine, all] = *memory;
  mine = {call.device.index(), rules_.device, host_hash()};
  all.resize(static_cast<std::size_t>(size()));
  check(transport_->all_gather(mine.data(), all.data(), sizeof(mine)), call, memory);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto [device, before, host] = all[rank];
    TERN_CHECK(before == -1 || before == device, Error, describe(call), ": rank ", rank,
               " has used cuda:", before, " in this group and now uses cuda:", device,
               "; a rank of NCCL has one device: split() the group for another");
    for (std::size_t other = 0; other < rank; ++other) {
      TERN_CHECK(all[other][0] != device || all[other][2] != host, Error, describe(call),
                 ": ranks ", other, " and ", rank, " both use cuda:", device,
                 " (NCCL: Duplicate GPU detected); give each rank a device of its own, or send "
                 "over host memory by TERN_NCCL=0");
    }
  }
  rules_.device = call.device.index();
}

void Group::check(const Result& result, const Call& call, std::shared_ptr<void> memory) {
  if (result.outcome == Result::Outcome::kDone) return;
  if (result.outcome == Result::Outcome::kLate) {
    keep(std::move(memory));
    fail(text_of_late(call));
  }
  fail(text_of("rank ", rank(), " in ", describe(call), ": ", result.text));
}

void Group::fail(std::string text) {
  failure_ = std::move(text);
  tern::detail::raise<Error>(failure_);
}

std::string Group::text_of_late(const Call& call) {
  std::string mine = describe(call);
  mine.resize(kPositionBytes - 1);
  std::string all(static_cast<std::size_t>(size() * kPositionBytes), '\0');
  transport_->call_roll(mine.c_str(), all.data());
  std::vector<int> missing;
  std::string others;
  for (int rank = 0; rank < size(); ++rank) {
    const std::string position = &all[static_cast<std::size_t>(rank * kPositionBytes)];
    if (position.empty()) {
      missing.push_back(rank);
    } else if (rank != this->rank() && position != mine.c_str()) {
      others += text_of("; rank ", rank, " waits in ", position);
    }
  }
  std::string text = text_of("rank ", rank(), " waited ", timeout_, " s in ", describe(call));
  if (!missing.empty()) {
    text += " for " + list_of(missing) + (missing.size() == 1 ? ", which does" : ", which do") +
            " not take part";
  }
  return text + others;
}

}  // namespace tern::distributed::detail
