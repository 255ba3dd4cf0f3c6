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

}  // namespace
}  // namespace tern
