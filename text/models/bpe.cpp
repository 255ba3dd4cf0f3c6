#include <algorithm>
#include <array>
#include <queue>

#include <tern/text/detail/model.h>
#include <tern/text/detail/utf8.h>

namespace tern::text {
namespace {

constexpr std::uint32_t kNone = kNoId;

class Bpe final : public Model {
 public:
  Bpe(const Vocabulary& vocabulary, const std::vector<Merge>& merges, const BpeOptions& options);
  void encode(std::string_view piece, std::vector<PieceToken>& to) const override;

 private:
  void append_symbols(std::string_view piece, std::vector<PieceToken>& to) const;
  std::uint32_t id_of(std::string_view character, bool is_first, bool is_last) const;
  bool append_bytes(std::string_view character, std::vector<PieceToken>& to) const;
  void merge_few(std::vector<PieceToken>& symbols, std::size_t begin) const;
  void merge_many(std::vector<PieceToken>& symbols, std::size_t begin) const;
  PairTable::Value merge_of(const PieceToken& first, const PieceToken& second) const {
    return merges_.find(first.id, second.id);
  }

  const Vocabulary& vocabulary_;
  Vocabulary words_;  // of bytes, to find whole pieces
  BpeOptions options_;
  PairTable merges_;
  std::array<std::uint32_t, 256> bytes_{};  // the token of each byte
};

Bpe::Bpe(const Vocabulary& vocabulary, const std::vector<Merge>& merges, const BpeOptions& options)
    : vocabulary_(vocabulary), options_(options), merges_(merges.size()) {
  for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
    merges_.set(merges[rank].first, merges[rank].second, {rank, merges[rank].id});
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string name;
    if (options.byte_level) {
      append_utf8(character_of_byte(static_cast<unsigned char>(byte)), name);
    } else {
      static constexpr char kHex[] = "0123456789ABCDEF";
      name = {'<', '0', 'x', kHex[byte / 16], kHex[byte % 16], '>'};
    }
    bytes_[byte] = vocabulary.find(name);
  }
  if (!options.byte_level || !options.ignore_merges) return;
  words_.reserve(vocabulary.size());
  for (std::uint32_t id = 0; id < vocabulary.end(); ++id) {
    if (!vocabulary.has(id)) continue;
    if (std::optional<std::string> bytes = bytes_of_characters(vocabulary.text(id))) {
      words_.add(*bytes, id);
    }
  }
}

std::uint32_t Bpe::id_of(std::string_view character, bool is_first, bool is_last) const {
  if ((is_first || options_.prefix.empty()) && (!is_last || options_.suffix.empty())) {
    return vocabulary_.find(character);
  }
  std::string name = is_first ? "" : options_.prefix;
  name += character;
  if (is_last) name += options_.suffix;
  return vocabulary_.find(name);
}

bool Bpe::append_bytes(std::string_view character, std::vector<PieceToken>& to) const {
  const auto token = [&](char byte) { return bytes_[static_cast<unsigned char>(byte)]; };
  if (std::ranges::any_of(character, [&](char byte) { return token(byte) == kNone; })) return false;
  for (const char byte : character) to.push_back({token(byte), 1});
  return true;
}

void Bpe::append_symbols(std::string_view piece, std::vector<PieceToken>& to) const {
  const std::size_t begin = to.size();
  PieceToken unknown{options_.unk, 0};
  std::uint32_t dropped = 0;  // bytes that belong to the next symbol, because there was none yet
  const auto flush = [&] {
    if (unknown.size == 0) return;
    if (unknown.id != kNone) {
      to.push_back(unknown);
    } else if (to.size() > begin) {
      to.back().size += unknown.size;
    } else {
      dropped += unknown.size;
    }
    unknown.size = 0;
  };
  for (std::size_t at = 0; at < piece.size();) {
    const std::uint32_t size = options_.byte_level ? 1 : decode_at(piece, at).size;
    const std::string_view character = piece.substr(at, size);
    const std::uint32_t id = options_.byte_level
                                 ? bytes_[static_cast<unsigned char>(piece[at])]
                                 : id_of(character, at == 0, at + size == piece.size());
    at += size;
    if (id != kNone) {
      flush();
      to.push_back({id, size + dropped});
      dropped = 0;
    } else if (!options_.byte_fallback || options_.byte_level || !append_bytes(character, to)) {
      if (!options_.fuse_unk) flush();
      unknown.size += size;
    }
  }
  flush();
}

void Bpe::encode(std::string_view piece, std::vector<PieceToken>& to) const {
  if (options_.ignore_merges) {
    const std::uint32_t id = (options_.byte_level ? words_ : vocabulary_).find(piece);
    if (id != kNone) {
      to.push_back({id, static_cast<std::uint32_t>(piece.size())});
      return;
    }
  }
  const std::size_t begin = to.size();
  append_symbols(piece, to);
  if (to.size() - begin <= 32) {
    merge_few(to, begin);
  } else {
    merge_many(to, begin);
  }
}

// Looks at all pairs for each merge.
void Bpe::merge_few(std::vector<PieceToken>& symbols, std::size_t begin) const {
  std::array<PairTable::Value, 32> pairs;
  PieceToken* const first = symbols.data() + begin;
  std::size_t count = symbols.size() - begin;
  for (std::size_t i = 0; i + 1 < count; ++i) pairs[i] = merge_of(first[i], first[i + 1]);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (pairs[i].rank < pairs[best].rank) best = i;
    }
    if (pairs[best].rank == kNone) break;
    first[best] = {pairs[best].id, first[best].size + first[best + 1].size};
    --count;
    for (std::size_t i = best + 1; i < count; ++i) {
      first[i] = first[i + 1];
      pairs[i - 1] = pairs[i];
    }
    if (best > 0) pairs[best - 1] = merge_of(first[best - 1], first[best]);
    if (best + 1 < count) pairs[best] = merge_of(first[best], first[best + 1]);
  }
  symbols.resize(begin + count);
}

