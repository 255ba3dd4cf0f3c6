#pragma once

#include <cstdint>
#include <functional>

// Runs a CUDA kernel on the CPU as CUDA would: every thread of a block has its own stack, and they
// meet at barriers. It is strict where hardware is only sometimes: a barrier that some threads of
// the block (or of the warp) never reach is an error. What it cannot see are data races and speed.

namespace tern::emulator {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};

/// Where the running thread is.
struct Place {
  Index thread, block, block_size, grid_size;
};
const Place& place();

/// Waits for all threads of the block.
void block_barrier();
/// Waits for all threads of the warp; returns the bits that the thread `lane` of it brought.
std::uint64_t warp_exchange(std::uint64_t bits, unsigned lane);

/// What cudaGetLastError() and cudaGetDevice() return in this thread.
int& last_error();
int& runtime_device();
/// A bit for each device with a context.
unsigned& contexts();

/// Runs `body` once for each thread of each block. Blocks run one after the other. Throws
/// std::logic_error for a launch that a GPU would refuse and for barriers that are not met by all.
void run(Index grid, Index block, const std::function<void()>& body);

}  // namespace tern::emulator
