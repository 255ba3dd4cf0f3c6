#include <tern/compat/names/printing.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include <tern/compat/macros.h>
#include <tern/compat/names/data/loader_options.h>

namespace tern {

void compat::give(const Warning& warning) {
  if (WarningHandler* const handler = get_warning_handler()) return handler->process(warning);
  const SourceLocation& at = warning.source_location();
  const char* const slash = std::strrchr(at.file, '/');
  std::cerr << tern::detail::text_of("Warning: ", warning.msg(), " (", slash ? slash + 1 : at.file,
                                     ":", at.line, ")\n");
}

std::string compat::message_of_worker(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return std::string("Caught exception in DataLoader worker thread. Original message: ") +
           error.what();
  }
}

namespace indexing {

std::ostream& operator<<(std::ostream& out, const Slice& slice) {
  constexpr std::int64_t kEnd = INT64_MAX / 2;
  const std::int64_t start = slice.start().value_or(0), stop = slice.stop().value_or(kEnd);
  return detail::print_text(out, detail::text_of(start, ':', stop, ':', slice.step()));
}

std::ostream& operator<<(std::ostream& out, const TensorIndex& index) {
  switch (index.kind()) {
    case TensorIndex::Kind::kNone:
      return out << "None";
    case TensorIndex::Kind::kEllipsis:
      return out << "...";
    case TensorIndex::Kind::kInteger:
      return detail::print_text(out, detail::text_of(index.integer()));
    case TensorIndex::Kind::kBool:
      return out << (index.integer() != 0 ? "true" : "false");
    case TensorIndex::Kind::kSlice:
      return out << index.slice();
    case TensorIndex::Kind::kTensor:
      break;
  }
  return out << index.tensor();
}
std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices) {
  const char* before = "(";
  for (const TensorIndex& index : indices) {
    out << before << index;
    before = ", ";
  }
  return out << (indices.empty() ? "()" : ")");
}

}  // namespace indexing
}  // namespace tern
