#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

// A CUDA runtime in host memory. Work is queued and runs when something waits for it, one piece
// after the other. What CUDA refuses is refused here, too: copies between the wrong kinds of
// memory, launches and events for a device that is not current, and waiting during a capture.

struct FakeStream;

struct FakeGraph {
  std::vector<std::function<void()>> work;
  unsigned long long number = 0;
  std::thread::id owner;
  bool is_invalid = false;
};

/// The state of the last record. An event that was never recorded is done.
struct FakeEvent {
  int device = 0;
  bool has_time = true;
  float time = 0;
  std::shared_ptr<bool> is_done;
  FakeStream* stream = nullptr;
  std::shared_ptr<FakeGraph> capture;
  std::size_t works = 0;  // of the stream in the capture
};

struct FakeStream {
  int device = 0;
  std::deque<std::function<void()>> queue;
  std::shared_ptr<FakeGraph> capture;
  bool began_capture = false;
  // Of another stream than the one that began the capture: its works, and those that the first
  // stream waits for.
  std::size_t works = 0, joined_works = 0;
};

namespace tern::emulator {

constexpr int kFakeDevices = 4;

/// True if the environment variable TERN_FAST_GPU is set. Then there is one device, and work has
/// run when the call that submits it returns, as on a GPU that is faster than the host.
bool is_fast();

struct FakeRuntime {
  struct Block {
    std::size_t bytes;
    int device;
  };
  std::recursive_mutex mutex;  // work runs under it and asks for its stream
  std::set<FakeStream*> streams;
  std::map<const char*, Block> device_memory, host_memory;
  std::size_t used[kFakeDevices] = {};
  bool has_peer[kFakeDevices][kFakeDevices] = {};
  unsigned long long captures = 0;

  /// Returns the stream; null for a pointer that is none.
  FakeStream* stream_of(cudaStream_t stream) const;
};
FakeRuntime& fake_runtime();

using FakeLock = std::lock_guard<std::recursive_mutex>;

/// Leaves the error in the record of the thread.
cudaError_t refuse(cudaError_t error);
/// Adds work to a stream that does not capture.
void enqueue(FakeStream& stream, std::function<void()> work);
/// Runs all that is queued.
void run_all(FakeStream& stream);
/// Does the same, or refuses to during a capture.
cudaError_t wait_for(FakeStream& stream);
/// Returns true for a call that this thread may not make while it captures; that ends the capture.
bool is_unsafe();

}  // namespace tern::emulator
