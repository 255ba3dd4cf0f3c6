#include <functional>
#include <sstream>

#include <tern/compat/print.h>
#include <tern/train/log/detail/progress_text.h>
#include <tern/train/profiler/averages.h>

#include "locales.h"
#include "train/train_test.h"

// What tern writes and reads is the same in every locale. The tests of printing, errors and files
// run in these locales, too (tests/CMakeLists.txt).

namespace tern {
namespace {

/// Sets a locale of the process until the end of the scope.
class ScopedLocale {
 public:
  explicit ScopedLocale(const std::string& name) { testing::set_locale(name); }
  ScopedLocale(const ScopedLocale&) = delete;
  ScopedLocale& operator=(const ScopedLocale&) = delete;
  ~ScopedLocale() {
    const char* const name = std::getenv("TERN_TEST_LOCALE");
    testing::set_locale(name == nullptr ? "C" : name);
  }
};

/// A stream with the locale of the process, C or C++.
template <class... Values>
std::string shown(const Values&... values) {
  std::ostringstream out;
  (out << ... << values);
  return out.str();
}

/// Prints numbers as users do, without a thought of locales.
struct UsersImpl : nn::Module {
  void pretty_print(std::ostream& stream) const override { stream << "Users(" << 1234.5 << ')'; }
};
TERN_MODULE(Users);

nn::ModuleList large_model() {
  const Tensor table = zeros({1500, 2});
  return nn::ModuleList(
      nn::Linear(1500, 2000), nn::Bilinear(1500, 1, 2),
      nn::Flatten(nn::FlattenOptions().start_dim(1).end_dim(1000)),
      nn::Unflatten(1, std::vector<std::int64_t>{1500, 2}), nn::BatchNorm1d(1500),
      nn::InstanceNorm2d(1500), nn::LayerNorm(nn::LayerNormOptions({1500})),
      nn::RMSNorm(nn::RMSNormOptions({1500}).eps(0.25)), nn::GroupNorm(1000, 2000),
      nn::Dropout(0.25), nn::Conv1d(nn::Conv1dOptions(1500, 1, 1000).dilation(2000).padding(3000)),
      nn::ConvTranspose2d(nn::ConvTranspose2dOptions(1500, 1, 1).stride(2000).output_padding(1000)),
      nn::MaxPool2d(1000), nn::AvgPool1d(1000), nn::LPPool2d(1.5, 1000), nn::MaxUnpool1d(1000),
      nn::AdaptiveAvgPool1d(1000), nn::AdaptiveMaxPool2d(1000),
      nn::Upsample(nn::UpsampleOptions().size(std::vector<std::int64_t>{1500}).mode(kNearest)),
      nn::Embedding(nn::EmbeddingOptions(1500, 2).max_norm(1.5).norm_type(2.5).padding_idx(1000)),
      nn::ConstantPad1d(nn::ConstantPad1dOptions(1000, 1.5)), nn::LeakyReLU(0.25),
      nn::Softmax(1000), nn::Hardshrink(1.5), nn::PReLU(nn::PReLUOptions().num_parameters(1500)),
      nn::PixelShuffle(1000), nn::Fold(nn::FoldOptions({1000, 2000}, {1000, 1})),
      nn::CosineSimilarity(nn::CosineSimilarityOptions().dim(1000)), nn::LocalResponseNorm(1000),
      nn::TripletMarginLoss(nn::TripletMarginLossOptions().margin(1.5)), nn::LazyLinear(1500),
      nn::LazyConv2d(1500, 1000), nn::ParameterList(std::vector<Tensor>{table}), Users());
}

std::string error_texts() {
  return error_of<ShapeError>([] {
           matmul(zeros({1500, 2000}), zeros({1000, 1}));
         }) +
         error_of([] { nn::Dropout(1234.5); }) +
         error_of([] { optim::SGD({zeros({1}).requires_grad_()}, optim::SGDOptions(-1234.5)); }) +
         error_of<IndexError>([] { zeros({1500}).select(0, 2000); });
}

std::string written_files() {
  const Scratch scratch;
  State state;
  state.insert("lr", 1234.5);
  state.insert("step", 1234567);
  state.insert("weight", tensor({1234.5, 1e-10}));
  save_state(state, scratch.path("state.json"));
  save_state(state, scratch.path("state.safetensors"));
  save_state(zeros({1500, 1}), scratch.path("array.npy"));
  train::CsvLog(scratch.path("log.csv"), {"step", "loss"})
      .row({{"step", 1234567}, {"loss", 1234.5}});
  std::string all;
  for (const auto& [name, content] : scratch.contents()) all += name + ": " + content + '\n';
  return all;
}

std::string read_files() {
  const Scratch scratch;
  write_file(scratch.path("a.csv"), "1234.5,2\n1e-3,1234567\n");
  write_file(scratch.path("plain.json"), R"({"weight": [1234.5, 0.25], "bias": [-1.5e3]})");
  State state;
  State numbers = State::list();
  for (const double number : {1234.5, -0.1, 1e-300, 5e-324, 1.7976931348623157e308})
    numbers.push_back(number);
  state.insert("numbers", numbers);
  save_state(state, scratch.path("state.json"));
  const State json = load_state(scratch.path("plain.json"));
  const bool is_same = identical(load_state(scratch.path("state.json")), state);
  return shown(data::read_csv(scratch.path("a.csv")).values, json["weight"].tensor(),
               json["bias"].tensor(), is_same);
}

std::string table_text() {
  profiler::FunctionEventAvg row;
  row.key = "relu";
  row.count = 1234567;
  row.cpu_time_total = row.self_cpu_time_total = 1250;
  row.cpu_memory_usage = 15360000;
  return profiler::EventList({row}, true, 1234567).table();
}

std::string training_texts() {
  train::History history;
  train::Numbers numbers;
  numbers.set("loss", 0.125);
  numbers.set("val_loss", 1234567.5);
  history.add(numbers);
  metrics::ConfusionMatrix matrix(2);
  matrix.update(tensor({0, 1, 1}, kLong), tensor({0, 1, 0}, kLong));
  const train::Chart chart{"", "", "", {{"loss", {0, 1000, 2000}, {0.5, 0.25, 0.125}}}};
  return shown(numbers, history, matrix, train::chart_svg(chart), table_text(),
               train::detail::progress_text({"epoch", "", 0, 1500, 2000, 1234.5}),
               train::detail::progress_bar({"epoch", "", 0, 15, 2000, 12.5}, 80, false));
}

struct Text {
  const char* name;
  std::function<std::string()> make;
};

const std::vector<Text> kTexts = {
    {"tensors",
     [] {
       return shown(tensor({1.25, 1234567.5}), tensor({1e-10, 1234.0}), tensor({1234567}),
                    full({1500}, 0.5, kHalf), zeros({1500, 0}));
     }},
    {"libtorch's form",
     [] {
       std::ostringstream out;
       compat::print(out, tensor({0.00125, 1234.5}));
       compat::print(out, zeros({2000, 1, 1}));
       return out.str();
     }},
    {"values",
     [] {
       return shown(Scalar(1234.5), Scalar(1234567), IntArrayRef({1234, 5678}), Device("cuda:1234"),
                    TensorOptions(kFloat), nn::Conv2dOptions(1, 1, 1000).kernel_size(),
                    nn::Conv1dOptions(1, 1, 1000).kernel_size(),
                    nn::AdaptiveAvgPool2dOptions(1000).output_size());
     }},
    {"modules", [] { return shown(large_model()); }},
    {"modules on a user's stream",
     [] {
       std::ostringstream out;
       const nn::ModuleList model = large_model();
       for (const auto& module : *model) {
         if (module->as<Users>() == nullptr) module->pretty_print(out);
       }
       return out.str();
     }},
    {"summary", [] { return large_model()->summary(); }},
    {"errors", error_texts},
    {"training", training_texts},
    {"files", written_files},
    {"files read", read_files},
};

TEST(Locale, ChangesNothing) {
  std::vector<std::string> expected;
  {
    const ScopedLocale c("C");
    for (const Text& text : kTexts) expected.push_back(text.make());
  }
  for (const char* locale : {"tern_comma", "tern_two_bytes", "grouping"}) {
    const ScopedLocale scope(locale);
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      EXPECT_EQ(kTexts[i].make(), expected[i]) << kTexts[i].name << " in " << locale;
    }
  }
}

// The locales differ from C, or the test above could not fail.
TEST(Locale, IsThere) {
  const auto by_printf = [] {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", 1234.5);
    return std::string(text);
  };
  const struct {
    const char *locale, *printf, *stream;
  } cases[] = {{"C", "1234.50", "1234.5"},
               {"tern_comma", "1234,50", "1234.5"},
               {"tern_two_bytes", "1234\u066b50", "1234.5"},
               {"grouping", "1234.50", "1.234,5"}};
  for (const auto& c : cases) {
    const ScopedLocale scope(c.locale);
    EXPECT_EQ(by_printf(), c.printf) << c.locale;
    EXPECT_EQ(shown(1234.5), c.stream) << c.locale;
  }
}

// A stream's own precision and form stay: libtorch prints scalars with them.
TEST(Locale, AStreamChoosesThePrecisionOfAScalar) {
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new testing::Grouping));
  out.precision(10);
  out << Scalar(1234.56789) << ' ' << std::fixed << Scalar(1234.5) << ' ' << std::scientific
      << Scalar(1234.5);
  EXPECT_EQ(out.str(), "1234.56789 1234.5000000000 1.2345000000e+03");
}

}  // namespace
}  // namespace tern
