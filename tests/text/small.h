#pragma once

#include <string>

// A small tokenizer.json, whose parts tests replace.

namespace tern::text {

inline const std::string kBytesModel =
    R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġab": 4, "<|end|>": 5,)"
    R"( "Ã": 6, "©": 7}, "merges": ["a b", "Ġ ab"]})";

inline const std::string kAdded = R"([{"id": 5, "content": "<|end|>", "special": true}])";

/// A tokenizer of a few bytes: `more` are further members, with a comma in front.
inline std::string small_json(const std::string& model = kBytesModel,
                              const std::string& added = kAdded, const std::string& more = "") {
  return R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},)"
         R"( "decoder": {"type": "ByteLevel"}, "model": )" +
         model + R"(, "added_tokens": )" + added + more + "}";
}

}  // namespace tern::text
