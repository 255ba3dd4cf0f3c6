#include "reject.h"
#include "state_formats.h"

// The file of a model, cut off anywhere or with any bit flipped, in every format: it is refused and
// the model stays as it was, or it is loaded whole.

namespace tern {
namespace {

class ModelDamage : public RejectTest, public ::testing::WithParamInterface<const char*> {
 protected:
  ModelDamage() {
    save(on_cpu_.net, path_);
    good_ = read_file(path_);
  }

  const std::string path_ = scratch_.path("model") + GetParam();
  std::string good_;
};

TEST_P(ModelDamage, CutOffAnywhere) {
  const auto step = static_cast<std::size_t>(count_for(41, 1));
  const std::size_t end = good_.find_last_not_of('\n');  // what ends a JSON file may be missing
  for (std::size_t size = 0; size <= end; size += step) {
    SCOPED_TRACE("after " + std::to_string(size) + " bytes");
    write_file(path_, good_.substr(0, size));
    expect_refused(path_, "");
  }
}

TEST_P(ModelDamage, OneFlippedBit) {
  const auto step = static_cast<std::size_t>(count_for(101, 1));
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * good_.size(); bit += step) {
    std::string damaged = good_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(path_, damaged);
    for (TrainedNet* model : {&on_cpu_, &on_cuda_}) {
      const State before = copy_of(model->net->state_dict());
      const std::string facts = model->facts();
      for (const bool strict : {true, false}) {
        try {
          load(model->net, path_, strict);
          model->net->load_state_dict(before);
        } catch (const Error&) {
          ++refused;
        }
        EXPECT_TRUE(model->facts() == facts) << "bit " << bit;
      }
    }
  }
  EXPECT_GT(refused, 2 * good_.size() / step);
}

INSTANTIATE_TEST_SUITE_P(, ModelDamage, ::testing::ValuesIn(kStateFormats), format_name);

}  // namespace
}  // namespace tern
