#pragma once

/// Marks public symbols. All others are hidden (-fvisibility=hidden).
#define TERN_API __attribute__((visibility("default")))
