#include <tern/nn/containers/ordered_dict.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

TEST(OrderedDict, KeepsOrder) {
  OrderedDict<std::string, int> dict{{"b", 2}, {"a", 1}};
  EXPECT_EQ(dict.keys(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(dict.values(), (std::vector<int>{2, 1}));
  EXPECT_EQ(dict.front().key(), "b");
  EXPECT_EQ(dict.back().value(), 1);
  EXPECT_EQ(error_of([&] { dict.insert("a", 3); }), "Key 'a' already defined");
  EXPECT_EQ(error_of<IndexError>([&] { dict[5]; }), "Index 5 is out of bounds");
  dict.erase("b");
  EXPECT_EQ(dict.size(), 1u);
  dict.clear();
  EXPECT_EQ(error_of<IndexError>([&] { dict.front(); }), "Called front() on an empty OrderedDict");
}

TEST(OrderedDict, FindsAmongManyKeys) {
  OrderedDict<std::string, int> dict;
  for (int i = 0; i < 1000; ++i) dict.insert(std::to_string(i), i);
  EXPECT_EQ(error_of([&] { dict.insert("999", 0); }), "Key '999' already defined");
  for (int i = 0; i < 1000; i += 2) dict.erase(std::to_string(i));
  const OrderedDict<std::string, int> copy = dict;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(copy.contains(std::to_string(i)), i % 2 == 1) << i;
  EXPECT_EQ(copy["501"], 501);
  EXPECT_EQ(copy.index_of("501"), 250u);
  EXPECT_EQ(copy.index_of("500"), copy.size());
  dict.clear();
  EXPECT_FALSE(dict.contains("501"));
}

TEST(OrderedDict, NamesKeysNearAMissingOne) {
  OrderedDict<std::string, int> dict("Parameter");
  EXPECT_EQ(error_of<IndexError>([&] { dict["fc.weight"]; }),
            "Parameter 'fc.weight' is not defined; the keys are: none");
  for (int i = 0; i < 6; ++i) {
    dict.insert("layer" + std::to_string(i) + ".conv.weight", i);
    dict.insert("layer" + std::to_string(i) + ".conv.bias", i);
  }
  EXPECT_EQ(error_of<IndexError>([&] { dict["layer4.conv.wieght"]; }),
            "Parameter 'layer4.conv.wieght' is not defined; the nearest of 12 keys are: "
            "'layer4.conv.weight', 'layer4.conv.bias', 'layer0.conv.weight', "
            "'layer1.conv.weight', 'layer2.conv.weight'");
  EXPECT_EQ(error_of<IndexError>([&] { dict["conv.bias"]; })
                .find("Parameter 'conv.bias' is not defined; the nearest of 12 keys are: "
                      "'layer0.conv.bias', 'layer1.conv.bias'"),
            0u);
  EXPECT_EQ(error_of<IndexError>([&] { dict.erase("conv.bias"); }),
            "Parameter 'conv.bias' doesn't exist");
  // One line of bounded length, whatever the keys are.
  OrderedDict<std::string, int> strange{{"two\nlines", 1}, {std::string(1000, 'x'), 2}};
  EXPECT_EQ(
      error_of<IndexError>([&] { strange["two"]; }),
      "Key 'two' is not defined; the keys are: 'two lines', '" + std::string(120, 'x') + "...'");
}

}  // namespace
}  // namespace tern
