#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tern/text/detail/aligned_text.h>

namespace tern::text {

/// The scanners that stand for regular expressions.
enum class Scanner { kGpt2, kLlama3, kQwen2 };

/// Returns the end of the piece that the expression matches at `at`.
std::size_t scan(Scanner scanner, std::string_view text, std::size_t at);

/// Returns the scanner of an expression in tokenizer.json, if it is a known one.
std::optional<Scanner> scanner_of(std::string_view expression);

/// A step that splits a text into pieces, which the model encodes one by one.
struct PreTokenizer {
  enum class Kind {
    kByteLevel,
    kWhitespace,
    kWhitespaceSplit,
    kBert,
    kDigits,
    kPunctuation,
    kScanner,
    kLiteral,
    kMetaspace,
  };
  /// What becomes of a match.
  enum class Behavior {
    kRemoved,
    kIsolated,
    kMergedWithPrevious,
    kMergedWithNext,
    kContiguous,
  };
  Kind kind;
  Behavior behavior = Behavior::kIsolated;
  /// kByteLevel: puts a blank in front of a piece without one.
  bool add_prefix_space = false;
  /// kByteLevel: splits as GPT-2.
  bool use_regex = true;
  /// kDigits.
  bool individual_digits = false;
  /// kScanner, kLiteral: the matches are what the pattern does not match.
  bool invert = false;
  Scanner scanner = Scanner::kGpt2;
  /// kLiteral: what to look for. kMetaspace: what stands for a blank.
  std::string pattern;
  /// kMetaspace: puts one in front of all pieces, of the first one, or of none.
  enum class Prepend { kAlways, kFirst, kNever } prepend = Prepend::kAlways;
  /// kMetaspace: splits before each.
  bool split = true;
};

/// A text and its pieces in order; what is between them is dropped.
struct Pieces {
  AlignedText text;
  std::vector<Span> pieces;
};

/// Splits each piece further.
void pre_tokenize(const std::vector<PreTokenizer>& steps, Pieces& pieces);

}  // namespace tern::text
