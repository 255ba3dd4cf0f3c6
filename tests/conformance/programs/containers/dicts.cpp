#include <torch/torch.h>

#include <iostream>

// ModuleDict, ParameterList, ParameterDict.
int main() {
  torch::OrderedDict<std::string, std::shared_ptr<torch::nn::Module>> modules;
  modules.insert("linear", torch::nn::Linear(3, 4).ptr());
  modules.insert("relu", torch::nn::ReLU().ptr());
  torch::nn::ModuleDict dict(modules);
  std::cout << dict->size() << dict->contains("relu") << dict->contains("none") << "\n";
  for (const auto& key : dict->keys()) std::cout << key << " ";
  std::cout << "\n" << dict["linear"]->name() << "\n";
  auto popped = dict->pop("relu");
  std::cout << popped->name() << dict->size() << "\n";
  dict->clear();
  std::cout << dict->empty() << "\n";
  torch::nn::ParameterList list(torch::ones({2}), torch::zeros({3, 1}));
  list->append(torch::ones({1}));
  std::cout << list->size() << (*list)[1].sizes() << list->parameters().size() << "\n";
  for (const auto& p : *list) std::cout << p->numel() << p->requires_grad() << " ";
  std::cout << "\n";
  torch::nn::ParameterDict params;
  params->insert("a", torch::ones({2, 2}));
  params->insert("b", torch::zeros({1}));
  std::cout << params->size() << params->contains("a") << params["a"].sizes() << "\n";
  for (const auto& key : params->keys()) std::cout << key << " ";
  std::cout << "\n"
            << params->values().size() << params->pop("b").sizes() << params->size() << "\n";
}
