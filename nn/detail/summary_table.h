#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tern/nn/module.h>

// The text of Module::summary() and nn::summary().

namespace tern::nn::detail {

/// Formats 652824 as 652,824.
std::string grouped(std::int64_t number);
/// Returns rows as text with columns of equal width. Column `numbers` is aligned to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers);
/// Returns the line with the totals of parameters and buffers.
std::string totals(const Module& module);

}  // namespace tern::nn::detail
