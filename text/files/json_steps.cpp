#include <algorithm>
#include <functional>

#include <tern/text/files/detail/build.h>

namespace tern::text {
namespace {

/// Longer texts in a step would make each use of it slow.
constexpr std::size_t kMaxPattern = 1024;

std::string pattern_text(const Json& json, bool may_be_empty = false) {
  const std::string& text = json.text();
  if (text.size() > kMaxPattern) json.refuse("has ", text.size(), " bytes, at most ", kMaxPattern);
  if (text.empty() && !may_be_empty) json.refuse("must not be empty");
  return text;
}

/// Calls `read(step)` for a step, or for those of a sequence, which are in `list`.
void for_each_step(const Json& json, const char* list,
                   const std::function<void(const Json& step)>& read, int depth = 0) {
  if (json.is_null()) return;
  if (json.at("type").text() != "Sequence") return read(json);
  if (depth == 8) json.refuse("is the eighth sequence inside of others");
  const Json steps = json.at(list);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for_each_step(steps.at(i), list, read, depth + 1);
  }
}

/// The pattern {"String": "x"}, or {"Regex": ".."} of which `*scanner` knows the meaning.
std::string read_pattern(const Json& json, Scanner* scanner) {
  if (const Json text = json.find("String"); !text.is_null()) return pattern_text(text);
  const Json expression = json.at("Regex");
  if (!scanner) expression.not_implemented("regular expressions here");
  const std::optional<Scanner> known = scanner_of(expression.text());
  if (!known) {
    expression.not_implemented(detail::text_of("splits by the regular expression ",
                                               expression.text(),
                                               "; it knows those of GPT-2, Llama 3 and Qwen2"));
  }
  *scanner = *known;
  return "";
}

PreTokenizer::Behavior read_behavior(const Json& json) {
  using Behavior = PreTokenizer::Behavior;
  static constexpr std::pair<std::string_view, Behavior> kNames[] = {
      {"Removed", Behavior::kRemoved},
      {"Isolated", Behavior::kIsolated},
      {"MergedWithPrevious", Behavior::kMergedWithPrevious},
      {"MergedWithNext", Behavior::kMergedWithNext},
      {"Contiguous", Behavior::kContiguous}};
  for (const auto& [name, behavior] : kNames) {
    if (json.text() == name) return behavior;
  }
  json.refuse("must be Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous, got ",
              json.shown());
}

Normalizer read_normalizer(const Json& json) {
  const std::string type = json.at("type").text();
  Normalizer step{};
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
    step.kind = Normalizer::Kind::kNormalForm;
    step.composed = type.back() == 'C';
    step.compatible = type[2] == 'K';
  } else if (type == "Lowercase") {
    step.kind = Normalizer::Kind::kLowercase;
  } else if (type == "StripAccents") {
    step.kind = Normalizer::Kind::kStripAccents;
  } else if (type == "BertNormalizer") {
    step.kind = Normalizer::Kind::kBert;
    step.clean_text = json.find("clean_text").boolean_or(true);
    step.pad_cjk = json.find("handle_chinese_chars").boolean_or(true);
    step.lowercase = json.find("lowercase").boolean_or(true);
    step.strip_accents = json.find("strip_accents").boolean_or(step.lowercase);
  } else if (type == "Strip") {
    step.kind = Normalizer::Kind::kStrip;
    step.left = json.at("strip_left").boolean();
    step.right = json.at("strip_right").boolean();
  } else if (type == "Replace") {
    step.kind = Normalizer::Kind::kReplace;
    step.pattern = read_pattern(json.at("pattern"), nullptr);
    step.content = pattern_text(json.at("content"), true);
  } else if (type == "Prepend") {
    step.kind = Normalizer::Kind::kPrepend;
    step.content = pattern_text(json.at("prepend"));
  } else {
    json.at("type").not_implemented(detail::text_of("normalizer ", type));
  }
  return step;
}

