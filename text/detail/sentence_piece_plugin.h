#pragma once

#include <cstddef>
#include <cstdint>

// The interface between libtern_text and libtern_sentencepiece.so, the plugin that is linked with
// the library SentencePiece: plain functions. The plugin uses no symbol of libtern and throws no
// exception through this interface.

namespace tern::text {

/// The kinds of pieces, as model files and GGUF files number them.
enum class PieceKind : std::int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

/// How a call of the plugin ended. The caller passes a new object; only a failure writes to it.
struct SentencePieceStatus {
  bool is_failed = false;
  char message[503] = {};
};

/// A piece of a text: the bytes from `begin` to before `end`.
struct FoundPiece {
  std::uint32_t id, begin, end;
};

/// What the plugin offers. A model is read by several threads at once.
struct SentencePiecePlugin {
  std::uint64_t version;  // stays first: any libtern_text can then reject any plugin
  /// Returns the model of the bytes of a model file, which free() ends; null with a reason.
  void* (*load)(const char* bytes, std::size_t size, SentencePieceStatus* status);
  void (*free)(void* model);
  /// Returns the number of pieces.
  std::uint32_t (*size)(const void* model);
  /// Returns the text of a piece, which lives as long as the model, and sets its size and kind. A
  /// user-defined piece has the kind kNormal.
  const char* (*piece)(const void* model, std::uint32_t id, std::size_t* size, PieceKind* kind);
  /// Returns the ids of the pieces that begin and end texts, -1 for none.
  std::int32_t (*bos)(const void* model);
  std::int32_t (*eos)(const void* model);
  /// Calls put(to, pieces, count) with the pieces of a text in UTF-8.
  void (*encode)(const void* model, const char* text, std::size_t size, void* to,
                 void (*put)(void* to, const FoundPiece* pieces, std::size_t count),
                 SentencePieceStatus* status);
  /// Calls put(to, text, size) with the text of pieces.
  void (*decode)(const void* model, const int* ids, std::size_t count, void* to,
                 void (*put)(void* to, const char* text, std::size_t size),
                 SentencePieceStatus* status);
};

/// The only symbol of the plugin. The result is never null and lives as long as the process.
using SentencePieceEntry = const SentencePiecePlugin* (*)();

/// The version of this interface. Increase it when something above changes.
constexpr std::uint64_t kSentencePieceVersion = 0x7465726e5350'0001;

}  // namespace tern::text
