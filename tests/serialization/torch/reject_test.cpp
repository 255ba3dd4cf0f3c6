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
  rejects(dict("ctorch\nuint16\n") + ".", "class 'torch.uint16'");
  rejects(dict("ctorch._utils\n_rebuild_tensor_v3\n") + ".",
          "'fc.weight': a tensor of a dtype that tern does not have");
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
  rejects("ccollections\nOrderedDict\n](Ne\x85R.", "an OrderedDict of something but pairs");
  rejects("ccollections\nOrderedDict\n](]e\x85R.", "an OrderedDict of something but pairs");
}

TEST_F(TorchReject, ClassesAndCalls) {
  rejects("cos\nsystem\n(" + text("true") + "tR.",
          "class 'os.system' is not one that a state file");
  rejects(text("os") + text("system") + "\x93.", "class 'os.system' is not one");
  rejects("cbuiltins\neval\n.", "class 'builtins.eval' is not one");
  rejects("ctorch\nComplexFloatStorage\n.", "'torch.ComplexFloatStorage' has elements of a dtype");
  rejects("ctorch\n\n.", "class 'torch.' is not one");
  rejects("c__torch__.Net\nNet\n.", "TorchScript");
  rejects("c" + std::string(300, 'a') + "\n\n.", "a name of more than 256 bytes");
  rejects("c", "expected 1 bytes, 0 are left");
  rejects(integer(1) + integer(2) + "\x93.", "the name of a class is no string");
  rejects("]" + std::string(")R."), "a call of a list");
  rejects("ctorch\nSize\n]R.", "a call with a list instead of a tuple");
  rejects("ctorch\nSize\n)R.", "a call of 'torch.Size' with 0 arguments");
  rejects("ccollections\nOrderedDict\n)\x85R.", "a call of 'collections.OrderedDict' with 1");
  rejects("ccollections\nCounter\n)\x85R.", "a call of 'collections.Counter' with 1");
  rejects("ctorch\nFloatStorage\n)R.", "a call of 'torch.FloatStorage'");
  rejects("ctorch._utils\n_rebuild_parameter\n]N]\x87R.", "a call of 'torch._utils._rebuild_par");
  rejects("ctorch\nSize\n.", "a class stands where a value should");
  rejects_file(make_zip({{"x/constants.pkl", ")."}, {"x/data.pkl", "N."}}), "is a TorchScript");
}

TEST_F(TorchReject, Opcodes) {
  rejects("(ios\nsystem\n.", "opcode 105 ('i') is not one that data need; it is not run");
  rejects("(o.", "opcode 111 ('o')");
  rejects("\x81.", "opcode 129 is not one");
  rejects("\x82\1.", "opcode 130 is not one");
  rejects("\x8f.", "opcode 143 is not one");
  rejects("\xff.", "opcode 255 is not one");
  rejects("\x80\x06N.", "pickle protocol 6 is newer than 5");
  rejects("Pabc\n.", "opcode 80 ('P')");
}

TEST_F(TorchReject, TheStack) {
  for (const char* pickle :
       {".",  "a.", "]a.", "s.", "Ns.", "}Ns.", "(.",     "t.",   "\x85.",  "u.",
        "e.", "R.", "NR.", "Q.", "b.",  "Nb.",  "(]N)a.", "N(e.", "]}(}e.", "N(\x85."}) {
    write_file(path_, archive(pickle));
    EXPECT_THROW(load_state(path_), FileError) << pickle;
  }
  rejects("NN.", "ends with more than one value");
  rejects("](N.", "ends with more than one value");
  rejects("N.N.", "2 bytes too many");
  rejects("h\1.", "nothing was remembered as 1");
  rejects("N]a.", "items for None");
  rejects("}(Nu.", "a key without a value");
  rejects("]}b.", "items for a list");
  rejects("}]b.", "attributes that are no dict");
  rejects("", "expected 1 bytes");
}

TEST_F(TorchReject, Values) {
  rejects("}(NNu.", "None as a key");
  rejects("})Ns.", "a tuple as a key");
  rejects("}(" + text("a") + "N" + text("a") + "Nu.", "a");
  rejects("}(" + text("1") + "NK\1Nu.", "1");
  rejects("\x8a\x09" + std::string(9, '\1') + ".", "an integer of more than 64 bits");
  rejects("X\xff\xff\xff\xff.", "expected 4294967295 bytes");
  rejects("\x8d" + std::string(8, '\xff') + ".", "expected 18446744073709551615 bytes");
}

TEST_F(TorchReject, References) {
  rejects("NQ.", "a reference to something other than a storage");
  rejects(text("0") + "Q.", "a reference to something other than a storage");
  rejects("(NNNNNtQ.", "is not ('storage', class, key, location, count)");
  rejects("(" + text("module") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\4tQ.",
          "is not ('storage'");
  rejects("(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\4tQ.",
          "a storage stands where a value should: '0'");
}