// A heap of pairs, and a list of the symbols. A pair that has changed since is passed over.
void Bpe::merge_many(std::vector<PieceToken>& symbols, std::size_t begin) const {
  struct Pair {
    std::uint32_t rank, at, id;
    bool operator<(const Pair& other) const {  // the top of the heap is the largest
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  struct Links {
    std::uint32_t before, after;
  };
  PieceToken* const first = symbols.data() + begin;
  const auto count = static_cast<std::uint32_t>(symbols.size() - begin);
  std::vector<Links> links(count);
  std::vector<Pair> pairs;
  const auto pair_at = [&](std::uint32_t at) {
    const auto [rank, id] = merge_of(first[at], first[links[at].after]);
    return Pair{rank, at, id};
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    links[i] = {i == 0 ? kNone : i - 1, i + 1 == count ? kNone : i + 1};
    if (i + 1 == count) break;
    if (const Pair pair = pair_at(i); pair.id != kNone) pairs.push_back(pair);
  }
  std::priority_queue<Pair> heap({}, std::move(pairs));
  const auto push = [&](std::uint32_t at) {
    if (at == kNone || links[at].after == kNone) return;
    if (const Pair pair = pair_at(at); pair.id != kNone) heap.push(pair);
  };
  while (!heap.empty()) {
    const Pair pair = heap.top();
    heap.pop();
    if (first[pair.at].size == 0 || links[pair.at].after == kNone) continue;
    if (pair_at(pair.at).id != pair.id) continue;
    const std::uint32_t second = links[pair.at].after;
    first[pair.at] = {pair.id, first[pair.at].size + first[second].size};
    first[second].size = 0;
    links[pair.at].after = links[second].after;
    if (links[second].after != kNone) links[links[second].after].before = pair.at;
    push(links[pair.at].before);
    push(pair.at);
  }
  const auto is_joined = [](const PieceToken& token) { return token.size == 0; };
  symbols.erase(std::remove_if(symbols.begin() + static_cast<std::ptrdiff_t>(begin), symbols.end(),
                               is_joined),
                symbols.end());
}

}  // namespace

Model::~Model() = default;

std::unique_ptr<Model> make_bpe(const Vocabulary& vocabulary, const std::vector<Merge>& merges,
                                const BpeOptions& options) {
  return std::make_unique<Bpe>(vocabulary, merges, options);
}

char32_t character_of_byte(unsigned char byte) {
  static const std::array<char32_t, 256> characters = [] {
    std::array<char32_t, 256> table;
    char32_t next = 256;  // for bytes that are no visible characters of Latin-1
    for (unsigned i = 0; i < 256; ++i) {
      const bool is_visible = (i >= 33 && i <= 126) || (i >= 161 && i != 173);
      table[i] = is_visible ? i : next++;
    }
    return table;
  }();
  return characters[byte];
}

std::optional<std::string> bytes_of_characters(std::string_view token) {
  static const std::array<int, 324> bytes = [] {
    std::array<int, 324> table;
    table.fill(-1);
    for (int i = 0; i < 256; ++i) table[character_of_byte(static_cast<unsigned char>(i))] = i;
    return table;
  }();
  std::string found;
  for (std::size_t at = 0; at < token.size();) {
    const auto [code, size] = decode_at(token, at);
    if (code >= bytes.size() || bytes[code] < 0) return std::nullopt;
    found.push_back(static_cast<char>(bytes[code]));
    at += size;
  }
  return found;
}

}  // namespace tern::text
