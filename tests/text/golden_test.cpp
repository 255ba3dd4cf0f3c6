#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <tern/text/text.h>

#include "source_folder.h"

// What tokenizers 0.23.3 makes of strings with odd Unicode and of broken UTF-8, for tokenizers of
// many kinds: tests/text/golden.py.

namespace tern::text {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> found;
  const std::string folder = testing::source_folder() + "/tests/text/golden";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.push_back(entry.path().stem().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, EncodesAndDecodesAsTheReference) {
  std::ifstream file(testing::source_folder() + "/tests/text/golden/" + GetParam() + ".json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  const Tokenizer tokenizer = Tokenizer::from_json(golden["tokenizer"].dump());
  using Ids = std::vector<std::int64_t>;
  for (const nlohmann::json& wanted : golden["cases"]) {
    SCOPED_TRACE(wanted[0].dump());
    const std::string text = from_hex(wanted[0][0]);
    const bool is_pair = wanted[0].size() == 2;
    const Encoding got =
        is_pair ? tokenizer.encode_pair(text, from_hex(wanted[0][1])) : tokenizer.encode(text);
    const Ids ids = wanted[1];
    EXPECT_EQ(got.ids, ids);
    EXPECT_EQ(got.type_ids, wanted[2].get<Ids>());
    EXPECT_EQ(got.special_tokens_mask, wanted[3].get<Ids>());
    std::vector<std::vector<std::size_t>> offsets;
    for (const Offset& offset : got.offsets) offsets.push_back({offset.begin, offset.end});
    EXPECT_EQ(offsets, wanted[4].get<std::vector<std::vector<std::size_t>>>());
    EXPECT_EQ(tokenizer.decode(ids, false), wanted[5].get<std::string>());
    if (!is_pair) {
      EXPECT_EQ(tokenizer.encode_ids(text), ids);
    }

    DecodeStream stream(tokenizer, false);
    std::string streamed;
    for (const std::int64_t id : ids) streamed += stream.next(id);
    EXPECT_EQ(streamed + stream.finish(), wanted[5].get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, Golden, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tern::text
