#include <backends/cuda/emulator/shared_memory.h>

#include <string>

namespace tern::emulator {
namespace {

void complain_of_race(const char* does, unsigned other, const char* did) {
  complain("a race: thread " + std::to_string(moment().thread) + ' ' + does +
           " shared memory that thread " + std::to_string(other) + ' ' + did +
           ", with no barrier between");
}

}  // namespace

void Accesses::read() {
  const Moment& now = moment();
  if (written_at_ < now.block_start) {
    complain("thread " + std::to_string(now.thread) +
             " reads shared memory that no thread of its block has written");
  } else if (written_at_ == now.now && writer_ != now.thread) {
    complain_of_race("reads", writer_, "writes");
  }
  many_read_ = read_at_ == now.now && (many_read_ || reader_ != now.thread);
  read_at_ = now.now;
  reader_ = now.thread;
}

void Accesses::write() {
  const Moment& now = moment();
  if (written_at_ == now.now && writer_ != now.thread) {
    complain_of_race("writes", writer_, "writes, too");
  } else if (read_at_ == now.now && (many_read_ || reader_ != now.thread)) {
    complain_of_race("writes", reader_, "reads");
  }
  written_at_ = now.now;
  writer_ = now.thread;
}

std::int64_t checked_index(std::int64_t index, std::int64_t count) {
  if (index >= 0 && index < count) return index;
  complain("shared memory of " + std::to_string(count) + " elements has no element " +
           std::to_string(index));
  return 0;
}

}  // namespace tern::emulator
