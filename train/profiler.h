#pragma once

// Includes all headers of the profiler.

#include <tern/train/profiler/averages.h>
#include <tern/train/profiler/nvtx.h>
#include <tern/train/profiler/profile.h>
#include <tern/train/profiler/record_function.h>
