#include "serialization/reject.h"
#include "serialization/zip/builder.h"

// What a file of torch.save may not be: pickles that want something run, views that reach outside,
// and bombs.

namespace tern {
namespace {

const std::string kFloats("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16);  // 1, 2, 3, 4

std::string text(const std::string& value) {
  return std::string("\x8c") + static_cast<char>(value.size()) + value;
}

std::string integer(std::int64_t value) {
  std::string bytes = "\x8a\x08";
  put(bytes, value);
  return bytes;
}

/// A 1-d tensor, by its parts.
struct TensorPart {
  std::string type = "ctorch\nFloatStorage\n";
  std::string key = text("0"), location = text("cpu"), count = integer(4), offset = integer(0);
  std::string sizes = integer(4) + "\x85", strides = integer(1) + "\x85";
  std::string more = "\x89)";  // requires_grad, hooks

  std::string pickle() const {
    return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + type + key + location +
           count + "tQ" + offset + sizes + strides + more + "tR";
  }
};

std::string dict(const std::string& value) { return "}(" + text("fc.weight") + value + "u"; }

std::string archive(const std::string& pickle, const std::string& storage = kFloats) {
  return make_zip({{"x/data.pkl", "\x80\2" + pickle}, {"x/data/0", storage}});
}

class TorchReject : public RejectTest {
 protected:
  void rejects_file(const std::string& bytes, const std::string& part) {
    write_file(path_, bytes);
    expect_refused(path_, part);
  }
  void rejects(const std::string& pickle, const std::string& part) {
    rejects_file(archive(pickle), part);
  }
  void rejects(const TensorPart& tensor, const std::string& part) {
    rejects(dict(tensor.pickle()) + ".", part);
  }

  const std::string path_ = scratch_.path("x.pt");
};

TEST_F(TorchReject, DtypesAreTexts) {
  write_file(path_, archive("](ctorch\nfloat32\nctorch\nbool\ne."));
  EXPECT_TRUE(identical(load_state(path_), State::list({"torch.float32", "torch.bool"})));
  write_file(path_, archive("](ctorch\nuint16\nctorch\nfloat4_e2m1fn_x2\ne."));
  EXPECT_TRUE(
      identical(load_state(path_), State::list({"torch.uint16", "torch.float4_e2m1fn_x2"})));
  rejects(dict("ctorch\nlog10\n") + ".", "an object of class 'torch.log10'");
}

TEST_F(TorchReject, TheBuilderMakesGoodOnes) {
  write_file(path_, archive(dict(TensorPart().pickle()) + "."));
  EXPECT_TRUE(load_state(path_)["fc.weight"].tensor().equal(tensor({1.f, 2.f, 3.f, 4.f})));
}

TEST_F(TorchReject, WhatWasOnADeviceIsFine) {
  TensorPart part;
  part.location = text("cuda:3");
  part.type = "ctorch.cuda\nFloatStorage\n";
  write_file(path_, archive(dict(part.pickle()) + "."));
  EXPECT_TRUE(load_state(path_)["fc.weight"].tensor().equal(tensor({1.f, 2.f, 3.f, 4.f})));
}

TEST_F(TorchReject, WhatPython2WroteIsFine) {
  TensorPart part;
  part.more = "";
  std::string pickle = part.pickle();
  pickle.replace(pickle.find("_v2"), 3, "");
  const std::string pair =
      "](U\x09"
      "fc.weight" +
      pickle + "e";
  write_file(path_, archive("ccollections\nOrderedDict\n](" + pair + "e\x85R."));
  EXPECT_TRUE(load_state(path_)["fc.weight"].tensor().equal(tensor({1.f, 2.f, 3.f, 4.f})));
  rejects("ccollections\nOrderedDict\n](Ne\x85R.",
          "an OrderedDict needs pairs of a key and a value");
  rejects("ccollections\nOrderedDict\n](]e\x85R.",
          "an OrderedDict needs pairs of a key and a value");
}

TEST_F(TorchReject, ClassesAndCalls) {
  rejects("cos\nsystem\n(" + text("true") + "tR.",
          "a State cannot hold an object of class 'os.system'; save a state_dict()");
  rejects(text("os") + text("system") + "\x93.", "an object of class 'os.system'");
  rejects("cbuiltins\neval\n.", "an object of class 'builtins.eval'");
  rejects("c__builtin__\neval\n(" + text("1") + "tR.", "an object of class 'builtins.eval'");
  rejects("ctorch\nComplexFloatStorage\n.", "an object of class 'torch.ComplexFloatStorage'");
  rejects("ctorch\n\n.", "an object of class 'torch.'");
  rejects("c" + std::string(200, 'a') + "\nb\n.", "'" + std::string(100, 'a') + "'");
  rejects(text("a") + "X" + std::string("\1\1\0\0", 4) + std::string(257, 'b') + "\x93.",
          "a name of more than 256 bytes");
  rejects("c__torch__.Net\nNet\n.", "TorchScript");
  rejects("c" + std::string(300, 'a') + "\n\n.", "a name of more than 256 bytes");
  rejects("c", "expected 1 bytes, but only 0 remain");
  rejects(integer(1) + integer(2) + "\x93.", "the name of a class must be a string");
  rejects("]" + std::string(")R."), "expected a function to call, found a list");
  rejects("ctorch\nSize\n]R.", "expected a tuple of arguments, found a list");
  rejects("ctorch\nSize\n)R.", "the call of 'torch.Size' with 0 arguments is not supported");
  rejects("ccollections\nOrderedDict\n)\x85R.", "the call of 'collections.OrderedDict' with 1");
  rejects("ccollections\nCounter\n)\x85R.", "the call of 'collections.Counter' with 1");
  rejects("ctorch\nFloatStorage\n)R.", "the call of 'torch.FloatStorage' with 0");
  rejects("ctorch._utils\n_rebuild_parameter\n]N]\x87R.", "_rebuild_parameter' with 3 arguments");
  rejects("ctorch._utils\n_rebuild_parameter\n)R.", "_rebuild_parameter' with 0 arguments");
  rejects("ctorch\nSize\n.", "an object of class 'torch.Size'");
  rejects("cbuiltins\nset\nN\x85R.", "the call of 'builtins.set' with 1 arguments");
  rejects("cbuiltins\nbytes\nN\x85R.", "the call of 'builtins.bytes' with 1 arguments");
  rejects("c_codecs\nencode\n" + text("\xe2\x82\xac") + "\x85R.", "is not in Latin-1");
  rejects("c_codecs\nencode\n" + text("\xff") + "\x85R.", "is not in Latin-1");
  rejects("ctorch\ndevice\nN\x85R.", "the call of 'torch.device' with 1 arguments");
  rejects_file(make_zip({{"x/constants.pkl", ")."}, {"x/data.pkl", "N."}}), "is a TorchScript");
}

/// An object of libtorch's C++ frontend without its attributes, which BUILD adds.
const std::string kObject = "c__torch__\nModule\n)\x81";

TEST_F(TorchReject, ArchivesOfLibtorch) {
  const auto script = [](const std::string& pickle) {
    return make_zip({{"x/data.pkl", "\x80\2" + pickle},
                     {"x/constants.pkl", "\x80\2)."},
                     {"x/data/0", kFloats}});
  };
  write_file(path_, script(kObject + "}(" + text("a") + kObject + dict("K\5") + "bub."));
  EXPECT_EQ(load_state(path_).get<int>("a.fc.weight"), 5);

  rejects_file(script("c__torch__.___torch_mangle_x\nModule\n."), "belongs to TorchScript");
  rejects_file(script("c__torch__.___torch_mangle_\nModule\n."), "belongs to TorchScript");
  rejects_file(script("c__torch__.evil\nModule\n."), "belongs to TorchScript");
  rejects_file(script("c__torch__\nModule\nK\1\x85\x81."), "with 1 arguments is not supported");
  rejects_file(script(kObject + "Nb."), "the attributes of a dict must be a dict");
  rejects_file(script(kObject + "q\1h\1b."), "the attributes of a dict must be a dict");
  rejects_file(script(kObject + "q\1}(" + text("a") + "h\1ub."), "nested deeper than 16");
  rejects_file(script(kObject + "}(" + text("a.b") + "K\1" + text("a") + kObject + "}(" +
                      text("b") + "K\2ubub."),
               "'a.b'");
  rejects("ctorch.jit._pickle\nbuild_intlist\nK\1\x85R.", "is not supported");
  rejects("ctorch.jit._pickle\nrestore_type_tag\n]\x85R.", "is not supported");
  // One dictionary as the attributes of many objects has its items once.
  std::string many = "}(" + text("x") + "}(" + text("a") + "K\1uq\1" + text("y") + "](";
  for (int i = 0; i < 1000; ++i) many += kObject + "h\1b";
  write_file(path_, script(many + "eu."));
  EXPECT_EQ(load_state(path_)["y"].size(), 1000u);

  TensorPart size;
  size.type = "ctorch\nLongStorage\n";
  size.count = integer(2);
  size.sizes = size.strides = ")";
  const std::string optimizer = kObject + "}(" + text("state") + kObject + "}b" +
                                text("param_groups") + kObject + "}(" + text("param_groups/size") +
                                size.pickle() + "ubub.";
  rejects_file(script(optimizer), "Key 'param_groups/0' is not defined");
}

TEST_F(TorchReject, Opcodes) {
  rejects("(ios\nsystem\n.", "opcode 105 ('i') is not needed for data; tern does not run it");
  rejects("(o.", "opcode 111 ('o')");
  rejects("\x82\1.", "opcode 130 is not needed");
  rejects("\x97.", "opcode 151 is not needed");
  rejects("\xff.", "opcode 255 is not needed");
  rejects("\x80\x06N.", "pickle protocol 6 is newer than 5");
  rejects("Pabc\n.", "opcode 80 ('P')");
}

TEST_F(TorchReject, TheStack) {
  for (const char* pickle :
       {".",      "a.",      "]a.",    "s.",        "Ns.",     "}Ns.",
        "(.",     "t.",      "\x85.",  "u.",        "e.",      "R.",
        "NR.",    "Q.",      "b.",     "Nb.",       "(]N)a.",  "N(e.",
        "]}(}e.", "N(\x85.", "0.",     "1.",        "N1.",     "N(0",
        "N(1",    "\x81.",   "N\x81.", "\x92.",     "})\x92.", "cos\na\n))\x92.",
        "\x90.",  "\x91.",   "\x8f(N", "N\x8f\x90."}) {
    write_file(path_, archive(pickle));
    EXPECT_THROW(load_state(path_), FileError) << pickle;
  }
  rejects("NN.", "ends with more than one value");
  rejects("](N.", "ends with more than one value");
  rejects("N.N.", "2 bytes too many");
  rejects("h\1.", "the memo has no value 1");
  rejects("N]a.", "cannot add items to None");
  rejects("}(Nu.", "a dict has a key without a value");
  rejects("]}b.", "cannot add items to a list");
  rejects("}]b.", "the attributes of a dict must be a dict");
  rejects("", "expected 1 bytes");
}

TEST_F(TorchReject, Values) {
  rejects("}(NNu.", "a State cannot hold a dictionary with a key that is None");
  rejects("})Ns.", "a State cannot hold a dictionary with a key that is a tuple");
  rejects("}(" + text("a") + "N" + text("a") + "Nu.", "'a': a State cannot hold a second value");
  rejects("}(" + text("1") + "NK\1Nu.", "'1': a State cannot hold a second value");
  rejects("\x8a\x09" + std::string(9, '\1') + ".", "an integer beyond the range of int64");
  rejects(std::string("\x8b\x09\0\0\0", 5) + std::string(9, '\1') + ".",
          "beyond the range of int64");
  rejects("\x8b\xff\xff\xff\xff.", "expected 4294967295 bytes");
  rejects("B\xff\xff\xff\xff.", "expected 4294967295 bytes");
  rejects("\x8e" + std::string(8, '\xff') + ".", "expected 18446744073709551615 bytes");
  rejects("X\xff\xff\xff\xff.", "expected 4294967295 bytes");
  rejects("\x8d" + std::string(8, '\xff') + ".", "expected 18446744073709551615 bytes");
}

TEST_F(TorchReject, References) {
  rejects("NQ.", "expected a reference to a storage");
  rejects(text("0") + "Q.", "expected a reference to a storage");
  rejects("(NNNNNtQ.", "must be ('storage', class, key, location, count)");
  rejects("(" + text("module") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\4tQ.",
          "must be ('storage'");
  rejects("(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\4tQ.",
          "a State cannot hold a storage");
  rejects("(" + text("storage") + "ctorch\nFloatStorage\n" + text(std::string(101, '0')) +
              text("cpu") + "K\4tQ.",
          "must be ('storage'");
}

TEST_F(TorchReject, StoragesAndViews) {
  TensorPart part;
  const auto with = [&](std::string TensorPart::*field, const std::string& value) {
    part = TensorPart();
    part.*field = value;
    return part;
  };
  const std::string big = integer(std::numeric_limits<std::int64_t>::max());
  rejects(with(&TensorPart::key, text("1")), "the archive has no entry 'x/data/1'");
  rejects(with(&TensorPart::key, text("../data.pkl")),
          "the archive has no entry 'x/data/../data.pkl'");
  rejects(with(&TensorPart::count, integer(5)),
          "'fc.weight': storage '0' of 5 Float elements takes 20 bytes, but the file has 16");
  rejects(with(&TensorPart::count, integer(3)), "takes 12 bytes, but the file has 16");
  rejects(with(&TensorPart::count, integer(-1)), "must be ('storage'");
  rejects(with(&TensorPart::count, big),
          "'fc.weight': storage '0' of 9223372036854775807 elements is too large");
  rejects(with(&TensorPart::type, "ctorch\nDoubleStorage\n"), "of 4 Double elements takes 32");
  rejects(
      with(&TensorPart::offset, integer(1)),
      "'fc.weight': a tensor of sizes [4], strides [1], offset 1 does not fit into its storage '0' "
      "of 4 elements");
  rejects(with(&TensorPart::offset, integer(-1)), "none negative");
  rejects(with(&TensorPart::offset, big), "does not fit into its storage");
  rejects(with(&TensorPart::sizes, integer(5) + "\x85"), "does not fit into its storage");
  rejects(with(&TensorPart::sizes, integer(-4) + "\x85"), "none negative");
  rejects(with(&TensorPart::sizes, "K\4K\1\x86"), "equally many sizes and strides");
  rejects(with(&TensorPart::sizes, "G" + std::string(8, '\0') + "\x85"), "equally many sizes");
  rejects(with(&TensorPart::strides, integer(2) + "\x85"), "does not fit into its storage");
  rejects(with(&TensorPart::strides, integer(-1) + "\x85"), "none negative");
  rejects(with(&TensorPart::strides, big + "\x85"), "does not fit into its storage");
  part.sizes = big + big + std::string("K\0\x87", 3);
  part.strides = std::string("K\0K\0K\0\x87", 7);
  rejects(part, "does not fit into its storage");
  part.sizes = part.strides = "(" + std::string(65, 'N') + "t";
  rejects(part, "at most 64");
  rejects(with(&TensorPart::more, "\x89)}(" + text("neg") + "\x88u"),
          "'fc.weight': a State cannot hold a tensor with a conj or neg bit");
  part = TensorPart();
  const std::string first = dict(part.pickle());
  part.type = "ctorch\nLongStorage\n";
  part.count = integer(2);
  rejects(first + text("b") + part.pickle() + "s.", "has 2 Long elements here, but 4 Float");
}

TEST_F(TorchReject, Bombs) {
  // A list in itself; lists in lists in lists; one list many times, many times over.
  rejects("]q\1h\1a.", "nested deeper than 16");
  rejects(")" + std::string(100000, '\x85') + ".", "nested deeper than 16");
  const auto number = [](int i) { return std::string(1, static_cast<char>(i)); };
  std::string lists = "](" + std::string(100, 'N') + "eq" + number(0);
  for (int level = 1; level < 12; ++level) {
    lists += "](";
    for (int k = 0; k < 10; ++k) lists += "h" + number(level - 1);
    lists += "eq" + number(level);
  }
  rejects("](" + lists + "e.", "repeats the same objects too many times");
  std::string text_bomb = "](X" + std::string("\x10\x27\0\0", 4) + std::string(10000, 'x') + "q\1";
  for (int i = 0; i < 10000; ++i) text_bomb += "h\1";
  rejects(text_bomb + "e.", "repeats the same objects too many times");
  std::string bytes_bomb = "](c_codecs\nencode\nq\2";
  bytes_bomb += "0X" + std::string("\0\0\1\0", 4) + std::string(65536, 'x') + "q\1";
  for (int i = 0; i < 10000; ++i) bytes_bomb += "h\2h\1\x85R";
  rejects(bytes_bomb + "e.", "repeats the same objects too many times");
  std::vector<std::pair<std::string, std::string>> skipped;
  std::string foreign_bomb = "](cos\nsystem\nq\1";
  for (int i = 0; i < 10000; ++i) foreign_bomb += "h\1";
  write_file(path_, archive(foreign_bomb + "e."));
  EXPECT_NE(error_of<FileError>([&] {
              load_state(path_, {.skipped = &skipped});
            }).find("repeats the same objects too many times"),
            std::string::npos);
  rejects(std::string(2000000, '('), "expected 1 bytes");
  rejects("N" + std::string(1000000, '\x94') + ".", "values in the memo");
  rejects("(" + std::string(1000000, ']') + "t.", "more than 512");
  rejects("(" + std::string(5000000, 'N') + "t.", "values on the stack");
}

TEST_F(TorchReject, WhatTheArchiveHas) {
  const std::string good = "\x80\2" + dict(TensorPart().pickle()) + ".";
  rejects_file(make_zip({{"x/data/0", kFloats}}), "the archive has no entry 'x/data.pkl'");
  rejects_file(make_zip({{"x/data.pkl", good}}), "the archive has no entry 'x/data/0'");
  rejects_file(make_zip({{"x/data.pkl", good}, {"x/data/0", kFloats}, {"x/byteorder", "big"}}),
               "the elements must be little-endian");
  ZipPart packed("x/data.pkl", good);
  packed.method = 8;
  rejects_file(make_zip({packed, {"x/data/0", kFloats}}), "is compressed, but torch.save never");
  rejects_file("", "is empty");
  rejects_file("\x80\2N.", "is a pickle, not pt of PyTorch");
  rejects_file("PX", "is neither a ZIP archive nor a file of torch.save");
  rejects_file("{\"a\": [1]}", "is in the format JSON, not pt of PyTorch");
  rejects_file(make_zip({{"w.npy", "x"}}), "is in the format npz of NumPy, not pt of PyTorch");
}

}  // namespace
}  // namespace tern
