#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/data/data.h>
#include <tern/nn/data/files.h>

#include "error_of.h"
#include "nn/data/golden_images.h"

namespace tern::data {
namespace {

class ReadersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("tern_readers_") + info->name() + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  std::filesystem::path folder_;
};

TEST_F(ReadersTest, CsvOfNumbers) {
  const CsvTable table = read_csv(write("a.csv",
                                        "\xef\xbb\xbf"
                                        "1, -2.5,3e2\r\n\n+4,NA,\n"));
  EXPECT_EQ(table.values.dtype(), kFloat);
  EXPECT_EQ(table.values.sizes(), IntArrayRef({2, 3}));
  EXPECT_TRUE(table.values[0].equal(tensor({1.F, -2.5F, 300.F})));
  EXPECT_EQ(table.values[1][0].item<float>(), 4);
  EXPECT_TRUE(table.values[1].isnan().equal(tensor({false, true, true})));
  EXPECT_EQ(table.names, (std::vector<std::string>{"0", "1", "2"}));
  const auto options = CsvOptions().separator('\t').missing(-1).dtype(kDouble);
  const CsvTable tabs = read_csv(write("b.csv", "1\t\t0.1\n?\t2\t"), options);
  EXPECT_TRUE(tabs.values.equal(tensor({{1., -1., 0.1}, {-1., 2., -1.}}, kDouble)));
}

TEST_F(ReadersTest, CsvWithNamesAndClasses) {
  const std::string file = write("iris.csv",
                                 "length,\"wid\"\"th\",species\n5.1,3.5,setosa\n6,2,\"a, b\"\n"
                                 "7,1,setosa\n");
  const CsvTable table = read_csv(file, CsvOptions().header(true).categories({"species"}));
  EXPECT_EQ(table.names, (std::vector<std::string>{"length", "wid\"th", "species"}));
  EXPECT_TRUE(table.column("species").equal(tensor({1.F, 0.F, 1.F})));
  EXPECT_EQ(table.classes[2], (std::vector<std::string>{"a, b", "setosa"}));
  const CsvTable chosen = read_csv(file, CsvOptions().header(true).columns({"wid\"th", "length"}));
  EXPECT_TRUE(chosen.values[1].equal(tensor({2.F, 6.F})));
  EXPECT_EQ(error_of<IndexError>([&] { table.column("petal"); }),
            "csv: the name 'petal' is none of the columns 'length', 'wid\"th', 'species'");
}

TEST_F(ReadersTest, CsvNamesLineAndColumn) {
  const auto error = [&](const std::string& text, const CsvOptions& options = {}) {
    const std::string file = write("x.csv", text);
    std::string found = error_of<FileError>([&] { read_csv(file, options); });
    const std::size_t at = found.find(file);
    return at == std::string::npos ? "no file in " + found : found.erase(at, file.size());
  };
  EXPECT_EQ(error("age,height\n1,2\n"),
            "csv: , line 1, column 1: expected a number for '0', found \"age\"; if the first line "
            "has names, use CsvOptions().header(true)");
  EXPECT_EQ(error("1,2\n\n3,cat\n"),
            "csv: , line 3, column 2: expected a number for '1', found \"cat\"; if the column has "
            "texts, name it in CsvOptions().categories(..)");
  EXPECT_EQ(error("1,2\n3\n"), "csv: , line 2, column 1: expected 2 values in the line, found 1");
  EXPECT_EQ(error("1,2\n3,4,5,6\n"),
            "csv: , line 2, column 3: expected 2 values in the line, found at least 3");
  EXPECT_EQ(error("1,\"2\n"),
            "csv: , line 1, column 2: expected a closing quote, found the end of the file");
  EXPECT_EQ(
      error("\"1\"2\n"),
      "csv: , line 1, column 1: expected the end of the value behind the closing quote, found "
      "'2'");
  EXPECT_EQ(error("1e999\n"),
            "csv: , line 1, column 1: the number 1e999 of '0' does not fit float64");
  EXPECT_EQ(error("a,a\n1,2\n", CsvOptions().header(true)),
            "csv: , line 1, column 2: two columns are called 'a'");
  EXPECT_EQ(error(""), "csv:  has no row of values");
  EXPECT_EQ(error("a,b\n", CsvOptions().header(true)),
            "csv:  has no row of values behind its header");
  EXPECT_EQ(error_of<FileError>([&] { read_csv(folder_.string()); }),
            "csv: " + folder_.string() + " is a folder");
  EXPECT_THROW(read_csv(path("none")), FileError);
  for (const auto& [separator, shown] : {std::pair('e', "'e'"), std::pair('\n', "a line end")}) {
    EXPECT_EQ(error_of([&] { read_csv(path("x.csv"), CsvOptions().separator(separator)); }),
              std::string("csv: the separator cannot be a quote, a line end, a point, a sign, a "
                          "digit or a letter, got ") +
                  shown);
  }
  EXPECT_THROW(read_csv(path("x.csv"), CsvOptions().dtype(kLong)), DTypeError);
}

TEST_F(ReadersTest, CsvLinesEndInLfCrLfOrCr) {
  const Tensor expected = tensor({{1.F, 2.F}, {3.F, 4.F}});
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    for (const std::string& text :
         {"1,2" + end + "3,4", "1,2" + end + "3,4" + end, end + "1, 2 " + end + end + "3,4" + end,
          "\"1\",\"2\"" + end + "3,\"4\" " + end}) {
      EXPECT_TRUE(read_csv(write("a.csv", text)).values.equal(expected)) << text;
    }
    // A quoted value keeps its line ends, and errors count them.
    const std::string quoted = "a,b" + end + "\"x" + end + "y\",1" + end;
    const auto options = CsvOptions().header(true).categories({"a"});
    const CsvTable table = read_csv(write("b.csv", quoted), options);
    EXPECT_EQ(table.classes[0], std::vector<std::string>{"x" + end + "y"});
    const std::string error =
        error_of<FileError>([&] { read_csv(write("b.csv", quoted + "z,w" + end), options); });
    EXPECT_NE(error.find("line 4, column 2"), error.npos) << error;
  }
}

