// Runs programs, one JSON object per line of standard input, and answers each with one line: {} or
// the first difference from PyTorch. --list prints the forms of calls instead. --layers reads cases
// of layers, and answers with their results and gradients (layers/layer_case.h).

#include <cstring>
#include <iostream>

#include "differential/layers/layer_case.h"
#include "differential/program.h"

using namespace tern::testing::differential;

int main(int argc, char** argv) {
  RunOptions options;
  bool layers = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--list") {
      Json list = Json::array();
      for (const auto& [python, form] : all_forms()) {
        list.push_back({{"python", python},
                        {"cpp", form.cpp},
                        {"op", op_name(form)},
                        {"kinds", form.kinds},
                        {"in_place", form.in_place}});
      }
      std::cout << list.dump(1) << std::endl;
      return 0;
    } else if (argument == "--layers") {
      layers = true;
    } else if (argument == "--names") {
      options.names = true;
    } else if (argument == "--device" && i + 1 < argc) {
      tern::set_default_device(tern::Device(argv[++i]));
    } else {
      std::cerr << "usage: differential [--list] [--layers] [--names] [--device cuda:0] <programs"
                << std::endl;
      return 2;
    }
  }
  for (std::string line; std::getline(std::cin, line);) {
    Json answer = Json::object();
    if (layers) {
      answer = run_layer(Json::parse(line));
    } else if (const auto found = run_program(Json::parse(line), options)) {
      answer = {{"step", found->step}, {"what", found->what}, {"text", found->text}};
    }
    std::cout << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
}
