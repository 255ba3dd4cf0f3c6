#include <backends/cuda/emulator/emulator.h>

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace tern::emulator {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;
constexpr unsigned kWarp = 32;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kBlocksPerOrder = 16;  // a shuffle takes as long as the threads of a block

enum class State { kNew, kRunning, kAtBlockBarrier, kAtWarpBarrier, kDone };

// The address sanitizer must know which stack runs, because it stores the marks around local
// variables per stack. `bottom` and `bytes` describe the stack that is entered or the stack that
// was left.
#ifdef __SANITIZE_ADDRESS__
void start_switch(void** saved, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(saved, bottom, bytes);
}
void finish_switch(void* saved, const void** bottom, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(saved, bottom, bytes);
}
#else
void start_switch(void**, const void*, std::size_t) {}
void finish_switch(void*, const void**, std::size_t*) {}
#endif

// A stack and the position where it was left. Jumping needs no system call, unlike swapcontext: a
// block of 256 threads switches thousands of times.
struct Stack {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* registers[5] = {};

  // Leaves this stack for `other`, which jumps back later. Not sanitized, because the sanitizer
  // clears all marks of a stack if a sanitized function jumps away from it.
  [[gnu::noinline, gnu::no_sanitize_address]] void leave_for(Stack& other) {
    void* saved = nullptr;
    start_switch(&saved, other.bottom, other.bytes);
    if (__builtin_setjmp(registers) == 0) jump(other);
    finish_switch(saved, &other.bottom, &other.bytes);
  }

  // Leaves this stack for `other`, which starts with `context`.
  [[gnu::noinline, gnu::no_sanitize_address]] void leave_for(Stack& other, ucontext_t& context) {
    void* saved = nullptr;
    start_switch(&saved, other.bottom, other.bytes);
    if (__builtin_setjmp(registers) == 0) setcontext(&context);
    finish_switch(saved, &other.bottom, &other.bytes);
  }

 private:
  [[gnu::noinline, gnu::no_sanitize_address, noreturn]] static void jump(Stack& other) {
    __builtin_longjmp(other.registers, 1);
  }
};

// A stack that runs threads. When a thread ends, the fiber continues with the next new thread, so a
// kernel without barriers needs a single fiber.
struct Fiber {
  Stack stack;
  bool has_begun = false;
  unsigned thread = 0;
};

struct Thread {
  State state = State::kNew;
  Fiber* fiber = nullptr;
  std::uint64_t brought[2] = {};  // values at the barriers of the warp, with even and odd number
  unsigned meetings = 0;
};

// The order in which blocks and threads take their turns.
class Order {
 public:
  explicit Order(std::uint64_t seed) : seed_(seed), state_(seed * 2 + 1) {}

  std::uint64_t seed() const { return seed_; }

  /// Begins a launch of so many blocks.
  void begin(std::uint64_t blocks) {
    blocks_ = blocks;
    step_ = first_ = 0;
    if (seed_ == 0) step_ = 1;
    while (std::gcd(step_, blocks_) != 1) step_ = number() % 0xfffff + 1;
    if (seed_ != 0) first_ = number() % blocks_;
  }
  std::uint64_t block(std::uint64_t turn) const { return (first_ + turn * step_) % blocks_; }

  /// Gives a number to each of the turns of a block's threads.
  void shuffle(std::vector<unsigned>& threads) {
    std::iota(threads.begin(), threads.end(), 0U);
    if (seed_ == 0) return;
    for (std::size_t i = threads.size(); i > 1; --i)
      std::swap(threads[i - 1], threads[number() % i]);
  }

 private:
  std::uint64_t number() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 11;
  }

  std::uint64_t seed_, state_, blocks_ = 1, step_ = 1, first_ = 0;
};

