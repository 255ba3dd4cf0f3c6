#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "differential/program.h"
#include "simulated_devices.h"
#include "source_folder.h"

// Recorded programs with PyTorch's answers: random ones (recorded.jsonl, made by record.py), and
// calls at the edges of options and dtypes (edges.jsonl and extremes.jsonl, made by edges.py).

namespace tern::testing::differential {
namespace {

std::vector<Json> recorded(const std::string& file) {
  std::ifstream in(source_folder() + "/tests/differential/" + file);
  std::vector<Json> programs;
  for (std::string line; std::getline(in, line);) programs.push_back(Json::parse(line));
  return programs;
}

class Recorded : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { set_default_device(Device(GetParam())); }
  void TearDown() override { set_default_device(kCPU); }
};

void expect_answers(const std::string& file) {
  int number = 0;
  for (const Json& program : recorded(file)) {
    ++number;
    const auto found = run_program(program);
    if (!found) continue;
    ADD_FAILURE() << "line " << number << ", " << program.value("about", "a random program")
                  << ", step " << found->step << ": " << found->what << ": " << found->text << "\n"
                  << program["steps"].dump();
  }
}

TEST_P(Recorded, ProgramsAnswerAsPyTorch) { expect_answers("recorded.jsonl"); }

TEST_P(Recorded, CallsAtEdgesAnswerAsPyTorch) { expect_answers("edges.jsonl"); }

// Other devices cannot look whether a result has left the range without waiting.
TEST(Extremes, FiniteNumbersStayInRangeOnTheCpu) { expect_answers("extremes.jsonl"); }

INSTANTIATE_TEST_SUITE_P(Devices, Recorded, ::testing::Values("cpu", "cuda:0"),
                         [](const auto& device) {
                           return device.param[1] == 'p' ? "cpu" : "cuda";
                         });

// New forms may wait, so that programs are recorded for several ops at once; the record of an op
// has PyTorch's numbers in any case.
TEST(Forms, RecordedProgramsReachNearlyAll) {
  std::set<std::string> waiting;
  for (const auto& [python, form] : all_forms()) waiting.insert(python);
  const std::size_t most = waiting.size() / 20;
  for (const Json& program : recorded("recorded.jsonl")) {
    for (const Json& step : program["steps"]) {
      if (step.contains("r")) waiting.erase(step["f"].get<std::string>());
    }
  }
  EXPECT_LE(waiting.size(), most) << "run make golden; no recorded program calls "
                                  << Json(waiting).dump();
}

}  // namespace
}  // namespace tern::testing::differential
