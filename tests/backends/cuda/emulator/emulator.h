#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Runs a CUDA kernel on the CPU as CUDA would: every thread of a block has its own stack, and
// threads wait for each other at barriers. It is stricter than hardware: a barrier that some
// threads of the block (or of the warp) never reach is always an error, and so is a race in shared
// memory (shared_memory.h). It detects no races in other memory and does not measure speed. Blocks
// and threads take turns in an order that the environment variable TERN_EMULATOR_SEED chooses; with
// 0 they do so in the order of their numbers.

namespace tern::emulator {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};

/// The position of the running thread.
struct Place {
  Index thread, block, block_size, grid_size;
};
const Place& place();

/// Waits for all threads of the block.
void block_barrier();
/// Waits for all threads of the warp and returns the bits passed by its thread `lane`.
std::uint64_t warp_exchange(std::uint64_t bits, unsigned lane);

/// The values of cudaGetLastError() and cudaGetDevice() in this thread.
int& last_error();
int& runtime_device();
/// Whether cudaSetDevice() fails in this thread.
bool& refuses_device();
/// One bit for each device with a context.
unsigned& contexts();
/// Whether this thread's streams are being captured, and the time that events record.
bool& is_capturing();
float& milliseconds();

/// The largest Scratch of this thread that finds memory, and the names of its notes.
std::size_t& most_scratch();
std::vector<std::string>& notes();

/// When something happens in a launch.
struct Moment {
  std::uint64_t block_start = 1;  // `now` when the running block began
  std::uint64_t now = 1;          // grows with each block and each barrier of a block
  unsigned thread = 0;            // the number of the running thread in its block
};
const Moment& moment();

/// Makes the running launch fail with the first of all complaints once its block has ended.
void complain(const std::string& what);
/// Complains of an access that is not aligned.
void check_alignment(const void* address, std::size_t alignment);

/// Chooses the order of blocks and threads, as TERN_EMULATOR_SEED does. Returns the seed before.
std::uint64_t set_order(std::uint64_t seed);

/// Runs `body` once for each thread of each block. Blocks run one after the other. Throws
/// std::logic_error for a launch that a GPU would refuse, for barriers that not all threads reach,
/// and for what is complained of.
void run(Index grid, Index block, const std::function<void()>& body);

}  // namespace tern::emulator