/// What Metaspace does with the beginning: a word, or true and false in older files.
PreTokenizer::Prepend read_prepend(const Json& json) {
  using Prepend = PreTokenizer::Prepend;
  const Json scheme = json.find("prepend_scheme");
  if (scheme.is_null()) {
    return json.find("add_prefix_space").boolean_or(true) ? Prepend::kAlways : Prepend::kNever;
  }
  if (scheme.text() == "always") return Prepend::kAlways;
  if (scheme.text() == "first") return Prepend::kFirst;
  if (scheme.text() == "never") return Prepend::kNever;
  scheme.refuse("must be always, first or never, got ", scheme.shown());
}

PreTokenizer read_pre_tokenizer(const Json& json) {
  const std::string type = json.at("type").text();
  PreTokenizer step{};
  if (type == "ByteLevel") {
    step.kind = PreTokenizer::Kind::kByteLevel;
    step.add_prefix_space = json.find("add_prefix_space").boolean_or(true);
    step.use_regex = json.find("use_regex").boolean_or(true);
  } else if (type == "Whitespace") {
    step.kind = PreTokenizer::Kind::kWhitespace;
  } else if (type == "WhitespaceSplit") {
    step.kind = PreTokenizer::Kind::kWhitespaceSplit;
  } else if (type == "BertPreTokenizer") {
    step.kind = PreTokenizer::Kind::kBert;
  } else if (type == "Digits") {
    step.kind = PreTokenizer::Kind::kDigits;
    step.individual_digits = json.find("individual_digits").boolean_or(false);
  } else if (type == "Punctuation") {
    step.kind = PreTokenizer::Kind::kPunctuation;
    const Json behavior = json.find("behavior");
    if (!behavior.is_null()) step.behavior = read_behavior(behavior);
  } else if (type == "Split") {
    step.pattern = read_pattern(json.at("pattern"), &step.scanner);
    step.kind = step.pattern.empty() ? PreTokenizer::Kind::kScanner : PreTokenizer::Kind::kLiteral;
    step.behavior = read_behavior(json.at("behavior"));
    step.invert = json.find("invert").boolean_or(false);
  } else if (type == "CharDelimiterSplit") {
    step.kind = PreTokenizer::Kind::kLiteral;
    step.pattern = pattern_text(json.at("delimiter"));
    step.behavior = PreTokenizer::Behavior::kRemoved;
  } else if (type == "Metaspace") {
    step.kind = PreTokenizer::Kind::kMetaspace;
    step.pattern = pattern_text(json.at("replacement"));
    step.prepend = read_prepend(json);
    step.split = json.find("split").boolean_or(true);
  } else {
    json.at("type").not_implemented(detail::text_of("pre-tokenizer ", type));
  }
  return step;
}

Decoder read_decoder(const Json& json) {
  const std::string type = json.at("type").text();
  Decoder step{};
  if (type == "ByteLevel") {
    step.kind = Decoder::Kind::kByteLevel;
  } else if (type == "WordPiece") {
    step.kind = Decoder::Kind::kWordPiece;
    step.pattern = pattern_text(json.at("prefix"), true);
    step.flag = json.find("cleanup").boolean_or(true);
  } else if (type == "Metaspace") {
    step.kind = Decoder::Kind::kMetaspace;
    step.pattern = pattern_text(json.at("replacement"));
    step.flag = read_prepend(json) != PreTokenizer::Prepend::kNever;
  } else if (type == "Fuse") {
    step.kind = Decoder::Kind::kFuse;
  } else if (type == "ByteFallback") {
    step.kind = Decoder::Kind::kByteFallback;
  } else if (type == "Replace") {
    step.kind = Decoder::Kind::kReplace;
    step.pattern = read_pattern(json.at("pattern"), nullptr);
    step.content = pattern_text(json.at("content"), true);
  } else if (type == "Strip") {
    step.kind = Decoder::Kind::kStrip;
    step.pattern = pattern_text(json.at("content"));
    step.start = json.at("start").integer(kMaxPattern);
    step.stop = json.at("stop").integer(kMaxPattern);
  } else if (type == "BPEDecoder") {
    step.kind = Decoder::Kind::kBpe;
    step.pattern = pattern_text(json.at("suffix"));
  } else {
    json.at("type").not_implemented(detail::text_of("decoder ", type));
  }
  return step;
}

std::pair<std::string, std::uint32_t> read_named_token(const Json& json) {
  if (json.size() != 2) json.refuse("must be a token and its id, got ", json.shown());
  return {json.at(std::size_t{0}).text(), json.at(1).integer(kMaxId)};
}

