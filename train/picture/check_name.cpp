#include <tern/train/picture/detail/check_name.h>

#include <algorithm>

#include <tern/core/base/error.h>

namespace tern::train::detail {

void check_name(const char* caller, const std::string& path, std::string_view suffix) {
  const auto is_same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  const bool is_known = path.size() > suffix.size() &&
                        std::equal(suffix.begin(), suffix.end(), path.end() - std::ssize(suffix),
                                   [&](char wanted, char found) { return is_same(found, wanted); });
  TERN_CHECK(is_known, FileError, caller, ": '", path, "': the name must end in ", suffix,
             ", the only format that ", caller, " writes");
}

}  // namespace tern::train::detail
