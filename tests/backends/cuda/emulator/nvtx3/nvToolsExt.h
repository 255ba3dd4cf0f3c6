#pragma once

// Replaces NVTX's header: no tool observes the program.

inline int nvtxRangePushA(const char*) { return -2; }
inline int nvtxRangePop() { return -2; }
inline void nvtxMarkA(const char*) {}
