#include <functional>
#include <memory>
#include <tuple>

#include <tern/nn/nn.h>
#include <tern/serialization/state_file.h>

#include "scratch.h"
#include "state_formats.h"

// Every class of module that has something to save goes through every format, from and to every
// device, and comes back in another module to the bit.

namespace tern {
namespace {

/// What no module of the library has: a buffer that is not saved, tied weights, views, elements of
/// other dtypes, no elements, no dimensions.
struct OwnImpl : nn::Module {
  OwnImpl() {
    register_module("encoder", encoder);
    register_parameter("tied", encoder->weight);
    for (const ScalarType dtype : {kDouble, kFloat, kHalf}) {
      register_parameter(dtype_info(dtype).name, randn({2, 3}).to(dtype));
    }
    for (const ScalarType dtype : {kLong, kInt, kShort, kChar, kByte, kBool}) {
      register_buffer(dtype_info(dtype).name, randint(0, 2, {5}).to(dtype));
    }
    register_buffer("passing", randn({3}), /*persistent=*/false);
    register_buffer("columns", randn({4, 3}).t());
    register_buffer("part", randn({8}).slice(0, 2, 6));
    register_buffer("nothing", randn({0, 3}));
    register_buffer("number", randn({}));
    register_buffer("later", Tensor());
  }
  nn::Linear encoder{3, 4};
};

struct Class {
  const char* name;
  std::function<std::shared_ptr<nn::Module>()> make;
};

template <class M, class... Args>
Class module_class(const char* name, const Args&... args) {
  return {name, [=]() -> std::shared_ptr<nn::Module> { return std::make_shared<M>(args...); }};
}

/// Drawn in float, since there is no arithmetic in halves.
std::shared_ptr<nn::Module> linear_of(ScalarType dtype) {
  const nn::Linear net(3, 4);
  net->to(dtype);
  return net.ptr();
}

const std::vector<Class>& classes() {
  static const std::vector<Class> kClasses = {
      module_class<nn::LinearImpl>("Linear", 3, 4),
      module_class<nn::LinearImpl>("LinearWithoutBias", nn::LinearOptions(3, 4).bias(false)),
      module_class<nn::LinearImpl>("LinearOfDoubles", nn::LinearOptions(3, 4).dtype(kDouble)),
      {"LinearOfHalves", [] { return linear_of(kHalf); }},
      {"LinearOfBFloat16", [] { return linear_of(kBFloat16); }},
      module_class<nn::BatchNorm1dImpl>("BatchNorm1d", nn::BatchNorm1dOptions(5)),
      module_class<nn::BatchNorm1dImpl>("BatchNorm1dOfStatistics",
                                        nn::BatchNorm1dOptions(5).affine(false)),
      module_class<nn::LayerNormImpl>("LayerNorm", nn::LayerNormOptions({2, 3})),
      module_class<nn::ReLUImpl>("ReLU"),  // which has nothing
      {"Sequential",
       [] {
         return nn::Sequential(nn::Linear(2, 3), nn::ReLU(), nn::BatchNorm1d(3), nn::Dropout(0.5),
                               nn::Linear(3, 1))
             .ptr();
       }},
      {"ModuleList",
       [] {
         nn::ModuleList list;
         for (int i = 0; i < 11; ++i) list->push_back(nn::Linear(2, 2));  // "10" after "9"
         return list.ptr();
       }},
      {"ModuleDict",
       [] {
         nn::ModuleDict dict;
         dict->insert("z", nn::Linear(2, 3));
         dict->insert("a", nn::LayerNorm(nn::LayerNormOptions({3})));
         return dict.ptr();
       }},
      {"ParameterList",
       [] {
         return nn::ParameterList(randn({2}), randn({}), randn({2, 2}, kDouble)).ptr();
       }},
      {"ParameterDict",
       [] {
         nn::ParameterDict dict;
         dict->insert("z", randn({2}));
         dict->insert("J\xc3\xb6rg \"a\"\n", randn({3}, kDouble));
         return dict.ptr();
       }},
      module_class<OwnImpl>("Own")};
  return kClasses;
}

/// Other values in every element, so that nothing is what a fresh module has.
void scramble(const nn::Module& module) {
  const NoGradGuard no_grad;
  for (const auto& [key, value] : module.state_dict()) {
    Tensor tensor = value;
    tensor.copy_((randn(tensor.sizes()) * 3).to(tensor.dtype()));
  }
}

using ModuleClasses = ::testing::TestWithParam<std::tuple<const char*, std::size_t>>;

TEST_P(ModuleClasses, ComeBackToTheBit) {
  const auto& [format, index] = GetParam();
  const Scratch scratch;
  const std::string path = scratch.path("state") + format;
  manual_seed(6);
  for (const char* from : {"cpu", "cuda:1"}) {
    const std::shared_ptr<nn::Module> module = classes()[index].make();
    module->to(Device(from));
    scramble(*module);
    const State state = module->state_dict();
    if (path.ends_with(".npz") && classes()[index].name == std::string("LinearOfBFloat16")) {
      EXPECT_THROW(save(*module, path), FileError);  // NumPy has no such numbers
      continue;
    }
    save(*module, path);
    for (const char* to : {"cpu", "cuda:0"}) {
      const std::shared_ptr<nn::Module> other = classes()[index].make();
      other->to(Device(to));
      EXPECT_TRUE(state.empty() || !identical(other->state_dict(), state));
      load(*other, path);
      EXPECT_EQ(other->state_dict().keys(), state.keys());  // also in their order
      EXPECT_TRUE(identical(other->state_dict(), state)) << from << " to " << to;
      for (const Tensor& tensor : other->parameters()) EXPECT_EQ(tensor.device(), Device(to));
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<ModuleClasses::ParamType>& test) {
  const auto& [format, index] = test.param;
  return std::string(classes()[index].name) + "_" + (format + 1);
}

INSTANTIATE_TEST_SUITE_P(, ModuleClasses,
                         ::testing::Combine(::testing::ValuesIn(kStateFormats),
                                            ::testing::Range(std::size_t{0}, classes().size())),
                         test_name);

}  // namespace
}  // namespace tern
