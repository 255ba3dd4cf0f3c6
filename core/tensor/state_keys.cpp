#include <algorithm>
#include <optional>

#include <tern/core/tensor/state.h>

namespace tern {
namespace {

using Parts = std::vector<std::string_view>;

/// Splits `pattern` at its stars.
Parts split(std::string_view pattern) {
  Parts parts;
  std::size_t star;
  while ((star = pattern.find('*')) != std::string_view::npos) {
    parts.push_back(pattern.substr(0, star));
    pattern.remove_prefix(star + 1);
  }
  parts.push_back(pattern);
  return parts;
}

/// Returns the texts that the stars between `parts` stand for in `key`, or nullopt if `key` does
/// not match.
std::optional<Parts> match(std::string_view key, const Parts& parts) {
  if (!key.starts_with(parts.front())) return std::nullopt;
  if (parts.size() == 1) return key == parts.front() ? std::optional(Parts()) : std::nullopt;
  key.remove_prefix(parts.front().size());
  Parts stars;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t at = key.find(parts[i]);
    if (at == std::string_view::npos) return std::nullopt;
    stars.push_back(key.substr(0, at));
    key.remove_prefix(at + parts[i].size());
  }
  if (!key.ends_with(parts.back())) return std::nullopt;
  stars.push_back(key.substr(0, key.size() - parts.back().size()));
  return stars;
}

}  // namespace

State select_keys(const State& state, std::string_view pattern) {
  const Parts parts = split(pattern);
  State result;
  for (const auto& [key, value] : state) {
    if (match(key, parts)) result.insert(key, value);
  }
  return result;
}

State strip_prefix(const State& state, std::string_view prefix) {
  State result;
  for (const auto& [key, value] : state) {
    if (key.starts_with(prefix)) result.insert(key.substr(prefix.size()), value);
  }
  return result;
}

State rename_keys(const State& state, std::string_view pattern, std::string_view replacement) {
  const Parts parts = split(pattern), text = split(replacement);
  TERN_CHECK(text.size() <= parts.size(), Error, "rename_keys: the replacement '", replacement,
             "' has more '*' than the pattern '", pattern, "'");
  State result;
  for (const auto& [key, value] : state) {
    std::string name = key;
    if (const std::optional<Parts> stars = match(key, parts)) {
      name = text.front();
      for (std::size_t i = 1; i < text.size(); ++i) name.append((*stars)[i - 1]).append(text[i]);
    }
    TERN_CHECK(!result.contains(name), Error, "rename_keys: the new name '", name, "' of key '",
               key, "' is already the name of another key");
    result.insert(std::move(name), value);
  }
  return result;
}

}  // namespace tern
