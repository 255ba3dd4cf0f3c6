#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "fnv1a.h"
#include "golden/golden.h"

// Random tensors with random print options against Python. golden/ops/print_random.py makes the
// cases; TERN_PRINT_CASES names another file of them.

namespace tern {
namespace {

Tensor random_tensor(std::uint64_t seed, ScalarType dtype, const std::vector<std::int64_t>& sizes,
                     const std::string& kind, double scale) {
  const auto has = [&](char letter) { return kind.find(letter) != std::string::npos; };
  manual_seed(seed);
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  if (!is_floating_point(dtype)) {
    const auto most = static_cast<std::int64_t>(scale);
    const std::int64_t low = dtype == kByte || dtype == kBool ? 0 : -most;
    return randint(low, most + 1, {count}).to(dtype).reshape(sizes);
  }
  Tensor x = (rand({count}, kDouble) * 2 - 1) * scale;
  if (has('m')) {
    const std::vector<double> powers = {1e-10, 1e-5, 1e-4, 0.01, 1.0, 10.0, 100.0, 1e4, 1e8};
    const auto size = static_cast<std::int64_t>(powers.size());
    x = x * tensor(powers, kDouble).index_select(0, randint(0, size, {count}));
  }
  if (has('w')) x = x.round();
  if (has('s')) {
    const Tensor place = randint(0, 12, {count});
    int index = 0;
    for (const double value : {double{NAN}, double{INFINITY}, -double{INFINITY}, -0.0, 0.0}) {
      x = x.masked_fill(place == index++, value);
    }
  }
  x = x.to(dtype).reshape(sizes);
  if (has('g') || has('c')) x.requires_grad_();
  return has('c') ? x.clone() : x;
}

std::string hash_of_text(const std::string& text) {
  char out[18];
  std::snprintf(out, sizeof(out), "#%016llx",
                static_cast<unsigned long long>(testing::fnv1a(text.data(), text.size())));
  return out;
}

nlohmann::json print_random_cases() {
  const char* const path = std::getenv("TERN_PRINT_CASES");
  if (path == nullptr) return testing::golden("ops/print_random")["printed"];
  std::ifstream file(path);
  return nlohmann::json::parse(file)["printed"];
}

TEST(Print, RandomTensorsEqualPython) {
  const PrintOptions before = get_printoptions();
  for (const nlohmann::json& row : print_random_cases()) {
    const nlohmann::json& options = row[5];
    PrintOptions chosen{options[0], options[1], options[2], options[3], {}};
    if (!options[4].is_null()) chosen.sci_mode = options[4].get<bool>();
    set_printoptions(chosen);
    const std::string text =
        to_string(random_tensor(row[0], testing::golden_dtype(row[1]),
                                row[2].get<std::vector<std::int64_t>>(), row[3], row[4]));
    const auto want = row[6].get<std::string>();
    EXPECT_EQ(want.starts_with('#') ? hash_of_text(text) : text, want) << row << '\n' << text;
  }
  set_printoptions(before);
}

}  // namespace
}  // namespace tern
