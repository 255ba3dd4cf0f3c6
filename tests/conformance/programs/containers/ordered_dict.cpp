#include <torch/torch.h>

#include <iostream>

// OrderedDict keeps the order of insertion.
int main() {
  torch::OrderedDict<std::string, int> dict("key");
  dict.insert("b", 2);
  dict.insert("a", 1);
  dict["a"] += 10;
  std::cout << dict.size() << dict.is_empty() << dict.front().key() << dict.back().value() << "\n";
  for (const auto& item : dict) std::cout << item.key() << "=" << *item << " ";
  std::cout << "\n" << dict[0].value() << "\n";
  for (auto& item : dict) item.value() *= 2;
  std::cout << dict["b"] << dict.contains("c") << (dict.find("c") == nullptr) << *dict.find("a")
            << "\n";
  std::cout << dict.keys() << " " << dict.values() << "\n";
  for (const auto& pair : dict.pairs()) std::cout << pair.first << pair.second << " ";
  std::cout << "\n";
  torch::OrderedDict<std::string, int> copy(dict);
  copy.erase("b");
  std::cout << copy.size() << dict.size() << "\n";
  torch::OrderedDict<std::string, int> list = {{"x", 1}, {"y", 2}};
  dict.update(list);
  std::cout << dict.size() << dict.key_description() << "\n";
  try {
    dict["zebra"];
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  try {
    dict.insert("x", 3);
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  dict.clear();
  std::cout << dict.is_empty() << "\n";
}