std::vector<TemplatePart> read_template(const Json& json, const Json& special, bool is_pair) {
  std::vector<TemplatePart> parts;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Json item = json.at(i);
    TemplatePart part;
    if (const Json sequence = item.find("Sequence"); !sequence.is_null()) {
      const Json id = sequence.at("id");
      part.sequence = id.text() == "B" ? 1 : 0;
      if (id.text() != "A" && (!is_pair || id.text() != "B")) {
        id.refuse("must be A", is_pair ? " or B" : "", ", got ", id.shown());
      }
      part.type_id = sequence.at("type_id").integer(kMaxId);
    } else {
      const Json token = item.at("SpecialToken");
      const Json entry = special.at(token.at("id").text().c_str());
      const Json ids = entry.at("ids"), tokens = entry.at("tokens");
      if (ids.size() != tokens.size()) {
        tokens.refuse("has ", tokens.size(), " tokens, but there are ", ids.size(), " ids");
      }
      part.type_id = token.at("type_id").integer(kMaxId);
      for (std::size_t k = 0; k < ids.size(); ++k) {
        part.ids.push_back(ids.at(k).integer(kMaxId));
        part.tokens.push_back(tokens.at(k).text());
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

PostProcessor bert_form(const std::pair<std::string, std::uint32_t>& cls,
                        const std::pair<std::string, std::uint32_t>& sep, bool roberta) {
  const auto token = [](const std::pair<std::string, std::uint32_t>& named, std::int64_t type) {
    return TemplatePart{-1, type, {named.second}, {named.first}};
  };
  const std::int64_t second = roberta ? 0 : 1;
  PostProcessor step;
  step.has_template = true;
  step.single = {token(cls, 0), {0, 0, {}, {}}, token(sep, 0)};
  step.pair = step.single;
  if (roberta) step.pair.push_back(token(sep, 0));
  step.pair.push_back({1, second, {}, {}});
  step.pair.push_back(token(sep, second));
  return step;
}

std::vector<Normalizer> read_normalizers(const Json& json) {
  std::vector<Normalizer> steps;
  for_each_step(json, "normalizers",
                [&](const Json& step) { steps.push_back(read_normalizer(step)); });
  return steps;
}

std::vector<PreTokenizer> read_pre_tokenizers(const Json& json) {
  std::vector<PreTokenizer> steps;
  for_each_step(json, "pretokenizers", [&](const Json& step) {
    if (!steps.empty() && steps.back().kind == PreTokenizer::Kind::kByteLevel) {
      step.not_implemented("step behind ByteLevel");
    }
    steps.push_back(read_pre_tokenizer(step));
  });
  return steps;
}

std::vector<Decoder> read_decoders(const Json& json) {
  std::vector<Decoder> steps;
  for_each_step(json, "decoders", [&](const Json& step) { steps.push_back(read_decoder(step)); });
  return steps;
}

PostProcessor read_post_processor(const Json& json) {
  PostProcessor all;
  for_each_step(json, "processors", [&](const Json& step) {
    const std::string type = step.at("type").text();
    PostProcessor own;
    if (type == "TemplateProcessing") {
      own.has_template = true;
      const Json special = step.at("special_tokens");
      own.single = read_template(step.at("single"), special, false);
      own.pair = read_template(step.at("pair"), special, true);
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
      own = bert_form(read_named_token(step.at("cls")), read_named_token(step.at("sep")),
                      type == "RobertaProcessing");
    } else if (type != "ByteLevel") {
      step.at("type").not_implemented(detail::text_of("post-processor ", type));
    }
    if (type == "ByteLevel" || type == "RobertaProcessing") {
      own.trim_offsets = step.find("trim_offsets").boolean_or(true);
      own.add_prefix_space = step.find("add_prefix_space").boolean_or(true);
    }
    if (own.trim_offsets) {
      all.trim_offsets = true;
      all.add_prefix_space = own.add_prefix_space;
    }
    if (!own.has_template) return;
    if (all.has_template) step.not_implemented("second form of an encoding");
    all.has_template = true;
    all.single = std::move(own.single);
    all.pair = std::move(own.pair);
  });
  return all;
}

}  // namespace tern::text