TEST_F(ReadersTest, CsvInUtf16IsRefusedByName) {
  using namespace std::string_literals;
  for (const std::string& text :
       {"\xff\xfe"s + "1\0,\0"s, "\xfe\xff\0001\0,"s, "1\0,\0002\0"s, "\0001\0,\0002"s}) {
    const std::string file = write("x.csv", text);
    EXPECT_EQ(error_of<FileError>([&] { read_csv(file); }),
              "csv: " + file + " is UTF-16; convert the file to UTF-8");
  }
}

TEST_F(ReadersTest, CsvMissingValueOfACategoryIsNoClass) {
  const std::string file = write("a.csv", "b,1\n,2\na,3\n\"\",4\nNA,5\n?,6\n0,7\n");
  const auto options = CsvOptions().categories({"0"});
  const CsvTable table = read_csv(file, options);
  EXPECT_EQ(table.classes[0], (std::vector<std::string>{"0", "a", "b"}));
  const Tensor classes = table.column("0");
  EXPECT_TRUE(classes.isnan().equal(tensor({false, true, false, true, true, true, false})));
  EXPECT_TRUE(read_csv(file, CsvOptions().categories({"0"}).missing(0))
                  .column("0")
                  .equal(tensor({2.F, 0.F, 1.F, 0.F, 0.F, 0.F, 0.F})));
}

TEST_F(ReadersTest, CsvNumbersAtTheEdgesOfTheRange) {
  const std::string file = write("a.csv", "1e-400,-1e-400,1e-320,0.1e-99999999999999999999\n");
  for (const ScalarType dtype : {kFloat, kDouble}) {
    const Tensor row = read_csv(file, CsvOptions().dtype(dtype)).values[0];
    EXPECT_EQ(row[0].item<double>(), 0);
    EXPECT_TRUE(std::signbit(row[1].item<double>()) && row[1].item<double>() == 0);
    EXPECT_EQ(row[2].item<double>(), dtype == kDouble ? 1e-320 : 0);
    EXPECT_EQ(row[3].item<double>(), 0);
  }
  const std::string wide = write("b.csv", "3.4028235e38,inf,-inf,3.4028236e38\n");
  EXPECT_EQ(read_csv(wide, CsvOptions().dtype(kDouble)).values[0][3].item<double>(), 3.4028236e38);
  const std::string error = error_of<FileError>([&] { read_csv(wide); });
  EXPECT_NE(error.find("column 4: the number 3.4028236e38 of '3' does not fit float32"), error.npos)
      << error;
}

