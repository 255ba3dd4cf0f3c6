#include <tern/text/detail/sentence_pieces.h>

#include <algorithm>

#include <tern/core/base/detail/plugin_library.h>
#include <tern/core/base/error.h>
#include <tern/text/detail/utf8.h>

namespace tern::text {
namespace {

constexpr const char* kPackages =
    " (Debian: apt-get install libsentencepiece-dev; tern's plugin is built where CMake finds it)";

const SentencePiecePlugin& plugin_of(const std::string& name) {
  // Never closed. A failure is tried again: the program may set TERN_PLUGIN_PATH.
  const tern::detail::PluginLibrary library = tern::detail::open_plugin_library(
      "libtern_sentencepiece.so", "tern_plugin_entry", tern::detail::plugin_folders());
  TERN_CHECK(library.entry != nullptr, Error, name, " needs SentencePiece, but ", library.reason,
             kPackages);
  const SentencePiecePlugin& plugin = *reinterpret_cast<SentencePieceEntry>(library.entry)();
  TERN_CHECK(plugin.version == kSentencePieceVersion, Error, library.path,
             " was built for another build of tern; build both together");
  return plugin;
}

/// Returns the byte of "<0x41>".
char byte_of_piece(std::string_view text) {
  const auto digit = [&](std::size_t at) {
    const char c = text[at];
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
  };
  return static_cast<char>(digit(3) * 16 + digit(4));
}

}  // namespace

SentencePieces::SentencePieces(std::string_view bytes, const std::string& name)
    : plugin_(plugin_of(name)), name_(name) {
  SentencePieceStatus status;
  model_ = plugin_.load(bytes.data(), bytes.size(), &status);
  TERN_CHECK(model_ != nullptr, FileError, name,
             ": is no model of SentencePiece: ", static_cast<const char*>(status.message));
  const std::uint32_t count = size();
  std::uint32_t id = 0;
  while (id < count && kind(id) != PieceKind::kUnknown) ++id;
  unknown_ = static_cast<int>(id);  // the library refuses models without one
}

SentencePieces::~SentencePieces() {
  if (model_ != nullptr) plugin_.free(model_);
}

std::string_view SentencePieces::text(std::uint32_t id) const {
  std::size_t size = 0;
  PieceKind kind = PieceKind::kNormal;
  const char* const text = plugin_.piece(model_, id, &size, &kind);
  return {text, size};
}

PieceKind SentencePieces::kind(std::uint32_t id) const {
  std::size_t size = 0;
  PieceKind kind = PieceKind::kNormal;
  plugin_.piece(model_, id, &size, &kind);
  return kind;
}

std::optional<std::uint32_t> SentencePieces::bos() const {
  const std::int32_t id = plugin_.bos(model_);
  return id < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(id));
}

std::optional<std::uint32_t> SentencePieces::eos() const {
  const std::int32_t id = plugin_.eos(model_);
  return id < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(id));
}

std::vector<FoundPiece> SentencePieces::encode(std::string_view text) const {
  std::vector<FoundPiece> found;
  SentencePieceStatus status;
  plugin_.encode(
      model_, text.data(), text.size(), &found,
      [](void* to, const FoundPiece* pieces, std::size_t count) {
        static_cast<std::vector<FoundPiece>*>(to)->assign(pieces, pieces + count);
      },
      &status);
  TERN_CHECK(!status.is_failed, Error, name_, ": SentencePiece cannot encode a text of ",
             text.size(), " bytes: ", static_cast<const char*>(status.message));
  // The library gives a character to its last byte.
  for (std::size_t i = found.size(); i-- > 1;) {
    FoundPiece& piece = found[i - 1];
    const FoundPiece& next = found[i];
    if (piece.begin == piece.end && piece.begin == next.begin &&
        kind(piece.id) == PieceKind::kByte && kind(next.id) == PieceKind::kByte) {
      piece.end = next.end;
    }
  }
  return found;
}

std::string SentencePieces::decode_all(const std::vector<int>& ids) const {
  std::string text;
  SentencePieceStatus status;
  plugin_.decode(
      model_, ids.data(), ids.size(), &text,
      [](void* to, const char* bytes, std::size_t size) {
        static_cast<std::string*>(to)->assign(bytes, size);
      },
      &status);
  TERN_CHECK(!status.is_failed, Error, name_, ": SentencePiece cannot decode ", ids.size(),
             " pieces: ", static_cast<const char*>(status.message));
  return text;
}

std::string SentencePieces::decode(std::span<const std::uint32_t> ids, bool is_beginning) const {
  if (is_beginning) return decode_all({ids.begin(), ids.end()});
  // Behind another piece no blank is left out.
  std::vector<int> all = {unknown_};
  const std::size_t before = decode_all(all).size();
  all.insert(all.end(), ids.begin(), ids.end());
  return decode_all(all).substr(before);
}

bool SentencePieces::ends_inside_character(std::span<const std::uint32_t> ids) const {
  std::string bytes;
  for (std::size_t i = ids.size(); i-- > 0 && bytes.size() < 3;) {
    if (kind(ids[i]) != PieceKind::kByte) break;
    bytes.insert(bytes.begin(), byte_of_piece(text(ids[i])));
    if (!is_continuation(bytes.front())) return scan_utf8(bytes, 0).cut;
  }
  return false;
}

}  // namespace tern::text
