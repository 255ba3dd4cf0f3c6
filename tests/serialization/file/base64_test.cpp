#include <tern/serialization/file/detail/base64.h>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>

namespace tern {
namespace {

using detail::base64_decode;
using detail::base64_encode;

TEST(Base64, WritesTheVectorsOfTheStandard) {
  // RFC 4648, section 10.
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

TEST(Base64, KeepsAllBytes) {
  std::string bytes;
  for (int i = 0; i < 1024; ++i) bytes += static_cast<char>(i * 7 % 256);
  for (std::size_t size = 0; size < bytes.size(); size += 31) {
    EXPECT_EQ(base64_decode(base64_encode(bytes.substr(0, size))), bytes.substr(0, size));
  }
  EXPECT_EQ(base64_encode("\xff\xef\xbf"), "/++/");
}

TEST(Base64, RefusesEverythingElse) {
  for (const char* text : {"A", "AA", "AAA", "AAAAA", "A===", "====", "AA=A", "AAA\n", " AAA",
                           "AA-_", "Zh==", "Zm9=", "=AAA", "AAA=AAAA"}) {
    EXPECT_THROW(base64_decode(text), Error) << text;
  }
}

}  // namespace
}  // namespace tern
