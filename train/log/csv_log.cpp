#include <tern/train/log/csv_log.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <system_error>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>
#include <tern/serialization/save_bytes.h>
#include <tern/train/log/detail/append_file.h>
#include <tern/train/log/detail/csv_text.h>

namespace tern::train {
namespace {

using detail::csv_line;
using detail::next_csv_record;

template <class T>
std::string shortest(T number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// Returns the content of a file, and nothing if the file does not exist.
std::string content_of(const std::string& path) {
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "re"));
  const auto reason = [] { return tern::detail::system_reason(errno); };
  TERN_CHECK(file || errno == ENOENT, FileError, "CsvLog: cannot open '", path, "': ", reason());
  std::string text;
  if (!file) return text;
  char part[1 << 14];
  while (const std::size_t count = std::fread(part, 1, sizeof part, file.get())) {
    text.append(part, count);
  }
  TERN_CHECK(std::ferror(file.get()) == 0, FileError, "CsvLog: cannot read '", path,
             "': ", reason());
  return text;
}

/// Returns the names as "a, b, c".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

}  // namespace

void CsvValue::set_floating(double number, bool is_float32) {
  text_ = is_float32 ? shortest(static_cast<float>(number)) : shortest(number);
}

struct CsvLog::File {
  void open() { file.emplace("CsvLog", path, /*must_be_new=*/false); }

  std::string path;
  std::vector<std::string> columns;
  std::optional<detail::AppendFile> file;
};

CsvLog::CsvLog(std::string path, std::vector<std::string> columns, StrictBool append)
    : file_(new File{std::move(path), std::move(columns), std::nullopt}) {
  const std::vector<std::string>& names = file_->columns;
  TERN_CHECK(!names.empty(), Error, "CsvLog: '", file_->path, "' needs at least one column");
  for (std::size_t i = 0; i < names.size(); ++i) {
    TERN_CHECK(std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) ==
                   names.begin() + static_cast<std::ptrdiff_t>(i),
               Error, "CsvLog: '", file_->path, "' has two columns '", names[i], "'");
  }
  const std::string text = append ? content_of(file_->path) : std::string();
  std::size_t end = 0;
  std::vector<std::string> cells;
  if (text.empty() || !next_csv_record(text, end, cells)) {
    // A file of another kind is not replaced.
    TERN_CHECK(text.empty(), FileError, "CsvLog: '", file_->path,
               "' has no header line, expected the columns ", listed(names));
    save_bytes(csv_line(names), file_->path);
    file_->open();
    return;
  }
  TERN_CHECK(cells == names, FileError, "CsvLog: '", file_->path, "' has the columns ",
             listed(cells), ", expected ", listed(names));
  while (next_csv_record(text, end, cells)) {
  }
  file_->open();
  if (end < text.size()) file_->file->truncate(end);
}

CsvLog::CsvLog(CsvLog&&) noexcept = default;
CsvLog& CsvLog::operator=(CsvLog&&) noexcept = default;
CsvLog::~CsvLog() = default;

void CsvLog::row(ArrayRef<CsvCell> cells) {
  const std::vector<std::string>& names = file_->columns;
  std::vector<std::string> texts(names.size());
  std::vector<bool> is_set(names.size());
  for (const CsvCell& cell : cells) {
    const auto found = std::ranges::find(names, cell.column);
    const auto i = static_cast<std::size_t>(found - names.begin());
    TERN_CHECK(found != names.end(), Error, "CsvLog: '", file_->path, "' has no column '",
               cell.column, "', its columns are ", listed(names));
    TERN_CHECK(!is_set[i], Error, "CsvLog: a row of '", file_->path, "' has two cells of column '",
               cell.column, "'");
    is_set[i] = true;
    texts[i] = cell.value.text();
  }
  if (!file_->file) file_->open();
  file_->file->append(csv_line(texts));
}

std::size_t CsvLog::truncate(StrictNumber step) {
  const std::string text = content_of(file_->path);
  std::string kept;
  std::vector<std::string> cells;
  std::size_t end = 0, removed = 0, line = 0;
  for (std::size_t begin = 0; next_csv_record(text, end, cells); begin = end) {
    double number = 0;
    const std::string& first = cells.front();
    const char* const last = first.data() + first.size();
    const auto [stop, error] = std::from_chars(first.data(), last, number);
    TERN_CHECK(line == 0 || (error == std::errc() && stop == last), FileError, "CsvLog: '",
               file_->path, "': record ", line, " begins with '", first,
               "', expected a number in column '", file_->columns.front(), "'");
    const bool stays = line++ == 0 || !(number > step);
    if (stays) kept.append(text, begin, end - begin);
    removed += stays ? 0 : 1;
  }
  if (removed == 0) return 0;
  save_bytes(kept, file_->path);  // a new file under the old name
  file_->file.reset();
  file_->open();
  return removed;
}

const std::string& CsvLog::path() const { return file_->path; }
const std::vector<std::string>& CsvLog::columns() const { return file_->columns; }

}  // namespace tern::train
