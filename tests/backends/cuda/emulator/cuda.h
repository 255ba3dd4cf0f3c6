#pragma once

// Replaces the header of CUDA's driver.

using CUdevice = int;
using CUresult = int;
constexpr CUresult CUDA_SUCCESS = 0;
