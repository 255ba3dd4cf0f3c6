#include <tern/text/detail/pre_tokenizer.h>

#include <algorithm>

namespace tern::text {
namespace {

/// A part of a piece that a pattern matches, or one between matches.
struct Part {
  Span span;
  bool is_match;
};

std::uint32_t to32(std::size_t size) { return static_cast<std::uint32_t>(size); }

/// Calls `split(text, piece, to)` for each piece, which appends its parts to `to`.
template <class Split>
void split_all(Pieces& pieces, const Split& split) {
  std::vector<Span> to;
  const std::string_view text = pieces.text.view();
  for (const Span piece : pieces.pieces) split(text.substr(0, piece.end), piece, to);
  pieces.pieces = std::move(to);
}

/// Appends what `behavior` makes of the parts.
void combine(PreTokenizer::Behavior behavior, std::vector<Part>& parts, std::vector<Span>& to) {
  using Behavior = PreTokenizer::Behavior;
  if (behavior == Behavior::kRemoved || behavior == Behavior::kIsolated) {
    for (const Part& part : parts) {
      if (behavior == Behavior::kIsolated || !part.is_match) to.push_back(part.span);
    }
    return;
  }
  // A match joins the part beside it that is none; equal neighbours join.
  const bool from_end = behavior == Behavior::kMergedWithNext;
  if (from_end) std::ranges::reverse(parts);
  std::vector<Span> joined;
  bool was_match = false;
  for (const auto& [span, is_match] : parts) {
    const bool joins =
        behavior == Behavior::kContiguous ? is_match == was_match : is_match && !was_match;
    if (joins && !joined.empty()) {
      Span& last = joined.back();
      last = {std::min(last.begin, span.begin), std::max(last.end, span.end)};
    } else {
      joined.push_back(span);
    }
    was_match = is_match;
  }
  if (from_end) std::ranges::reverse(joined);
  to.insert(to.end(), joined.begin(), joined.end());
}

/// Splits at matches: `find(text, at)` returns the end of the one at `at`, or `at`.
template <class Find>
void split_matches(Pieces& pieces, PreTokenizer::Behavior behavior, bool invert, const Find& find) {
  std::vector<Part> parts;
  split_all(pieces, [&](std::string_view text, Span piece, std::vector<Span>& to) {
    parts.clear();
    std::uint32_t from = piece.begin;
    for (std::uint32_t at = piece.begin; at < piece.end;) {
      const std::uint32_t end = to32(find(text, at));
      if (end == at) {
        at += decode_at(text, at).size;
        continue;
      }
      if (from < at) parts.push_back({{from, at}, invert});
      parts.push_back({{at, end}, !invert});
      from = at = end;
    }
    if (from < piece.end) parts.push_back({{from, piece.end}, invert});
    combine(behavior, parts, to);
  });
}

template <class Is>
void split_characters(Pieces& pieces, PreTokenizer::Behavior behavior, const Is& is) {
  split_matches(pieces, behavior, false, [&](std::string_view text, std::size_t at) {
    const auto [code, size] = decode_at(text, at);
    return is(code) ? at + size : at;
  });
}

/// Pieces are runs of characters of one class; those of class 0 are dropped, and those of
/// `isolated` stand alone.
template <class ClassOf>
void split_classes(Pieces& pieces, int isolated, const ClassOf& class_of) {
  split_all(pieces, [&](std::string_view text, Span piece, std::vector<Span>& to) {
    int last = 0;
    for (std::uint32_t at = piece.begin; at < piece.end;) {
      const auto [code, size] = decode_at(text, at);
      const int own = class_of(code);
      if (own != 0 && own == last && own != isolated) {
        to.back().end += size;
      } else if (own != 0) {
        to.push_back({at, at + size});
      }
      last = own;
      at += size;
    }
  });
}

int bert_class(char32_t code) {
  if (kind_of(code) == Kind::kLetter) return 1;
  return is_space(code) ? 0 : is_punctuation(code) ? 2 : 1;
}

int word_class(char32_t code) { return is_space(code) ? 0 : is_word(code) ? 1 : 2; }

/// Builds the text anew, piece by piece.
template <class Put>
void rebuild(Pieces& pieces, const Put& put) {
  Pieces built;
  for (const Span piece : pieces.pieces) {
    const std::uint32_t begin = to32(built.text.view().size());
    put(piece, built.text);
    built.pieces.push_back({begin, to32(built.text.view().size())});
  }
  pieces = std::move(built);
}

/// The origin of the first character of a piece.
Span first_origin(const AlignedText& text, Span piece) {
  return text.origin({piece.begin, piece.begin + decode_at(text.view(), piece.begin).size});
}

void add_prefix_spaces(Pieces& pieces) {
  const AlignedText& text = pieces.text;
  const auto has_space = [&](Span piece) { return text.view()[piece.begin] == ' '; };
  if (std::ranges::all_of(pieces.pieces, has_space)) return;
  rebuild(pieces, [&](Span piece, AlignedText& to) {
    if (!has_space(piece)) to.append(U' ', first_origin(text, piece));
    to.append(text, piece);
  });
}

void run_metaspace(const PreTokenizer& step, Pieces& pieces) {
  const AlignedText& text = pieces.text;
  rebuild(pieces, [&](Span piece, AlignedText& to) {
    using Prepend = PreTokenizer::Prepend;
    const std::string_view view = text.view().substr(piece.begin, piece.end - piece.begin);
    const Span first = first_origin(text, piece);
    const bool wants =
        step.prepend == Prepend::kAlways || (step.prepend == Prepend::kFirst && first.begin == 0);
    if (wants && view[0] != ' ' && !view.starts_with(step.pattern)) to.append(step.pattern, first);
    text.slice(piece).for_each([&](char32_t code, Span origin) {
      code == ' ' ? to.append(step.pattern, origin) : to.append(code, origin);
    });
  });
  if (!step.split) return;
  split_matches(pieces, PreTokenizer::Behavior::kMergedWithNext, false,
                [&](std::string_view view, std::size_t at) {
                  return view.substr(at).starts_with(step.pattern) ? at + step.pattern.size() : at;
                });
}

void run_scanner(Scanner scanner, Pieces& pieces) {
  split_all(pieces, [&](std::string_view text, Span piece, std::vector<Span>& to) {
    for (std::uint32_t at = piece.begin; at < piece.end;) {
      const std::uint32_t end = to32(scan(scanner, text.substr(piece.begin), at - piece.begin));
      to.push_back({at, piece.begin + end});
      at = piece.begin + end;
    }
  });
}

}  // namespace

void pre_tokenize(const std::vector<PreTokenizer>& steps, Pieces& pieces) {
  for (const PreTokenizer& step : steps) {
    switch (step.kind) {
      case PreTokenizer::Kind::kByteLevel:
        if (step.add_prefix_space) add_prefix_spaces(pieces);
        if (step.use_regex) run_scanner(Scanner::kGpt2, pieces);
        break;
      case PreTokenizer::Kind::kWhitespace:
        split_classes(pieces, -1, word_class);
        break;
      case PreTokenizer::Kind::kWhitespaceSplit:
        split_classes(pieces, -1, [](char32_t code) { return is_space(code) ? 0 : 1; });
        break;
      case PreTokenizer::Kind::kBert:
        split_classes(pieces, 2, bert_class);
        break;
      case PreTokenizer::Kind::kDigits:
        split_characters(pieces,
                         step.individual_digits ? PreTokenizer::Behavior::kIsolated
                                                : PreTokenizer::Behavior::kContiguous,
                         is_numeric);
        break;
      case PreTokenizer::Kind::kPunctuation:
        split_characters(pieces, step.behavior, is_punctuation);
        break;
      case PreTokenizer::Kind::kScanner:
        if (step.behavior == PreTokenizer::Behavior::kIsolated) {
          run_scanner(step.scanner, pieces);
        } else {
          split_matches(
              pieces, step.behavior, step.invert,
              [&](std::string_view text, std::size_t at) { return scan(step.scanner, text, at); });
        }
        break;
      case PreTokenizer::Kind::kLiteral:
        split_matches(
            pieces, step.behavior, step.invert, [&](std::string_view text, std::size_t at) {
              return text.substr(at).starts_with(step.pattern) ? at + step.pattern.size() : at;
            });
        break;
      case PreTokenizer::Kind::kMetaspace:
        run_metaspace(step, pieces);
        break;
    }
  }
}

}  // namespace tern::text
