#include <gtest/gtest.h>

#include <limits>

#include <tern/serialization/save_bytes.h>
#include <tern/train/log/csv_log.h>

#include "error_of.h"
#include "serialization/scratch.h"
#include "train/file_size_limit.h"

namespace tern::train {
namespace {

class CsvLogTest : public ::testing::Test {
 protected:
  std::string content() const { return read_file(path_); }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("log.csv");
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(CsvLogTest, WritesRowsByName) {
  CsvLog log(path_, {"epoch", "loss", "note"});
  EXPECT_EQ(content(), "epoch,loss,note\n");
  log.row({{"epoch", 1}, {"loss", 0.5}});
  log.row({{"note", "a, \"b\"\nc"}, {"epoch", std::uint64_t{1} << 63}, {"loss", 0.1F}});
  log.row({{"loss", std::numeric_limits<double>::quiet_NaN()}, {"note", std::string("é")}});
  log.row({{"loss", -std::numeric_limits<double>::infinity()}, {"epoch", 1e300}});
  EXPECT_EQ(content(),
            "epoch,loss,note\n"
            "1,0.5,\n"
            "9223372036854775808,0.1,\"a, \"\"b\"\"\nc\"\n"
            ",nan,é\n"
            "1e+300,-inf,\n");
}

// RFC 4180: cells with a separator, a quote or a line end stand in quotes, and are read back.
TEST_F(CsvLogTest, QuotesEveryCellThatNeedsIt) {
  const std::vector<std::string> columns = {"step", "a\rb"};
  CsvLog(path_, columns).row({{"step", 1}, {"a\rb", "x\ry"}});
  CsvLog(path_, columns).row({{"step", 2}, {"a\rb", "\r"}});
  EXPECT_EQ(content(), "step,\"a\rb\"\n1,\"x\ry\"\n2,\"\r\"\n");
}

TEST_F(CsvLogTest, ContinuesAnExistingFile) {
  const std::vector<std::string> columns = {"step, of all", "a\"b"};
  CsvLog(path_, columns).row({{"step, of all", 1}, {"a\"b", 2}});
  CsvLog(path_, columns).row({{"step, of all", 2}});
  EXPECT_EQ(content(), "\"step, of all\",\"a\"\"b\"\n1,2\n2,\n");
  CsvLog(path_, columns, /*append=*/false).row({{"step, of all", 3}});
  EXPECT_EQ(content(), "\"step, of all\",\"a\"\"b\"\n3,\n");
}

TEST_F(CsvLogTest, RemovesTheRestOfARowThatWasCutOff) {
  write_file(path_, "step,text\r\n1,\"x\ny\"\n2,\"z\n");
  CsvLog(path_, {"step", "text"}).row({{"step", 3}});
  EXPECT_EQ(content(), "step,text\r\n1,\"x\ny\"\n3,\n");
}

TEST_F(CsvLogTest, TruncatesToAStep) {
  CsvLog log(path_, {"step", "text"});
  for (const double step : {1.0, 2.0, 2.5, 3.0, 2.0}) log.row({{"step", step}, {"text", "a\nb"}});
  EXPECT_EQ(log.truncate(2), 2u);
  log.row({{"step", 3}});
  EXPECT_EQ(content(), "step,text\n1,\"a\nb\"\n2,\"a\nb\"\n2,\"a\nb\"\n3,\n");
  EXPECT_EQ(log.truncate(3), 0u);
  EXPECT_EQ(log.truncate(0), 4u);
  EXPECT_EQ(content(), "step,text\n");
  log.row({{"text", "no step"}});
  EXPECT_TRUE(has(error_of<FileError>([&] { log.truncate(1); }),
                  "record 1 begins with '', expected a number in column 'step'"));
  EXPECT_EQ(scratch_.count(), 1) << "no temporary file stays";
}

TEST_F(CsvLogTest, RefusesWrongColumns) {
  CsvLog log(path_, {"epoch", "loss"});
  EXPECT_EQ(error_of([&] {
              log.row({{"los", 1}});
            }),
            "CsvLog: '" + path_ + "' has no column 'los', its columns are 'epoch', 'loss'");
  EXPECT_TRUE(has(error_of([&] { log.row({{"loss", 1}, {"loss", 2}}); }), "two cells of column"));
  EXPECT_EQ(error_of<FileError>([&] {
              CsvLog(path_, {"loss", "epoch"});
            }),
            "CsvLog: '" + path_ + "' has the columns 'epoch', 'loss', expected 'loss', 'epoch'");
  EXPECT_TRUE(has(error_of([&] { CsvLog(path_, {}); }), "at least one column"));
  EXPECT_TRUE(has(error_of([&] { CsvLog(path_, {"a", "a"}); }), "two columns 'a'"));
  EXPECT_EQ(content(), "epoch,loss\n");
  write_file(path_, "a picture");
  EXPECT_TRUE(has(error_of<FileError>([&] { CsvLog(path_, {"a"}); }), "no header line"));
  EXPECT_EQ(content(), "a picture");
  static_assert(!std::is_constructible_v<CsvValue, bool>);
}

TEST_F(CsvLogTest, NamesTheFileAndTheReason) {
  const std::string missing = scratch_.path("none/log.csv");
  const std::string text = error_of<FileError>([&] { CsvLog(missing, {"a"}); });
  EXPECT_TRUE(has(text, missing) && has(text, "No such file or directory")) << text;
  const std::string folder = error_of<FileError>([&] { CsvLog(scratch_.folder(), {"a"}); });
  EXPECT_TRUE(has(folder, scratch_.folder()) && has(folder, "directory")) << folder;
  EXPECT_TRUE(has(error_of<FileError>([&] { save_bytes("x", missing); }), missing));
}

TEST_F(CsvLogTest, AFullDiskLeavesWholeRows) {
  CsvLog log(path_, {"step", "text"});
  log.row({{"step", 1}, {"text", "fits"}});
  const std::string before = content();
  {
    const testing::FileSizeLimit limit(before.size() + 10);
    const std::string text = error_of<FileError>([&] {
      log.row({{"step", 2}, {"text", std::string(40, 'x')}});
    });
    EXPECT_TRUE(has(text, "CsvLog: cannot write to '" + path_ + "': ")) << text;
    EXPECT_EQ(content(), before);
    EXPECT_THROW(save_bytes(std::string(100, 'x'), path_), FileError);
    EXPECT_EQ(content(), before);
  }
  log.row({{"step", 2}});
  EXPECT_EQ(content(), before + "2,\n");
  EXPECT_EQ(scratch_.count(), 1);
}

}  // namespace
}  // namespace tern::train