TEST_F(ReadersTest, WaitForNoPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THROW(read_csv(path("pipe")), FileError);
  EXPECT_THROW(datasets::TextLines(path("pipe")), FileError);
  EXPECT_THROW(read_image(path("pipe")), FileError);
}

TEST_F(ReadersTest, TextLines) {
  const std::string file = write("text",
                                 "\xef\xbb\xbf"
                                 "one\r\n\ntwo \nlast");
  datasets::TextLines lines(file);
  EXPECT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines.get(0), "one");
  EXPECT_EQ(lines.get(1), "");
  EXPECT_EQ(lines.get(2), "two ");
  EXPECT_EQ(lines.get(3), "last");
  EXPECT_EQ(datasets::TextLines(file, true).size(), 3u);
  EXPECT_EQ(error_of<IndexError>([&] { lines.get(4); }),
            "TextLines: line 4 is out of range for 4 lines");
  EXPECT_EQ(datasets::TextLines(write("none", "")).size(), 0u);
}

/// The byte at a place of record i of cifar_records().
int cifar_pixel(int i, int channel, int row, int column) {
  return (17 * i + 1024 * channel + 32 * row + column) % 251;
}

/// Records as https://www.cs.toronto.edu/~kriz/cifar.html describes them: a label, then the red,
/// the green and the blue pixels, each row by row.
std::string cifar_records(int count, char label) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    bytes += label;
    for (int channel = 0; channel < 3; ++channel) {
      for (int row = 0; row < 32; ++row) {
        for (int column = 0; column < 32; ++column) {
          bytes += static_cast<char>(cifar_pixel(i, channel, row, column));
        }
      }
    }
  }
  return bytes;
}

TEST_F(ReadersTest, Cifar10) {
  write("cifar-10-batches-bin/test_batch.bin", cifar_records(3, 7));
  datasets::CIFAR10 test(folder_.string(), datasets::CIFAR10::Mode::kTest);
  EXPECT_FALSE(test.is_train());
  EXPECT_EQ(test.size(), 3u);
  EXPECT_EQ(test.images().sizes(), IntArrayRef({3, 3, 32, 32}));
  EXPECT_EQ(test.get(0).target.item<std::int64_t>(), 7);
  EXPECT_EQ(datasets::CIFAR10::classes()[7], "horse");
  for (const auto& [channel, row, column] :
       {std::array{0, 0, 1}, std::array{1, 31, 2}, std::array{2, 5, 31}}) {
    const int pixel = cifar_pixel(1, channel, row, column);
    EXPECT_EQ(test.images()[1][channel][row][column].item<int>(), pixel);
    EXPECT_FLOAT_EQ(test.get(1).data[channel][row][column].item<float>(),
                    static_cast<float>(pixel) / 255);
  }
  const std::vector<std::size_t> indices = {2, 0};
  const Example<> batch = test.map(transforms::Stack<>()).get_batch(indices);
  EXPECT_TRUE(batch.data[0].equal(test.get(2).data));
  for (int i = 1; i <= 5; ++i) {
    write("data_batch_" + std::to_string(i) + ".bin", cifar_records(i, static_cast<char>(i)));
  }
  std::filesystem::remove_all(folder_ / "cifar-10-batches-bin");
  const datasets::CIFAR10 train(folder_.string());
  EXPECT_EQ(train.targets().to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5}));
  EXPECT_EQ(train.images()[14][2][0][3].item<int>(), cifar_pixel(4, 2, 0, 3));
  EXPECT_NE(error_of<FileError>([&] {
              datasets::CIFAR10(folder_.string(), datasets::CIFAR10::Mode::kTest);
            }).find("unpack the binary version"),
            std::string::npos);
  write("data_batch_2.bin", cifar_records(2, 1).substr(0, 5000));
  EXPECT_NE(error_of<FileError>([&] {
              datasets::CIFAR10 cut(folder_.string());
            }).find("end at byte 1927 of record 1"),
            std::string::npos);
  write("data_batch_2.bin", "");
  EXPECT_NE(error_of<FileError>([&] {
              datasets::CIFAR10 nothing(folder_.string());
            }).find("expected records of 3073 bytes, found 0 bytes"),
            std::string::npos);
  write("data_batch_2.bin", cifar_records(1, 1) + cifar_records(1, 10));
  EXPECT_NE(error_of<FileError>([&] {
              datasets::CIFAR10 wrong(folder_.string());
            }).find("expected a label from 0 to 9 at byte 3073, found 10"),
            std::string::npos);
}

