#include <tern/backends/sim/calls.h>

// Ranges for tools: the simulator counts them, as a tool that observes the program does.

namespace tern::sim {
namespace {
thread_local std::int32_t open_ranges = 0;
}  // namespace

std::int32_t range_push(const char*) { return open_ranges++; }
std::int32_t range_pop() { return open_ranges == 0 ? -1 : --open_ranges; }
void range_mark(const char*) {}

}  // namespace tern::sim
