#include <algorithm>
#include <string_view>

#include <tern/core/base/error.h>
#include <tern/text/text.h>

#include "input.h"

// Any bytes as tokenizer.json: an error, or a tokenizer that encodes, decodes and streams.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace text = tern::text;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const text::Tokenizer tokenizer = text::Tokenizer::from_json(bytes);
    // The end of the input is a text, too.
    for (const std::string_view input :
         {std::string_view("The dog\xFF <r>  K\u00f6ln\u0301 '12 [MASK] "),
          bytes.substr(size - std::min<std::size_t>(size, 100))}) {
      const text::Encoding encoding = tokenizer.encode_pair(input, "b \xF0\x9F");
      for (const text::Offset& offset : encoding.offsets) {
        if (offset.begin > offset.end || offset.end > std::max<std::size_t>(input.size(), 4)) {
          throw std::logic_error("an offset outside of the text");
        }
      }
      (void)tokenizer.encode_ids(input, {.parse_special_tokens = false});
      (void)tokenizer.decode(encoding.ids);
      text::DecodeStream stream(tokenizer);
      for (const std::int64_t id : encoding.ids) (void)stream.next(id);
      (void)stream.finish();
    }
  } catch (const tern::Error&) {
  }
  return 0;
}
