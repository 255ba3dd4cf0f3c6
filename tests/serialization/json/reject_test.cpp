#include <sys/stat.h>

#include "serialization/json/reject.h"

// Files that are no state files, and states that do not fit.

namespace tern {
namespace {

TEST_F(JsonReject, TheFileItselfIsGood) {
  const std::string before = on_cpu_.facts();
  net_->scale.detach().fill_(5);
  EXPECT_NE(on_cpu_.facts(), before);
  load(net_, path_);
  EXPECT_EQ(on_cpu_.facts(), before);
}

TEST_F(JsonReject, WhatIsNoJson) {
  rejects("", "is empty");
  for (const char* text : {"{",
                           "}",
                           "{]",
                           "{,}",
                           "{\"a\"}",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":}",
                           "{\"a\" [1]}",
                           "{\"a\"::[1]}",
                           "{\"a\":[1]",
                           "{\"a\":[1],",
                           "{\"a\":[1],}",
                           "{\"a\":[1];}",
                           "{\"a\":[1]]}",
                           "{\"a\":[1]} x",
                           "{\"a\":[1]}{}",
                           "{\"a\":[1]},",
                           "{'a':[1]}",
                           "{a:[1]}",
                           "{1:[1]}",
                           "{\"a\":[1]/*c*/}",
                           "{\"a\":[1]}//c",
                           "# c\n{}",
                           "{\"a\"=[1]}",
                           "{\"a\":[1] \"b\":[2]}",
                           "{\"a\":\"b\"",
                           "{\"metadata\":{\"a\":\"b}}",
                           "{\"metadata\":{\"a\":tru}}",
                           "{\"metadata\":{\"a\":01}}",
                           "[",
                           "[[",
                           "nul",
                           "-",
                           "\"",
                           "{\"a\\x\":[1]}",
                           "{\"a\\u00g0\":[1]}",
                           "{\"a\\\":[1]}",
                           "{\"tab\there\":[1]}",
                           "{\"line\nhere\":[1]}",
                           "{\"a\":1 2}",
                           "{\"a\":true false}",
                           "{\"a\":1x}"}) {
    rejects(text, "line ");
  }
  for (const char* text : {"[]", "null", "3", "true", "\"x\"", "1.5", "-1"}) {
    rejects(text, "expected an object, found ");
  }
  rejects("{\"a\":[1]\n  \"b\":[1]}", "line 2, column ");
}

TEST_F(JsonReject, WhatIsNotUtf8) {
  for (const char* key :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80"}) {
    rejects("{\"" + std::string(key) + "\":[1]}", "invalid string: ill-formed UTF-8");
  }
  rejects("{\"\\ud800\":[1]}", "surrogate");
  rejects("{\"\\udc00\":[1]}", "surrogate");
  rejects("{\"\\ud800\\u0041\":[1]}", "surrogate");
  rejects("\xef\xbb\xbf" + good_, "begins with a byte order mark");
  rejects(std::string("\xff\xfe{\0", 4), "is UTF-16");
  rejects(std::string("\xfe\xff\0{", 4), "is UTF-16");
  rejects(std::string("{\0\"\0w\0", 6), "is UTF-16");
  rejects(std::string("\0{\0\"\0w", 6), "is UTF-16");
  rejects(std::string(" \0{\0\"\0", 6), "is UTF-16");
  rejects(std::string("{\0\"a", 4), "unexpected NUL byte");
  rejects(good_ + std::string(1, '\0'), "unexpected NUL byte");
  rejects(good_ + std::string("\0{}", 3), "unexpected NUL byte");
  rejects(std::string("{\"a\0b\":[1]}", 11), "unexpected NUL byte");
}

TEST_F(JsonReject, OtherKindsOfFiles) {
  rejects("\x1f\x8b\x08", "is compressed with gzip");
  rejects("PK\x03\x04", "is in the format pt of PyTorch");
  rejects(std::string("\x08\0\0\0\0\0\0\0{}      ", 16), "is in the format safetensors");
  rejects("\x89PNG", "line 1, column 1");
}

TEST_F(JsonReject, OtherFormatsAndVersions) {
  rejects(replaced(good_, "tern.state_dict", "other"),
          "expected the format 'tern.state_dict', found 'other'");
  rejects(replaced(good_, "\"tern.state_dict\"", "3"), "missing \"format\"");
  rejects(replaced(good_, "\"format\": \"tern.state_dict\",", ""),
          "missing \"format\": \"tern.state_dict\"");
  rejects(replaced(good_, "\"version\": 1,", ""), "missing key 'version'");
  rejects(replaced(good_, "\"version\": 1", "\"version\": 2"),
          "missing key 'state', which version 2 needs");
  rejects(replaced(good_, "\"version\": 1", "\"version\": 3"),
          "version 3 is newer than version 2, the newest that this library can read");
  for (const char* version : {"0", "-1", "1.0", "1e0", "[1]", "true", "99999999999999999999"}) {
    rejects(replaced(good_, "\"version\": 1", "\"version\": " + std::string(version)),
            "version: expected an integer of at least 1");
  }
  rejects(replaced(good_, "\"version\": 1", "\"version\": \"1\""), "'version'");
  rejects(replaced(good_, "\"version\": 1", "\"version\": 1, \"version\": 1"),
          "'version' appears twice");
  rejects(replaced(good_, "\"version\": 1", "\"version\": 1, \"extra\": 1"),
          "unexpected key 'extra'");
  rejects(R"({"format": "tern.state_dict", "version": 1})", "missing key 'tensors'");
}

TEST_F(JsonReject, NestingAndSizesThatWouldHurt) {
  const std::string open(100000, '['), close(100000, ']');
  rejects(plain(open + close), "nested deeper than 64");
  rejects(plain(open), "nested deeper than 64");
  rejects(data("F32", "[1]", open + close), "data");
  rejects(open + close, "expected an object");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  rejects(objects, "found an object");
  const auto key_size = static_cast<std::size_t>(count_for(10 << 20, 100 << 20));
  rejects("{\"" + std::string(key_size, 'k') + "\": [1]}",
          "the key has " + std::to_string(key_size) + " bytes");
}

TEST_F(JsonReject, StatesThatDoNotFitTheModel) {
  rejects<Error>(
      replaced(good_, "\"fc.bias\"", "\"fc.bios\""),
      "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: \"fc.bias\". \n\t"
      "Unexpected key(s) in state_dict: \"fc.bios\". ");
  rejects<Error>(R"({"fc.weight": [[1, 2], [3, 4], [5, 6]]})",
                 "size mismatch for fc.weight: copying a param with shape torch.Size([3, 2]) from "
                 "checkpoint, the shape in current model is torch.Size([2, 3]).",
                 {true, false});
  rejects<Error>("{}", "Missing key(s) in state_dict: \"scale\", \"mask\", \"fc.weight\"");
  rejects<Error>(replaced(good_, "\"tensors\": {",
                          "\"tensors\": {\"fc\": {\"dtype\": \"F32\", \"shape\": [1], "
                          "\"data\": [1]},"),
                 "Unexpected key(s) in state_dict: \"fc\". ");
  rejects<Error>(replaced(good_, "\"tensors\": {",
                          "\"tensors\": {\"scratch\": {\"dtype\": \"F32\", \"shape\": "
                          "[2], \"data\": [1, 2]},"),
                 "Unexpected key(s) in state_dict: \"scratch\". ");
  rejects<Error>(replaced(good_, "\"tensors\": {",
                          "\"tensors\": {\"a.b.c\": {\"dtype\": \"F32\", \"shape\": [], "
                          "\"data\": 1},"),
                 "Unexpected key(s) in state_dict: \"a.b.c\". ");
  const std::string wide =
      replaced(good_, "\"fc.bias\": {\"dtype\": \"F32\"", "\"fc.bias\": {\"dtype\": \"F64\"");
  rejects<Error>(wide,
                 "dtype mismatch for fc.bias: copying a param with dtype torch.float64 from "
                 "checkpoint, the dtype in current model is torch.float32",
                 {true, false});
  const std::string before = on_cpu_.facts();
  load(net_, path_, nn::LoadOptions{.cast = true});
  EXPECT_EQ(on_cpu_.facts(), before);
  // Equal after Unicode normalisation, or up to a NUL, is not equal.
  rejects<Error>(replaced(good_, "\"fc.bias\"", "\"fc.bias\\u0000\""),
                 "Missing key(s) in state_dict: \"fc.bias\"");
}

/// Parts of a checkpoint that fit nothing here: an optimizer's of another model, generators' of
/// another length or of a device that nobody knows.
TEST_F(JsonReject, PartsOfACheckpointThatDoNotFit) {
  State good;
  good.insert("model", net_->state_dict());
  good.insert("optimizer", on_cpu_.adam->state_dict());
  good.insert("generators", generator_states());
  const auto refused = [&](const char* key, const State& value, const std::string& part) {
    State checkpoint = good;
    checkpoint.set(key, value);
    save(checkpoint, path_);
    const State loaded = load_state(path_);
    for (TrainedNet* model : {&on_cpu_, &on_cuda_}) {
      const std::string before = model->facts();
      const std::string text = error_of<Error>([&] {
        if (key == std::string("generators")) {
          set_generator_states(loaded[key]);
        } else {
          model->adam->load_state_dict(loaded[key]);
        }
      });
      EXPECT_NE(text.find(part), std::string::npos) << text;
      EXPECT_EQ(model->facts(), before) << part;
    }
  };
  const nn::Linear other(2, 2);
  refused("optimizer", optim::Adam(other->parameters(), 0.1).state_dict(),
          "doesn't match the size of optimizer's group");
  for (const char* device : {"gpu", "cuda:", "cuda:1x", "cuda:-1", "tpu:0", ""}) {
    State generators = generator_states();
    generators.insert(device, generators["cpu"]);
    manual_seed(7);  // what is loaded differs from what is there
    refused("generators", generators, "evice");
  }
  State generators = generator_states();
  generators.set("cpu", generators["cuda:1"]);
  manual_seed(8);
  refused("generators", generators, "");
}

TEST_F(JsonReject, FilesThatCannotBeRead) {
  EXPECT_EQ(error_of<FileError>([&] { load(net_, scratch_.path("none.json")); }),
            "load: cannot open '" + scratch_.path("none.json") + "': No such file or directory");
  std::filesystem::create_directory(scratch_.path("folder.json"));
  EXPECT_EQ(error_of<FileError>([&] { load(net_, scratch_.path("folder.json")); }),
            "load: '" + scratch_.path("folder.json") +
                "' is a folder without model.safetensors.index.json or model.safetensors");
  ASSERT_EQ(::mkfifo(scratch_.path("pipe.json").c_str(), 0600), 0);
  EXPECT_EQ(error_of<FileError>([&] { load(net_, scratch_.path("pipe.json")); }),
            "load: '" + scratch_.path("pipe.json") + "' is not a regular file");
  std::filesystem::create_symlink("loop.json", scratch_.path("loop.json"));
  EXPECT_THROW(load(net_, scratch_.path("loop.json")), FileError);
  std::filesystem::create_symlink("/dev/zero", scratch_.path("zero.json"));
  EXPECT_THROW(load(net_, scratch_.path("zero.json")), FileError);
  for (const char* name : {"state", "state.jsn", "state.JSON", "state.json.gz", ""}) {
    EXPECT_THROW(load(net_, scratch_.path(name)), FileError) << name;
    EXPECT_THROW(save(net_, scratch_.path(name)), FileError) << name;
  }
  Tensor tensor;
  EXPECT_EQ(error_of<FileError>([&] { load(tensor, path_); }),
            "load: '" + path_ + "' holds a dictionary, not a tensor");
  EXPECT_FALSE(tensor.defined());
}

}  // namespace
}  // namespace tern
