#include "nn/nn_test.h"

namespace tern {
namespace {

TEST(ParametersToVector, IsUndoneByItsOpposite) {
  const nn::Linear source(3, 2), target(3, 2);
  const Tensor vector = nn::utils::parameters_to_vector(source->parameters());
  EXPECT_EQ(vector.sizes(), IntArrayRef({8}));
  EXPECT_TRUE(vector.requires_grad());
  nn::utils::vector_to_parameters(vector.detach(), target->parameters());
  EXPECT_TRUE(identical(source->state_dict(), target->state_dict()));
  EXPECT_EQ(error_of<ShapeError>(
                [&] { nn::utils::vector_to_parameters(ones({7}), target->parameters()); }),
            "vector_to_parameters: expected a vector of 8 elements, got sizes [7]");
  EXPECT_TRUE(identical(source->state_dict(), target->state_dict()));
  const nn::Linear far = nn::Linear(3, 2).to("cuda:0");
  EXPECT_THROW(nn::utils::parameters_to_vector({source->weight, far->weight}), DeviceError);
}

}  // namespace
}  // namespace tern
