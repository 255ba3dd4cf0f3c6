#include <tern/nn/data/idx.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>

#include "error_of.h"

namespace tern::data {
namespace {

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string image_file(std::uint32_t count, const std::string& pixels) {
  return word(kIdxImages) + word(count) + word(2) + word(3) + pixels;
}

std::string label_file(std::uint32_t count, const std::string& labels) {
  return word(kIdxLabels) + word(count) + labels;
}

class IdxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("tern_idx_") + info->name() + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  std::filesystem::path folder_;
};

TEST_F(IdxTest, ReadsSizesAndValues) {
  const IdxArray array = read_idx(write("images", image_file(2, "abcdefABCDE\xff")), kIdxImages);
  EXPECT_EQ(array.sizes, (std::vector<std::int64_t>{2, 2, 3}));
  ASSERT_EQ(array.values.size(), 12u);
  EXPECT_EQ(array.values[6], 'A');
  EXPECT_EQ(array.values[11], 255);
  const IdxArray none = read_idx(write("labels", label_file(0, "")), kIdxLabels);
  EXPECT_EQ(none.sizes, (std::vector<std::int64_t>{0}));
  EXPECT_TRUE(none.values.empty());
}

TEST_F(IdxTest, NamesFileExpectedAndFound) {
  const std::string file = write("file", label_file(3, "ab"));
  EXPECT_EQ(error_of<FileError>([&] { read_idx(file, kIdxLabels); }),
            "idx: " + file + " is cut off, expected 3 bytes after the header, found 2");
  write("file", label_file(3, "abcd"));
  EXPECT_EQ(error_of<FileError>([&] { read_idx(file, kIdxLabels); }),
            "idx: " + file + " is too long, expected 3 bytes after the header, found more");
  EXPECT_EQ(error_of<FileError>([&] { read_idx(file, kIdxImages); }),
            "idx: " + file + " has the wrong magic number, expected 2051, found 2049");
  write("file", label_file(3, "").substr(0, 6));
  EXPECT_EQ(error_of<FileError>([&] { read_idx(file, kIdxLabels); }),
            "idx: the header of " + file + " is cut off, found 2 of 4 bytes");
  EXPECT_NE(error_of<FileError>([&] { read_idx(path("none"), kIdxLabels); }).find("No such file"),
            std::string::npos);
  EXPECT_EQ(error_of<FileError>([&] { read_idx(folder_.string(), kIdxLabels); }),
            "idx: " + folder_.string() + " is a folder");
}

TEST_F(IdxTest, WaitsForNoPipe) {
  for (const char* name : {"t10k-images-idx3-ubyte", "t10k-images-idx3-ubyte.gz"}) {
    ASSERT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
    EXPECT_EQ(error_of<FileError>([&] { read_idx(path(name), kIdxImages); }),
              "idx: " + path(name) + " is not a regular file");
  }
}

TEST_F(IdxTest, RefusesImpossibleSizes) {
  const std::string huge =
      word(kIdxImages) + word(0xffffffff) + word(0xffffffff) + word(0xffffffff);
  const std::string file = write("file", huge);
  EXPECT_NE(error_of<FileError>([&] { read_idx(file, kIdxImages); }).find("overflow"),
            std::string::npos);
  // The header promises 16 GB, the file has 2 bytes: no memory is allocated for the promise.
  write("file", word(kIdxImages) + word(0xffffffff) + word(2) + word(2) + "ab");
  EXPECT_NE(error_of<FileError>([&] { read_idx(file, kIdxImages); }).find("is cut off"),
            std::string::npos);
  write("file", word(kIdxImages) + word(1) + word(0) + word(2));
  EXPECT_NE(error_of<FileError>([&] {
              read_idx(file, kIdxImages);
            }).find("expected a size above 0 for dimension 1"),
            std::string::npos);
}

TEST_F(IdxTest, FindsBothSpellings) {
  write("train-images-idx3-ubyte", image_file(2, "abcdefABCDEF"));
  write("train-labels.idx1-ubyte", label_file(2, "\1\2"));
  for (const std::string& root : {folder_.string(), folder_.string() + "/"}) {
    const IdxImages set = read_idx_images(root, /*train=*/true);
    EXPECT_EQ(set.images.sizes[0], 2);
    EXPECT_EQ(set.labels.values[1], 2);
  }
  write("train-labels.idx1-ubyte", label_file(3, "\1\2\3"));
  EXPECT_NE(error_of<FileError>([&] {
              read_idx_images(folder_.string(), true);
            }).find("the numbers of images and labels must be equal"),
            std::string::npos);
}

TEST_F(IdxTest, MissingFileKeepsTheKnownText) {
  const std::string text = error_of<FileError>([&] { read_idx_images(folder_.string(), false); });
  EXPECT_EQ(text.find("Error opening images file at " + path("t10k-images-idx3-ubyte")), 0u)
      << text;
  write("t10k-images-idx3-ubyte", image_file(1, "abcdef"));
  const std::string labels = error_of<FileError>([&] { read_idx_images(folder_.string(), false); });
  EXPECT_EQ(labels.find("Error opening targets file at " + path("t10k-labels-idx1-ubyte")), 0u);
}

// 400 images of 2 x 3 bytes 'x', compressed.
constexpr unsigned char kPacked[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                     0xed, 0xc3, 0xb1, 0x0d, 0x00, 0x30, 0x08, 0xc0, 0xb0, 0x50,
                                     0x16, 0x4e, 0xe6, 0x8c, 0x9e, 0x0c, 0x47, 0x30, 0xc6, 0x92,
                                     0xa1, 0x12, 0xe2, 0x03, 0x6f, 0x67, 0x4b, 0x92, 0x24, 0xe9,
                                     0xd4, 0x00, 0xd2, 0x4e, 0x42, 0x60, 0x70, 0x09, 0x00, 0x00};

TEST_F(IdxTest, UnpacksGzip) {
  const std::string packed(reinterpret_cast<const char*>(kPacked), sizeof(kPacked));
  const std::string file = write("t10k-images-idx3-ubyte.gz", packed);
  write("t10k-labels-idx1-ubyte", label_file(400, std::string(400, '\3')));
  try {
    read_idx(file, kIdxImages);
  } catch (const FileError& error) {
    ASSERT_NE(std::string(error.what()).find("without zlib"), std::string::npos) << error.what();
    GTEST_SKIP() << "needs compressed files, but tern was built without zlib";
  }
  EXPECT_EQ(read_idx_images(folder_.string(), false).images.values,
            std::vector<std::uint8_t>(2400, 'x'));
  for (const std::size_t cut : {1u, 6u, 20u, 50u}) {
    write("cut.gz", packed.substr(0, packed.size() - cut));
    EXPECT_NE(
        error_of<FileError>([&] { read_idx(path("cut.gz"), kIdxImages); }).find(path("cut.gz")),
        std::string::npos);
  }
  std::string wrong = packed;
  wrong[wrong.size() - 6] ^= 1;  // the checksum
  write("wrong.gz", wrong);
  EXPECT_NE(
      error_of<FileError>([&] { read_idx(path("wrong.gz"), kIdxImages); }).find("cannot unpack"),
      std::string::npos);
}

}  // namespace
}  // namespace tern::data
