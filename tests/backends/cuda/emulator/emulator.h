#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Runs a CUDA kernel on the CPU as CUDA would: every thread of a block has its own stack, and
// threads wait for each other at barriers. It is stricter than hardware: a barrier that some
// threads of the block (or of the warp) never reach is always an error. It detects no data races
// and does not measure speed.

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

/// Runs `body` once for each thread of each block. Blocks run one after the other. Throws
/// std::logic_error for a launch that a GPU would refuse and for barriers that not all threads
/// reach.
void run(Index grid, Index block, const std::function<void()>& body);

}  // namespace tern::emulator
