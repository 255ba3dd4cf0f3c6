#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "differential/layers/layer_case.h"
#include "source_folder.h"

// Sequence layers with several options at random, and what PyTorch answers (layers/record.py).

namespace tern::testing::differential {
namespace {

void expect_near(const Json& expected, const Json& found) {
  EXPECT_EQ(expected.at("d"), found.at("d"));
  ASSERT_EQ(expected.at("s"), found.at("s"));
  for (std::size_t i = 0; i < expected.at("x").size(); ++i) {
    const double want = read_double(expected["x"][i]), got = read_double(found.at("x").at(i));
    EXPECT_NEAR(want, got, 1e-10 * std::max(1.0, std::abs(want))) << "element " << i;
  }
}

TEST(RecordedLayers, AnswerAsPyTorch) {
  std::ifstream in(source_folder() + "/tests/differential/layers/recorded.jsonl");
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    const Json recorded = Json::parse(line), &expected = recorded.at("answer");
    const Json found = run_layer(recorded);
    SCOPED_TRACE("line " + std::to_string(++number) + ", " + recorded.at("layer").dump() + " " +
                 recorded.at("options").dump());
    ASSERT_FALSE(found.contains("e")) << found["e"];
    ASSERT_EQ(found.at("values").size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(expected[i].at(0));
      EXPECT_EQ(found["values"][i].at(0), expected[i].at(0));
      ASSERT_EQ(expected[i].at(1).is_null(), found["values"][i].at(1).is_null());
      if (!expected[i][1].is_null()) expect_near(expected[i][1], found["values"][i][1]);
    }
  }
  EXPECT_GT(number, 40);
}

}  // namespace
}  // namespace tern::testing::differential
