#include <tern/text/files/detail/build.h>

namespace tern::text {
namespace {

/// Longer added tokens would make the search for them slow.
constexpr std::size_t kMaxAddedToken = 1024;

template <class... Parts>
[[noreturn]] void refuse(const Source& source, const Parts&... parts) {
  const std::string number = source.number ? detail::text_of(*source.number) : "";
  TERN_CHECK(false, FileError, source.file, ": key '", source.key, number, source.behind,
             "': ", parts...);
}

}  // namespace

void add_token(Vocabulary& vocabulary, std::string_view token, std::uint32_t id,
               const Source& source) {
  if (id > kMaxId) refuse(source, "token '", token, "' has id ", id, ", above ", kMaxId);
  if (vocabulary.add(token, id)) return;
  if (vocabulary.has(id)) {
    refuse(source, "id ", id, " is both '", vocabulary.text(id), "' and '", token, "'");
  }
  refuse(source, "token '", token, "' has the ids ", vocabulary.find(token), " and ", id);
}

Merge merge_of(const Vocabulary& vocabulary, std::string_view first, std::string_view second,
               std::string_view prefix, const Source& source) {
  const auto find = [&](std::string_view token) {
    const std::uint32_t id = vocabulary.find(token);
    if (id == kNoId) {
      refuse(source, "the merge of '", first, "' and '", second, "' needs the token '", token,
             "', which the vocabulary does not have");
    }
    return id;
  };
  if (first.empty() || second.size() < prefix.size()) {
    refuse(source, "a merge joins two tokens, got '", first, "' and '", second, "'");
  }
  Merge merge{find(first), find(second), 0};
  std::string both(first);
  both += second.substr(prefix.size());
  merge.id = find(both);
  return merge;
}

Merge merge_of(const Vocabulary& vocabulary, std::string_view line, std::string_view prefix,
               const Source& source) {
  const std::size_t blank = line.find(' ');
  if (blank == line.npos || line.find(' ', blank + 1) != line.npos) {
    refuse(source, "a merge is two tokens with a blank between them, got '", line, "'");
  }
  return merge_of(vocabulary, line.substr(0, blank), line.substr(blank + 1), prefix, source);
}

void set_added_tokens(Pipeline& pipeline, std::vector<AddedToken> tokens, const Source& source) {
  std::unordered_map<std::uint32_t, std::string> contents;
  std::unordered_map<std::string, std::uint32_t> ids;
  const Vocabulary& vocabulary = pipeline.vocabulary;
  for (const AddedToken& token : tokens) {
    if (token.content.size() > kMaxAddedToken) {
      refuse(source, "the token of id ", token.id, " has ", token.content.size(),
             " bytes, at most ", kMaxAddedToken);
    }
    if (const auto [at, is_new] = contents.emplace(token.id, token.content); !is_new) {
      refuse(source, "id ", token.id, " is both '", at->second, "' and '", token.content, "'");
    }
    if (const auto [at, is_new] = ids.emplace(token.content, token.id); !is_new) {
      refuse(source, "token '", token.content, "' has the ids ", at->second, " and ", token.id);
    }
    if (vocabulary.has(token.id) && vocabulary.text(token.id) != token.content) {
      refuse(source, "id ", token.id, " is '", token.content, "', but '", vocabulary.text(token.id),
             "' in the vocabulary");
    }
    if (const std::uint32_t id = vocabulary.find(token.content); id != kNoId && id != token.id) {
      refuse(source, "token '", token.content, "' has id ", token.id, ", but ", id,
             " in the vocabulary");
    }
  }
  pipeline.added = AddedTokens(std::move(tokens), pipeline.normalizers);
}

void set_ends(Pipeline& pipeline, std::optional<std::int64_t> bos,
              std::optional<std::int64_t> eos) {
  if (!bos && !eos) return;
  const std::size_t count = pipeline.vocabulary.size();
  PostProcessor& form = pipeline.post_processor;
  form.has_template = true;
  const auto put = [&](const char* name, std::optional<std::int64_t> id, bool in_pair) {
    if (!id) return;
    TERN_CHECK(*id >= 0 && static_cast<std::size_t>(*id) < count, Error, name, " is ", *id,
               ", but there are ", count, " tokens");
    const auto own = static_cast<std::uint32_t>(*id);
    const TemplatePart part{
        -1, in_pair ? 1 : 0, {own}, {std::string(pipeline.vocabulary.text(own))}};
    (in_pair ? form.pair : form.single).push_back(part);
  };
  put("bos", bos, false);
  form.single.push_back({0, 0, {}, {}});
  put("eos", eos, false);
  form.pair = form.single;
  put("bos", bos, true);
  form.pair.push_back({1, 1, {}, {}});
  put("eos", eos, true);
}

void set_byte_level(Pipeline& pipeline, bool add_prefix_space) {
  PreTokenizer split{};
  split.kind = PreTokenizer::Kind::kByteLevel;
  split.add_prefix_space = add_prefix_space;
  pipeline.pre_tokenizers.push_back(split);
  Decoder decoder{};
  decoder.kind = Decoder::Kind::kByteLevel;
  pipeline.decoders.push_back(decoder);
}

}  // namespace tern::text
