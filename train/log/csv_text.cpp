#include <tern/train/log/detail/csv_text.h>

namespace tern::train::detail {

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    // A record of one empty cell would be an empty line.
    const bool quoted =
        cell.find_first_of(",\"\r\n") != std::string::npos || (cells.size() == 1 && cell.empty());
    if (!quoted) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line += '\n';
}

bool next_csv_record(std::string_view text, std::size_t& position,
                     std::vector<std::string>& cells) {
  cells.assign(1, {});
  bool quoted = false;
  for (std::size_t i = position; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      const bool doubled = c == '"' && i + 1 < text.size() && text[i + 1] == '"';
      if (doubled) ++i;
      quoted = c != '"' || doubled;
      if (quoted) cells.back() += c;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      position = i + 1;
      return true;
    } else if (c != '\r' || i + 1 >= text.size() || text[i + 1] != '\n') {
      cells.back() += c;
    }
  }
  return false;
}

}  // namespace tern::train::detail