std::uint64_t wanted_seed() {
  const char* const text = std::getenv("TERN_EMULATOR_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

class Machine {
 public:
  void run(Index grid, Index block, const std::function<void()>& body) {
    const std::lock_guard lock(mutex_);
    check_launch(grid, block);
    body_ = &body;
    place_.grid_size = grid;
    place_.block_size = block;
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    order_.begin(blocks);
    turns_.resize(std::size_t{block.x} * block.y * block.z);
    for (std::uint64_t turn = 0; turn < blocks; ++turn) {
      if (turn % kBlocksPerOrder == 0) order_.shuffle(turns_);
      const std::uint64_t number = order_.block(turn), row = number / grid.x;
      place_.block = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(row % grid.y),
                      static_cast<unsigned>(row / grid.y)};
      run_block();
      if (!complaint_.empty()) throw std::logic_error(std::exchange(complaint_, {}));
    }
  }

  const Place& place() const { return place_; }
  const Moment& moment() const { return moment_; }
  void complain(const std::string& what) {
    if (complaint_.empty()) complaint_ = what;
  }
  std::uint64_t set_order(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    return std::exchange(order_, Order(seed)).seed();
  }

  void wait(State barrier) {
    Fiber* fiber = current_;
    const unsigned self = fiber->thread;
    threads_[self].state = barrier;
    fiber->stack.leave_for(scheduler_);
    enter(self);
  }

  std::uint64_t exchange(std::uint64_t bits, unsigned lane) {
    Thread& self = threads_[current_->thread];
    const unsigned parity = self.meetings++ % 2;
    self.brought[parity] = bits;
    const unsigned first = current_->thread / kWarp * kWarp;
    wait(State::kAtWarpBarrier);
    return threads_[first + lane].brought[parity];
  }

 private:
  static void check_launch(Index grid, Index block) {
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (threads == 0 || threads > kMostThreads || block.z > 64) {
      throw std::logic_error("invalid configuration argument: the block");
    }
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 ||
        grid.z > 65535) {
      throw std::logic_error("invalid configuration argument: the grid");
    }
  }

  void run_block() {
    const Index size = place_.block_size;
    threads_.assign(std::size_t{size.x} * size.y * size.z, {});
    moment_.block_start = ++moment_.now;
    next_ = 0;
    free_.clear();
    for (const auto& fiber : fibers_) free_.push_back(fiber.get());
    while (next_ < threads_.size()) resume(idle_fiber());  // until all threads wait or have ended
    for (bool forward = true; release(); forward = !forward) {
      // The order changes, so that a missing barrier shows.
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        Thread& thread = threads_[turns_[forward ? i : threads_.size() - 1 - i]];
        if (thread.state == State::kRunning) resume(thread.fiber);
      }
    }
  }

  // Releases the threads at complete barriers. Returns false if all threads have ended.
  bool release() {
    bool waiting = false, released = false;
    for (std::size_t first = 0; first < threads_.size(); first += kWarp) {
      const std::size_t last = std::min<std::size_t>(first + kWarp, threads_.size());
      std::size_t here = 0;
      for (std::size_t t = first; t < last; ++t) {
        here += threads_[t].state == State::kAtWarpBarrier;
        waiting = waiting || threads_[t].state != State::kDone;
      }
      if (here != last - first) continue;
      for (std::size_t t = first; t < last; ++t) threads_[t].state = State::kRunning;
      released = true;
    }
    if (!waiting || released) return waiting;
    for (Thread& thread : threads_) {
      if (thread.state != State::kAtBlockBarrier) {
        throw std::logic_error("a barrier that not all threads reach");
      }
      thread.state = State::kRunning;
    }
    ++moment_.now;
    return true;
  }

  void resume(Fiber* fiber) {
    current_ = fiber;
    if (fiber->has_begun) {
      scheduler_.leave_for(fiber->stack);
    } else {
      begin(fiber);
    }
  }

  void begin(Fiber* fiber) {
    fiber->has_begun = true;
    ucontext_t context{};
    getcontext(&context);
    context.uc_stack.ss_sp = const_cast<void*>(fiber->stack.bottom);
    context.uc_stack.ss_size = fiber->stack.bytes;
    makecontext(&context, &Machine::run_threads, 0);
    scheduler_.leave_for(fiber->stack, context);
  }

  Fiber* idle_fiber() {
    if (free_.empty()) {
      const void* const memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) throw std::bad_alloc();
      fibers_.push_back(std::make_unique<Fiber>(Fiber{{memory, kStackBytes}}));
      free_.push_back(fibers_.back().get());
    }
    Fiber* fiber = free_.back();
    free_.pop_back();
    return fiber;
  }

  static void run_threads();

  void enter(unsigned thread) {
    const Index size = place_.block_size;
    moment_.thread = thread;
    place_.thread = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
  }

  std::mutex mutex_;
  Place place_;
  const std::function<void()>* body_ = nullptr;
  std::vector<Thread> threads_;
  unsigned next_ = 0;  // the first turn whose thread has not started
  Order order_{wanted_seed()};
  std::vector<unsigned> turns_;  // the number of the thread of each turn
  Moment moment_;
  std::string complaint_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;
  Fiber* current_ = nullptr;
  Stack scheduler_;
};

Machine& machine() {
  static Machine& machine = *new Machine;
  return machine;
}

void Machine::run_threads() {
  Machine& self = machine();
  finish_switch(nullptr, &self.scheduler_.bottom, &self.scheduler_.bytes);
  Fiber* const fiber = self.current_;
  while (true) {
    while (self.next_ < self.threads_.size()) {
      fiber->thread = self.turns_[self.next_++];
      Thread& thread = self.threads_[fiber->thread];
      thread.state = State::kRunning;
      thread.fiber = fiber;
      self.enter(fiber->thread);
      (*self.body_)();
      self.threads_[fiber->thread].state = State::kDone;
      self.current_ = fiber;
    }
    fiber->stack.leave_for(self.scheduler_);  // until a block needs this stack again
  }
}

}  // namespace

int& last_error() {
  static thread_local int error = 0;
  return error;
}

int& runtime_device() {
  static thread_local int device = 0;
  return device;
}

bool& refuses_device() {
  static thread_local bool refuses = false;
  return refuses;
}

bool& is_capturing() {
  static thread_local bool capturing = false;
  return capturing;
}

float& milliseconds() {
  static thread_local float time = 0;
  return time;
}

std::size_t& most_scratch() {
  static thread_local std::size_t bytes = SIZE_MAX;
  return bytes;
}

std::vector<std::string>& notes() {
  static thread_local std::vector<std::string> all;
  return all;
}

unsigned& contexts() {
  static unsigned all = 0;
  return all;
}

const Place& place() { return machine().place(); }
const Moment& moment() { return machine().moment(); }
void complain(const std::string& what) { machine().complain(what); }
void check_alignment(const void* address, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment == 0) return;
  complain("an access to " + std::to_string(alignment) + " bytes that are not aligned");
}
std::uint64_t set_order(std::uint64_t seed) { return machine().set_order(seed); }
void block_barrier() { machine().wait(State::kAtBlockBarrier); }
std::uint64_t warp_exchange(std::uint64_t bits, unsigned lane) {
  return machine().exchange(bits, lane);
}
void run(Index grid, Index block, const std::function<void()>& body) {
  machine().run(grid, block, body);
}

}  // namespace tern::emulator
