#include <torch/torch.h>

#include <iostream>
#include <sstream>

// Archives with keys, nesting and values.
int main() {
  torch::serialize::OutputArchive out;
  out.write("x", torch::arange(3));
  out.write("buffer", torch::ones({2}), /*is_buffer=*/true);
  out.write("number", torch::IValue(5));
  out.write("text", torch::IValue(std::string("abc")));
  torch::serialize::OutputArchive nested;
  nested.write("y", torch::full({1}, 2.5));
  out.write("inner", nested);
  std::stringstream stream;
  out.save_to(stream);
  torch::serialize::InputArchive in;
  in.load_from(stream);
  torch::Tensor x, b, y;
  in.read("x", x);
  in.read("buffer", b, /*is_buffer=*/true);
  std::cout << x << "\n" << b << "\n";
  torch::IValue number, text;
  in.read("number", number);
  in.read("text", text);
  std::cout << number.toInt() << text.toStringRef() << "\n";
  torch::serialize::InputArchive inner;
  in.read("inner", inner);
  inner.read("y", y);
  std::cout << y << "\n" << in.try_read("nothing", x) << in.try_read("x", x) << "\n";
  for (const auto& key : in.keys()) std::cout << key << " ";
  std::cout << "\n";
  try {
    in.read("nothing", x);
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
}
