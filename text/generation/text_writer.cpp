#include <tern/text/generation/detail/text_writer.h>

#include <algorithm>

namespace tern::text {
namespace {

/// Returns how many bytes at the end of a text may be the beginning of a stop string.
std::size_t held_back(std::string_view text, const std::vector<std::string>& stop_strings) {
  std::size_t most = 0;
  for (const std::string_view stop : stop_strings) {
    for (std::size_t size = std::min(stop.size() - 1, text.size()); size > most; --size) {
      if (text.ends_with(stop.substr(0, size))) most = size;
    }
  }
  return most;
}

/// Returns where the first stop string begins that ends behind `from`, or npos.
std::size_t find_stop(std::string_view text, std::size_t from,
                      const std::vector<std::string>& stop_strings) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view stop : stop_strings) {
    const std::size_t begin = from < stop.size() ? 0 : from - stop.size() + 1;
    first = std::min(first, text.find(stop, begin));
  }
  return first;
}

}  // namespace

TextWriter::TextWriter(const Tokenizer& tokenizer, const GenerationOptions& options,
                       std::size_t sample)
    : stream_(tokenizer), options_(options), sample_(sample) {}

TextWriter::Result TextWriter::add(std::int64_t token) {
  return add_text(stream_.next(token), false);
}

TextWriter::Result TextWriter::finish() {
  return is_ended_ ? Result::kGoOn : add_text(stream_.finish(), true);
}

TextWriter::Result TextWriter::add_text(const std::string& piece, bool is_last) {
  const std::size_t before = text_.size();
  text_ += piece;
  const std::size_t stop = find_stop(text_, before, options_.stop_strings);
  const bool has_stop = stop != std::string::npos;
  if (has_stop) text_.resize(stop);
  const std::size_t held = has_stop || is_last ? 0 : held_back(text_, options_.stop_strings);
  const std::string_view news =
      std::string_view(text_).substr(given_, text_.size() - held - given_);
  given_ += news.size();
  const bool goes_on = news.empty() || !options_.on_text || options_.on_text(news, sample_);
  is_ended_ = has_stop || !goes_on;
  if (has_stop) return Result::kStopString;
  return goes_on ? Result::kGoOn : Result::kCallback;
}

}  // namespace tern::text
