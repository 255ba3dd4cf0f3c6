#pragma once

// Includes all headers of training: a second header for users, beside tern.h.

#include <tern/tern.h>
#include <tern/train/metrics/metrics.h>
