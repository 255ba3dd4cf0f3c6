#include <tern/backends/cuda/device/nccl/library.h>

#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/distributed/detail/combine.h>

#include <backends/cuda/emulator/emulator.h>
#include <backends/cuda/emulator/fake_runtime.h>

// The replacement for NCCL: ranks are threads of one process. A call waits until all ranks make it,
// after the work that its stream has by then; the result is written by a work of the stream, so
// that whoever does not wait for it reads old elements. What NCCL asks for and does not check
// throws std::logic_error: the same call on all ranks, a device of its own for each rank, memory
// and streams of this device.

namespace tern::emulator {
namespace {

using cuda::device::nccl::Communicator;
using cuda::device::nccl::Config;
using cuda::device::nccl::Op;
using cuda::device::nccl::Status;
using cuda::device::nccl::Type;
using cuda::device::nccl::UniqueId;
using distributed::detail::Reduction;
using Bytes = std::vector<char>;

namespace nccl = cuda::device::nccl;

struct Message {
  int peer;
  Bytes bytes;
};

// What a rank brings to a call.
struct Part {
  std::string call;
  Bytes bytes;
  std::vector<Message> messages;
};

// The ranks with one id.
struct World {
  std::mutex mutex;
  std::condition_variable changed;
  int size = 0, connected = 0, arrived = 0;
  std::uint64_t turn = 0;
  std::vector<int> devices;
  std::vector<Part> parts;

  void wait_for_all() {
    std::unique_lock lock(mutex);
    const std::uint64_t mine = turn;
    if (++arrived == size) {
      arrived = 0;
      ++turn;
      changed.notify_all();
    } else {
      changed.wait(lock, [&] { return turn != mine; });
    }
  }
};

struct Member {
  std::shared_ptr<World> world;
  int rank = 0, device = 0;
};
Member& member_of(Communicator communicator) { return *static_cast<Member*>(communicator); }

void require(bool holds, const std::string& rule) {
  if (!holds) throw std::logic_error("NCCL: " + rule);
}

std::mutex worlds_mutex;
std::map<std::string, std::shared_ptr<World>>& worlds() {
  static auto& all = *new std::map<std::string, std::shared_ptr<World>>;
  return all;
}

std::shared_ptr<World> world_of(const UniqueId& id, int size) {
  const std::lock_guard lock(worlds_mutex);
  std::shared_ptr<World>& world = worlds()[std::string(id.bytes, sizeof(id.bytes))];
  if (world == nullptr) {
    world = std::make_shared<World>();
    world->size = size;
    world->parts.resize(static_cast<std::size_t>(size));
  }
  require(world->size == size, "the ranks disagree on their number");
  return world;
}

void check_memory(const Member& member, const void* pointer, std::size_t bytes) {
  if (bytes == 0) return;
  const FakeLock lock(fake_runtime().mutex);
  const char* const start = static_cast<const char*>(pointer);
  auto block = fake_runtime().device_memory.upper_bound(start);
  require(block != fake_runtime().device_memory.begin(), "the pointer is not to a device");
  --block;
  require(start + bytes <= block->first + block->second.bytes, "the memory is not of a device");
  require(block->second.device == member.device, "the memory is of another device");
}

Bytes bytes_at(const Member& member, const void* pointer, std::size_t bytes) {
  check_memory(member, pointer, bytes);
  Bytes copy(bytes);
  if (bytes > 0) std::memcpy(copy.data(), pointer, bytes);
  return copy;
}

// Brings a part, and gives `read` those of all ranks.
template <class Read>
void exchange(const Member& member, Part part, const Read& read) {
  World& world = *member.world;
  world.parts[static_cast<std::size_t>(member.rank)] = std::move(part);
  world.wait_for_all();
  const std::string& mine = world.parts[static_cast<std::size_t>(member.rank)].call;
  for (const Part& other : world.parts) {
    require(other.call == mine, "the ranks call " + mine + " and " + other.call);
  }
  read(world.parts);
  world.wait_for_all();
}

void prepare(const Member& member, void* stream) {
  require(runtime_device() == member.device, "the device of the communicator is not current");
  finish(static_cast<cudaStream_t>(stream));
}

void write_later(const Member& member, void* out, Bytes bytes, void* stream) {
  check_memory(member, out, bytes.size());
  const auto work = [out, bytes = std::move(bytes)] {
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  };
  require(submit(static_cast<cudaStream_t>(stream), work) == cudaSuccess,
          "the stream is of another device");
}

ScalarType dtype_of(Type type) {
  if (type == nccl::kInt8) return kChar;
  if (type == nccl::kInt32) return kInt;
  if (type == nccl::kInt64) return kLong;
  if (type == nccl::kFloat16) return kHalf;
  if (type == nccl::kFloat32) return kFloat;
  if (type == nccl::kFloat64) return kDouble;
  if (type == nccl::kBfloat16) return kBFloat16;
  require(type == nccl::kUint8, "unknown type");
  return kByte;
}

Reduction reduction_of(Op op) {
  if (op == nccl::kMax) return Reduction::kMax;
  return op == nccl::kMin ? Reduction::kMin : Reduction::kSum;
}

// Joins `count` elements of each rank's bytes from element `first` on.
Bytes joined(std::vector<Part>& parts, std::size_t first, std::size_t count, Type type, Op op) {
  const ScalarType dtype = dtype_of(type);
  const std::size_t size = element_size(dtype);
  Bytes sum;
  for (const Part& part : parts) {
    const auto begin = part.bytes.begin() + static_cast<std::ptrdiff_t>(first * size);
    Bytes elements(begin, begin + static_cast<std::ptrdiff_t>(count * size));
    const auto number = static_cast<std::int64_t>(count);
    if (op == nccl::kAverage) {
      distributed::detail::divide(dtype, elements.data(), number, static_cast<int>(parts.size()));
    }
    if (sum.empty()) {
      sum = std::move(elements);
    } else {
      distributed::detail::combine(dtype, reduction_of(op), sum.data(), elements.data(), number);
    }
  }
  return sum;
}

std::string text_of_call(const char* name, std::size_t count, Type type, int number) {
  return std::string(name) + " " + std::to_string(count) + " " +
         std::to_string(static_cast<int>(type)) + " " + std::to_string(number);
}

// The sends and receives between ncclGroupStart and ncclGroupEnd.
struct OpenGroup {
  int depth = 0;
  const Member* member = nullptr;
  void* stream = nullptr;
  std::vector<Message> sends;
  struct Receive {
    int peer;
    void* out;
    std::size_t bytes;
  };
  std::vector<Receive> receives;
};
thread_local OpenGroup open_group;

void join_group(const Member& member, void* stream) {
  require(open_group.depth > 0, "this replacement needs a group around a message");
  require(open_group.member == nullptr || open_group.member == &member, "two communicators");
  open_group.member = &member;
  open_group.stream = stream;
}

}  // namespace
}  // namespace tern::emulator

