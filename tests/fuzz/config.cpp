#include <string_view>

#include <tern/nn/models.h>
#include <tern/serialization/json_document.h>

#include "input.h"

// Any bytes as config.json: an error, or the options of a model.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tern::fuzz::Folder folder;
  tern::State config;
  try {
    config = tern::load_json(folder.file("config.json", data, size));
  } catch (const tern::FileError&) {
    return 0;
  }
  const auto read = [&]<class Options>(Options options) {
    try {
      options = Options::from_config(config);
    } catch (const tern::Error& error) {
      if (std::string_view(error.what()).empty()) throw std::logic_error("an error without a text");
    }
  };
  read(tern::models::GPT2Options());
  read(tern::models::LlamaOptions());
  read(tern::models::BertOptions());
  return 0;
}
