#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tern::train::detail {

/// Returns the cells as one line of CSV with its line break.
std::string csv_line(const std::vector<std::string>& cells);

/// Reads the record at `position` into `cells` and moves `position` behind its line break. Returns
/// false if no whole record follows.
bool next_csv_record(std::string_view text, std::size_t& position, std::vector<std::string>& cells);

}  // namespace tern::train::detail