using namespace tern::emulator;

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): NCCL's names.
Status ncclGetUniqueId(UniqueId* id) {
  static int ids = 0;
  const std::lock_guard lock(worlds_mutex);
  *id = {};
  std::memcpy(id->bytes, &++ids, sizeof(ids));
  return nccl::kSuccess;
}
const char* ncclGetErrorString(Status) { return "an error of the replacement"; }
const char* ncclGetLastError(Communicator) { return ""; }

Status ncclCommInitRankConfig(Communicator* communicator, int size, UniqueId id, int rank,
                              Config* config) {
  require(config->size >= sizeof(Config) && config->magic == 0xcafebeef, "an unset configuration");
  require(config->blocking == 0, "a communicator that blocks cannot be given up");
  const auto world = world_of(id, size);
  const std::lock_guard lock(world->mutex);
  for (const int device : world->devices) {
    require(device != runtime_device(), "Duplicate GPU detected");
  }
  world->devices.push_back(runtime_device());
  ++world->connected;
  *communicator = new Member{world, rank, runtime_device()};
  return nccl::kInProgress;
}
Status ncclCommGetAsyncError(Communicator communicator, Status* status) {
  World& world = *member_of(communicator).world;
  const std::lock_guard lock(world.mutex);
  *status = world.connected == world.size ? nccl::kSuccess : nccl::kInProgress;
  return nccl::kSuccess;
}
Status ncclCommFinalize(Communicator) { return nccl::kSuccess; }
Status ncclCommDestroy(Communicator communicator) {
  delete &member_of(communicator);
  return nccl::kSuccess;
}
Status ncclCommAbort(Communicator communicator) { return ncclCommDestroy(communicator); }