TEST_F(TorchReject, StoragesAndViews) {
  TensorPart part;
  const auto with = [&](std::string TensorPart::*field, const std::string& value) {
    part = TensorPart();
    part.*field = value;
    return part;
  };
  const std::string big = integer(std::numeric_limits<std::int64_t>::max());
  rejects(with(&TensorPart::key, text("1")), "no entry 'x/data/1'");
  rejects(with(&TensorPart::key, text("../data.pkl")), "no entry 'x/data/../data.pkl'");
  rejects(with(&TensorPart::count, integer(5)),
          "'fc.weight': storage '0' of 5 Float elements takes 20 bytes, but the file has 16");
  rejects(with(&TensorPart::count, integer(3)), "takes 12 bytes, but the file has 16");
  rejects(with(&TensorPart::count, integer(-1)), "is not ('storage'");
  rejects(with(&TensorPart::count, big),
          "'fc.weight': storage '0' of 9223372036854775807 elements is larger than any memory");
  rejects(with(&TensorPart::type, "ctorch\nDoubleStorage\n"), "of 4 Double elements takes 32");
  rejects(with(&TensorPart::offset, integer(1)),
          "'fc.weight': a tensor of sizes [4] and strides [1] at 1 does not lie in its storage '0' "
          "of 4 elements");
  rejects(with(&TensorPart::offset, integer(-1)), "none negative");
  rejects(with(&TensorPart::offset, big), "does not lie in its storage");
  rejects(with(&TensorPart::sizes, integer(5) + "\x85"), "does not lie in its storage");
  rejects(with(&TensorPart::sizes, integer(-4) + "\x85"), "none negative");
  rejects(with(&TensorPart::sizes, "K\4K\1\x86"), "as many sizes as strides");
  rejects(with(&TensorPart::sizes, "G" + std::string(8, '\0') + "\x85"), "as many sizes");
  rejects(with(&TensorPart::strides, integer(2) + "\x85"), "does not lie in its storage");
  rejects(with(&TensorPart::strides, integer(-1) + "\x85"), "none negative");
  rejects(with(&TensorPart::strides, big + "\x85"), "does not lie in its storage");
  part.sizes = big + big + std::string("K\0\x87", 3);
  part.strides = std::string("K\0K\0K\0\x87", 7);
  rejects(part, "does not lie in its storage");
  part.sizes = part.strides = "(" + std::string(65, 'N') + "t";
  rejects(part, "at most 64");
  rejects(with(&TensorPart::more, "\x89)}(" + text("neg") + "\x88u"), "a conj or neg bit");
  part = TensorPart();
  const std::string first = dict(part.pickle());
  part.type = "ctorch\nLongStorage\n";
  part.count = integer(2);
  rejects(first + text("b") + part.pickle() + "s.", "is said to have 2 Long elements, and 4 Float");
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
  rejects("](" + lists + "e.", "repeats its parts more than an honest one does");
  std::string text_bomb = "](X" + std::string("\x10\x27\0\0", 4) + std::string(10000, 'x') + "q\1";
  for (int i = 0; i < 10000; ++i) text_bomb += "h\1";
  rejects(text_bomb + "e.", "repeats its parts more than an honest one does");
  rejects(std::string(2000000, '('), "expected 1 bytes");
  rejects("N" + std::string(1000000, '\x94') + ".", "values to remember");
  rejects("(" + std::string(1000000, ']') + "t.", "more than 512");
  rejects("(" + std::string(5000000, 'N') + "t.", "values on the stack");
}

TEST_F(TorchReject, WhatTheArchiveHas) {
  const std::string good = "\x80\2" + dict(TensorPart().pickle()) + ".";
  rejects_file(make_zip({{"x/data/0", kFloats}}), "no entry 'x/data.pkl'");
  rejects_file(make_zip({{"x/data.pkl", good}}), "no entry 'x/data/0'");
  rejects_file(make_zip({{"x/data.pkl", good}, {"x/data/0", kFloats}, {"x/byteorder", "big"}}),
               "the elements are not 'little'");
  ZipPart packed("x/data.pkl", good);
  packed.method = 8;
  rejects_file(make_zip({packed, {"x/data/0", kFloats}}), "is compressed, as torch.save never");
  rejects_file("", "is empty");
  rejects_file("\x80\2N.", "is neither a ZIP archive nor of the older form");
  rejects_file("{\"a\": [1]}", "is in the format JSON, not pt of PyTorch");
  rejects_file(make_zip({{"w.npy", "x"}}), "is in the format npz of NumPy, not pt of PyTorch");
}

}  // namespace
}  // namespace tern
