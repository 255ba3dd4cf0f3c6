#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tern/text/detail/sentence_piece_plugin.h>

namespace tern::text {

/// A model of the library SentencePiece, which the plugin libtern_sentencepiece.so is linked with.
class SentencePieces {
 public:
  /// Reads the bytes of a model file. Throws Error without the plugin, and FileError, which names
  /// `name`, for bytes that are no model.
  SentencePieces(std::string_view bytes, const std::string& name);
  SentencePieces(const SentencePieces&) = delete;
  SentencePieces& operator=(const SentencePieces&) = delete;
  ~SentencePieces();

  /// Returns the number of pieces.
  std::uint32_t size() const { return plugin_.size(model_); }
  /// Returns the text of a piece.
  std::string_view text(std::uint32_t id) const;
  /// Returns the kind of a piece.
  PieceKind kind(std::uint32_t id) const;
  /// Return the pieces that begin and end texts.
  std::optional<std::uint32_t> bos() const;
  std::optional<std::uint32_t> eos() const;

  /// Returns the pieces of a text. A byte of a character has the place of the whole character.
  std::vector<FoundPiece> encode(std::string_view text) const;
  /// Returns the text of pieces. Where they begin a text, the blank that encode() added is left
  /// out.
  std::string decode(std::span<const std::uint32_t> ids, bool is_beginning) const;
  /// Returns true if the pieces end inside a character, as bytes of it.
  bool ends_inside_character(std::span<const std::uint32_t> ids) const;

 private:
  std::string decode_all(const std::vector<int>& ids) const;

  const SentencePiecePlugin& plugin_;
  std::string name_;
  void* model_ = nullptr;
  int unknown_ = 0;
};

}  // namespace tern::text
