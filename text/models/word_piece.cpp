#include <algorithm>

#include <tern/text/detail/model.h>
#include <tern/text/detail/utf8.h>

namespace tern::text {
namespace {

class WordPiece final : public Model {
 public:
  WordPiece(const Vocabulary& vocabulary, std::uint32_t unk, std::string prefix,
            std::size_t max_characters)
      : vocabulary_(vocabulary),
        unk_(unk),
        prefix_(std::move(prefix)),
        max_characters_(max_characters) {}

  void encode(std::string_view piece, std::vector<PieceToken>& to) const override;

 private:
  const Vocabulary& vocabulary_;
  std::uint32_t unk_;
  std::string prefix_;
  std::size_t max_characters_;
};

void WordPiece::encode(std::string_view piece, std::vector<PieceToken>& to) const {
  const std::size_t count = to.size();
  const auto unknown = [&] {
    to.resize(count);
    to.push_back({unk_, static_cast<std::uint32_t>(piece.size())});
  };
  const auto characters = static_cast<std::size_t>(
      std::ranges::count_if(piece, [](char byte) { return !is_continuation(byte); }));
  if (characters > max_characters_) return unknown();

  std::string name;
  for (std::size_t at = 0; at < piece.size();) {
    name = at == 0 ? "" : prefix_;
    const std::size_t extra = name.size();
    // No token is longer than the longest.
    const std::size_t room = vocabulary_.longest() > extra ? vocabulary_.longest() - extra : 0;
    name += piece.substr(at, room);
    std::uint32_t id = kNoId;
    while (name.size() > extra && (id = vocabulary_.find(name)) == kNoId) {
      do name.pop_back();
      while (name.size() > extra && at + name.size() - extra < piece.size() &&
             is_continuation(piece[at + name.size() - extra]));
    }
    if (id == kNoId) return unknown();
    to.push_back({id, static_cast<std::uint32_t>(name.size() - extra)});
    at += name.size() - extra;
  }
}

}  // namespace

std::unique_ptr<Model> make_word_piece(const Vocabulary& vocabulary, std::uint32_t unk,
                                       std::string prefix, std::size_t max_characters) {
  return std::make_unique<WordPiece>(vocabulary, unk, std::move(prefix), max_characters);
}

}  // namespace tern::text
