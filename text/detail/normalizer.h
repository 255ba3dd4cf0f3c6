#pragma once

#include <string>
#include <vector>

#include <tern/text/detail/aligned_text.h>

namespace tern::text {

/// A step that changes the text before it is split.
struct Normalizer {
  enum class Kind { kNormalForm, kLowercase, kStripAccents, kBert, kStrip, kReplace, kPrepend };
  Kind kind;
  /// kNormalForm: NFC or NFKC; NFKD or NFKC.
  bool composed = false, compatible = false;
  /// kBert.
  bool clean_text = true, pad_cjk = true, strip_accents = true, lowercase = true;
  /// kStrip.
  bool left = true, right = true;
  /// kReplace: what is replaced; by what. kPrepend: the second.
  std::string pattern, content;
};

/// Applies the steps to a text.
void normalize(const std::vector<Normalizer>& steps, AlignedText& text);

}  // namespace tern::text