Status ncclAllReduce(const void* in, void* out, std::size_t count, Type type, Op op,
                     Communicator communicator, void* stream) {
  const Member& member = member_of(communicator);
  prepare(member, stream);
  const std::size_t bytes = count * tern::element_size(dtype_of(type));
  exchange(member,
           {text_of_call("all_reduce", count, type, static_cast<int>(op)),
            bytes_at(member, in, bytes),
            {}},
           [&](std::vector<Part>& parts) {
             write_later(member, out, joined(parts, 0, count, type, op), stream);
           });
  return nccl::kSuccess;
}
Status ncclReduceScatter(const void* in, void* out, std::size_t count, Type type, Op op,
                         Communicator communicator, void* stream) {
  const Member& member = member_of(communicator);
  prepare(member, stream);
  const auto size = static_cast<std::size_t>(member.world->size);
  const std::size_t bytes = size * count * tern::element_size(dtype_of(type));
  exchange(member,
           {text_of_call("reduce_scatter", count, type, static_cast<int>(op)),
            bytes_at(member, in, bytes),
            {}},
           [&](std::vector<Part>& parts) {
             const std::size_t first = static_cast<std::size_t>(member.rank) * count;
             write_later(member, out, joined(parts, first, count, type, op), stream);
           });
  return nccl::kSuccess;
}
Status ncclBroadcast(const void* in, void* out, std::size_t count, Type type, int root,
                     Communicator communicator, void* stream) {
  const Member& member = member_of(communicator);
  prepare(member, stream);
  const std::size_t bytes = count * tern::element_size(dtype_of(type));
  exchange(member, {text_of_call("broadcast", count, type, root), bytes_at(member, in, bytes), {}},
           [&](std::vector<Part>& parts) {
             write_later(member, out, parts[static_cast<std::size_t>(root)].bytes, stream);
           });
  return nccl::kSuccess;
}
Status ncclAllGather(const void* in, void* out, std::size_t count, Type type,
                     Communicator communicator, void* stream) {
  const Member& member = member_of(communicator);
  prepare(member, stream);
  const std::size_t bytes = count * tern::element_size(dtype_of(type));
  exchange(member, {text_of_call("all_gather", count, type, 0), bytes_at(member, in, bytes), {}},
           [&](std::vector<Part>& parts) {
             Bytes all;
             for (const Part& part : parts) {
               all.insert(all.end(), part.bytes.begin(), part.bytes.end());
             }
             write_later(member, out, std::move(all), stream);
           });
  return nccl::kSuccess;
}

Status ncclGroupStart() {
  ++open_group.depth;
  return nccl::kSuccess;
}
Status ncclSend(const void* in, std::size_t count, Type, int peer, Communicator communicator,
                void* stream) {
  const Member& member = member_of(communicator);
  join_group(member, stream);
  prepare(member, stream);
  open_group.sends.push_back({peer, bytes_at(member, in, count)});
  return nccl::kSuccess;
}
Status ncclRecv(void* out, std::size_t count, Type, int peer, Communicator communicator,
                void* stream) {
  join_group(member_of(communicator), stream);
  open_group.receives.push_back({peer, out, count});
  return nccl::kSuccess;
}
Status ncclGroupEnd() {
  if (--open_group.depth > 0 || open_group.member == nullptr) return nccl::kSuccess;
  const OpenGroup group = std::exchange(open_group, {});
  exchange(*group.member, {"messages", {}, group.sends}, [&](std::vector<Part>& parts) {
    for (const OpenGroup::Receive& receive : group.receives) {
      bool is_found = false;
      for (const Message& message : parts[static_cast<std::size_t>(receive.peer)].messages) {
        if (message.peer != group.member->rank) continue;
        require(message.bytes.size() == receive.bytes, "a message of another size");
        write_later(*group.member, receive.out, message.bytes, group.stream);
        is_found = true;
      }
      require(is_found, "a message that nobody sends");
    }
  });
  return nccl::kSuccess;
}
// NOLINTEND(readability-identifier-naming)
}