TEST_F(ReadersTest, ImageFolder) {
  if (!reads_jpeg()) GTEST_SKIP() << "needs libjpeg-turbo";
  const std::string jpeg = golden_bytes("rgb.jpg"), png = golden_bytes("gray.png");
  for (const char* name :
       {"dog/b.JPG", "dog/a.jpeg", "dog/sub/c.png", "dog/notes.txt", "cat/z.png"}) {
    write(name, std::string(name).ends_with("png") ? png : jpeg);
  }
  write("readme.txt", "no class");
  datasets::ImageFolder images(folder_.string());
  EXPECT_EQ(images.classes(), (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(images.class_to_idx().at("dog"), 1);
  EXPECT_EQ(images.targets(), (std::vector<std::int64_t>{0, 1, 1, 1}));
  std::vector<std::string> names;
  for (const auto& [file, target] : images.samples()) names.push_back(file.substr(path("").size()));
  EXPECT_EQ(names,
            (std::vector<std::string>{"cat/z.png", "dog/a.jpeg", "dog/b.JPG", "dog/sub/c.png"}));
  EXPECT_EQ(images.get(1).data.sizes(), IntArrayRef({3, 14, 21}));
  EXPECT_EQ(images.get(1).target.item<std::int64_t>(), 1);
  auto loader =
      make_data_loader<samplers::SequentialSampler>(images.map(transforms::RandomResizedCrop(8))
                                                        .map(transforms::ConvertImageDtype())
                                                        .map(transforms::Stack<>()),
                                                    DataLoaderOptions(4).workers(2));
  EXPECT_EQ(loader->begin()->data.sizes(), IntArrayRef({4, 3, 8, 8}));
  EXPECT_THROW(images.get(4), IndexError);
}

TEST_F(ReadersTest, ImageFolderErrors) {
  const std::string root = folder_.string();
  EXPECT_NE(error_of<FileError>([&] {
              datasets::ImageFolder(root + "/none");
            }).find("ImageFolder: cannot read the folder"),
            std::string::npos);
  EXPECT_NE(error_of<FileError>([&] { datasets::ImageFolder images(root); })
                .find("ImageFolder: Couldn't find any class folder in " + root +
                      ". Each class has a folder"),
            std::string::npos);
  write("cat/a.jpg", "no image");
  write("dog/b.gif", "");
  EXPECT_NE(error_of<FileError>([&] {
              datasets::ImageFolder images(root);
            }).find("Found no valid file for the classes dog in " + root),
            std::string::npos);
  std::filesystem::remove_all(folder_ / "dog");
  datasets::ImageFolder images(root);
  EXPECT_NE(error_of<FileError>([&] { images.get(0); }).find(path("cat/a.jpg")), std::string::npos);
  std::filesystem::create_directory_symlink("..", folder_ / "cat" / "up");
  EXPECT_NE(error_of<FileError>([&] {
              datasets::ImageFolder up(root);
            }).find("does a link lead back up?"),
            std::string::npos);
}

}  // namespace
}  // namespace tern::data
