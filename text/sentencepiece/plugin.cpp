#include <sentencepiece_processor.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/text/detail/sentence_piece_plugin.h>

namespace tern::text {
namespace {

using sentencepiece::SentencePieceProcessor;

void fail(SentencePieceStatus* status, const char* reason) {
  status->is_failed = true;
  std::snprintf(status->message, sizeof status->message, "%s", reason);
}

/// Runs a call of the library. Returns true if it did not fail.
template <class Call>
bool run(SentencePieceStatus* status, const Call& call) noexcept {
  try {
    const sentencepiece::util::Status result = call();
    if (!result.ok()) fail(status, result.ToString().c_str());
  } catch (const std::exception& error) {
    fail(status, error.what());
  }
  return !status->is_failed;
}

const SentencePieceProcessor& model_of(const void* model) {
  return *static_cast<const SentencePieceProcessor*>(model);
}

void* load(const char* bytes, std::size_t size, SentencePieceStatus* status) {
  std::unique_ptr<SentencePieceProcessor> model;
  const bool is_loaded = run(status, [&] {
    model = std::make_unique<SentencePieceProcessor>();
    return model->LoadFromSerializedProto({bytes, size});
  });
  return is_loaded ? model.release() : nullptr;
}

void free_model(void* model) { delete static_cast<SentencePieceProcessor*>(model); }

std::uint32_t size_of(const void* model) {
  return static_cast<std::uint32_t>(model_of(model).GetPieceSize());
}

const char* piece_of(const void* model, std::uint32_t id, std::size_t* size, PieceKind* kind) {
  const SentencePieceProcessor& pieces = model_of(model);
  const int index = static_cast<int>(id);
  *kind = pieces.IsUnknown(index)   ? PieceKind::kUnknown
          : pieces.IsControl(index) ? PieceKind::kControl
          : pieces.IsUnused(index)  ? PieceKind::kUnused
          : pieces.IsByte(index)    ? PieceKind::kByte
                                    : PieceKind::kNormal;
  const std::string& text = pieces.IdToPiece(index);
  *size = text.size();
  return text.data();
}

std::int32_t bos_of(const void* model) { return model_of(model).bos_id(); }
std::int32_t eos_of(const void* model) { return model_of(model).eos_id(); }

void encode(const void* model, const char* text, std::size_t size, void* to,
            void (*put)(void* to, const FoundPiece* pieces, std::size_t count),
            SentencePieceStatus* status) {
  run(status, [&]() -> sentencepiece::util::Status {
    sentencepiece::ImmutableSentencePieceText result;
    sentencepiece::util::Status done =
        model_of(model).Encode(std::string_view(text, size), result.mutable_proto());
    if (!done.ok()) return done;
    std::vector<FoundPiece> found;
    found.reserve(result.pieces_size());
    for (std::size_t i = 0; i < result.pieces_size(); ++i) {
      const auto piece = result.pieces(static_cast<int>(i));
      found.push_back({piece.id(), piece.begin(), piece.end()});
    }
    put(to, found.data(), found.size());
    return done;
  });
}

void decode(const void* model, const int* ids, std::size_t count, void* to,
            void (*put)(void* to, const char* text, std::size_t size),
            SentencePieceStatus* status) {
  run(status, [&]() -> sentencepiece::util::Status {
    std::string text;
    sentencepiece::util::Status done =
        model_of(model).Decode(std::vector<int>(ids, ids + count), &text);
    if (done.ok()) put(to, text.data(), text.size());
    return done;
  });
}

constexpr SentencePiecePlugin kPlugin = {kSentencePieceVersion,
                                         &load,
                                         &free_model,
                                         &size_of,
                                         &piece_of,
                                         &bos_of,
                                         &eos_of,
                                         &encode,
                                         &decode};

}  // namespace
}  // namespace tern::text

extern "C" TERN_API const tern::text::SentencePiecePlugin* tern_plugin_entry();
extern "C" const tern::text::SentencePiecePlugin* tern_plugin_entry() {
  return &tern::text::kPlugin;
}
