#include <iostream>

#include <tern/text/text.h>

// A user's program that needs tokenizers alone.
int main() {
  tern::text::BpeVocabulary vocabulary;
  vocabulary.tokens = {"a", "b", "ab"};
  vocabulary.merges = {"a b"};
  const tern::text::Tokenizer tokenizer(vocabulary);
  const bool is_right = tokenizer.encode_ids("abb") == std::vector<std::int64_t>{2, 1} &&
                        tokenizer.decode({2, 1}) == "abb";
  try {
    (void)tokenizer.id_to_token(3);
  } catch (const tern::IndexError& error) {
    std::cout << error.what() << "\n";
    return is_right ? 0 : 1;
  }
  return 1;
}
