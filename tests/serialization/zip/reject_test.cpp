#include <tern/serialization/archive.h>
#include <tern/serialization/file/detail/little_endian.h>

#include "serialization/reject.h"
#include "serialization/zip/builder.h"

// What a ZIP archive may not be, seen through .npz.

namespace tern {
namespace {

std::string array_bytes() {
  const Scratch scratch;
  save(tensor({1.f, 2.f}), scratch.path("x.npy"));
  return read_file(scratch.path("x.npy"));
}

const std::string kDeflated = read_file(kGoldenFolder + "numpy/arrays_deflated.npz");

class ZipReject : public RejectTest {
 protected:
  void rejects(const std::string& bytes, const std::string& part) {
    write_file(path_, bytes);
    expect_refused(path_, part);
  }
  void rejects(const ZipPart& part, const std::string& text) {
    rejects(make_zip({ZipPart("first.npy", array_), part}), text);
  }

  const std::string path_ = scratch_.path("x.npz");
  const std::string array_ = array_bytes();
  const ZipPart good_{"a.npy", array_};
};

TEST_F(ZipReject, TheBuilderMakesGoodOnes) {
  write_file(path_, make_zip({good_, ZipPart("b.npy", array_)}));
  EXPECT_EQ(load_state(path_).keys(), (std::vector<std::string>{"a", "b"}));
  std::string with_comment = make_zip({good_});
  with_comment[with_comment.size() - 2] = 3;
  write_file(path_, with_comment + "abc");
  EXPECT_EQ(load_state(path_)["a"].tensor().to_vector<float>()[1], 2.f);
}

TEST_F(ZipReject, LargeNumbersMayStandInAFieldOfTheirOwn) {
  const std::size_t size = array_.size();
  ZipPart part("b.npy", array_);
  part.size = part.packed_size = 0xFFFFFFFF;
  part.extra = words({7, 2, 0, 1, 16, size, 0, 0, 0, size, 0, 0, 0});
  write_file(path_, make_zip({good_, part}));
  EXPECT_EQ(load_state(path_)["b"].tensor().to_vector<float>()[1], 2.f);
  part.extra = words({1, 8, size, 0, 0, 0});
  rejects(part, "a zip64 size is missing");
}

// Readers other than tern's trust the header before an entry.
TEST_F(ZipReject, AnEntrysHeaderSaysWhatTheListSays) {
  State state;
  state.insert("a", tensor({1.f, 2.f}));
  state.insert("b", State::list({1, 2}));
  for (const char* name : {"x.npz", "x.pt"}) {
    save(state, scratch_.path(name));
    const std::string file = read_file(scratch_.path(name));
    std::size_t count = 0;
    for (std::size_t at = file.find("PK\1\2"); at != file.npos; at = file.find("PK\1\2", at + 4)) {
      const auto offset = detail::load_little<std::uint32_t>(file.data() + at + 42);
      const std::size_t name_size = detail::load_little<std::uint16_t>(file.data() + at + 28);
      // Version, flags, method, time, date, checksum, sizes and the size of the name.
      EXPECT_EQ(file.substr(offset + 4, 24), file.substr(at + 6, 24)) << name;
      EXPECT_EQ(file.substr(offset + 30, name_size), file.substr(at + 46, name_size)) << name;
      EXPECT_NE(detail::load_little<std::uint32_t>(file.data() + at + 16), 0u) << name;
      ++count;
    }
    EXPECT_GE(count, 2u);
  }
}

TEST_F(ZipReject, AnyCommentMayFollow) {
  for (const std::string& comment : {std::string("abc"), std::string("PK\5\6"),
                                     "PK\5\6" + std::string(18, 'x'), std::string(65535, 'x')}) {
    std::string file = make_zip({good_});
    file.resize(file.size() - 2);
    write_file(path_, file + words({comment.size()}) + comment);
    EXPECT_EQ(load_state(path_).keys(), std::vector<std::string>{"a"}) << comment.substr(0, 10);
  }
}

// The field has only the numbers that do not stand in the record, in a fixed order.
TEST_F(ZipReject, LargeNumbersMayStandThereInAnyCombination) {
  const ZipPart first("first.npy", array_);
  const std::size_t offset = make_zip({first}).find("PK\1\2"), size = array_.size();
  for (const bool deflated : {false, true}) {
    if (deflated && !reads_deflated()) continue;
    ZipPart whole("a.npy", deflated ? '\1' + words({size, ~size}) + array_ : array_);
    whole.method = deflated ? 8 : 0;
    whole.size = static_cast<std::uint32_t>(size);
    for (unsigned mask = 0; mask < 8; ++mask) {
      SCOPED_TRACE(mask);
      constexpr std::uint32_t kInField = 0xFFFFFFFF;
      ZipPart part = whole;
      std::string numbers;
      const auto move = [&](unsigned bit, std::uint32_t& field, std::uint64_t number) {
        if ((mask & bit) != 0) {
          field = kInField;
          put(numbers, number);
        }
      };
      move(1, part.size, size);
      move(2, part.packed_size, whole.bytes.size());
      move(4, part.offset_error, offset);
      if ((mask & 4) != 0) part.offset_error -= static_cast<std::uint32_t>(offset);
      part.extra = words({1, numbers.size()}) + numbers;
      write_file(path_, make_zip({first, part}));
      EXPECT_EQ(load_state(path_)["a"].tensor().to_vector<float>(), (std::vector<float>{1, 2}));
      if (mask == 0) continue;
      part.extra = words({1, numbers.size() - 8}) + numbers.substr(8);
      rejects(make_zip({first, part}), "a zip64 size is missing");
      part.extra = words({2, numbers.size()}) + numbers;
      rejects(make_zip({first, part}), "a zip64 size is missing");
    }
  }
}

TEST_F(ZipReject, TheListMayHaveALargeEnd) {
  const std::string file = make_zip({good_, ZipPart("b.npy", array_)});
  const std::size_t end = file.size() - 22, begin = file.find("PK\1\2");
  const auto with = [&](std::uint64_t count, std::uint64_t size, std::uint64_t offset,
                        std::uint64_t record, const std::string& last) {
    std::string text = file.substr(0, end) + "PK\6\6";
    put(text, std::uint64_t{44});
    text += words({45, 45, 0, 0, 0, 0});
    for (const std::uint64_t number : {count, count, size, offset}) put(text, number);
    text += "PK\6\7" + words({0, 0});
    put(text, record);
    return text + words({1, 0}) + last;
  };
  for (unsigned mask = 0; mask < 8; ++mask) {  // the fields of the small end that are too small
    std::string last = file.substr(end);
    if ((mask & 1) != 0) last.replace(8, 4, std::string(4, '\xff'));
    if ((mask & 2) != 0) last.replace(12, 4, std::string(4, '\xff'));
    if ((mask & 4) != 0) last.replace(16, 4, std::string(4, '\xff'));
    write_file(path_, with(2, end - begin, begin, end, last));
    EXPECT_EQ(load_state(path_).keys(), (std::vector<std::string>{"a", "b"})) << mask;
  }
  const std::string last = file.substr(end);
  rejects(with(1, end - begin, begin, end, last), "bytes too many");
  rejects(with(3, end - begin, begin, end, last), "cannot have 3 entries");
  rejects(with(2, end - begin - 1, begin, end, last), "the list of contents should be bytes");
  rejects(with(2, end - begin, begin + 1, end, last), "the list of contents should be bytes");
  rejects(with(2, end - begin, begin, end + 1, last), "the zip64 end record");
  rejects(with(2, end - begin, begin, std::uint64_t{1} << 63, last), "lies outside the file");
}

TEST_F(ZipReject, MoreEntriesThan16BitsCount) {
  State state;
  const Tensor one = ones({});
  for (int i = 0; i < 65536; ++i) state.insert(std::to_string(i), one);
  save(state, path_);
  const State loaded = load_state(path_);
  EXPECT_EQ(loaded.size(), 65536u);
  EXPECT_EQ(loaded.keys().back(), "65535");
}

TEST_F(ZipReject, WhatAnEntrySays) {
  ZipPart part = good_;
  part.flags = 1;
  rejects(part, "entry 'a.npy' is encrypted");
  part = good_;
  part.method = 12;
  rejects(part, "entry 'a.npy': compression 12 is neither 0");
  part = good_;
  part.header_name = "b.npy";
  rejects(part, "entry 'a.npy': its header does not match the list");
  part.header_name = "a.npyx";
  rejects(part, "entry 'a.npy': its header does not match the list");
  part = good_;
  ++part.size;
  rejects(part, "cannot unpack to");
  ++part.packed_size;
  rejects(part, "should have");
  part = good_;
  part.size = part.packed_size = 0xFFFFFFFE;
  rejects(part, "entry 'a.npy' should have 4294967294 bytes, but the file has at most");
  part.size = part.packed_size = 0xFFFFFFFF;
  rejects(part, "a zip64 size is missing");
  part.extra = words({1, 16, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF});
  rejects(part, "entry 'a.npy' should have 18446744073709551615 bytes");
  part = good_;
  part.offset_error = 1;
  rejects(part, "its header does not match");
  part.offset_error = 0xFFFFFFF0;  // 16 bytes into the entry before it
  rejects(part, "entry 'first.npy' should have");
  rejects(ZipPart("a.txt", array_), "does not end in .npy");
  rejects(ZipPart("a.npy", ""), "not an .npy file");
}

TEST_F(ZipReject, WhatTheListSays) {
  rejects(make_zip({good_, good_}), "entry 'a.npy' appears twice");
  rejects(make_zip({good_}, 1), "cannot have 2 entries");
  rejects(make_zip({good_}, 60000), "cannot have 60001 entries");
  rejects(make_zip({good_}) + "x", "cut off");
  rejects("x" + make_zip({good_}), "");
  ZipPart same("b.npy", array_);
  same.offset_error = static_cast<std::uint32_t>(-35 - static_cast<int>(array_.size()));
  rejects(make_zip({good_, same}), "overlaps the next part of the file");
  std::string fewer = make_zip({good_, ZipPart("b.npy", array_)});
  fewer[fewer.size() - 12] = 1;
  rejects(fewer, "bytes too many");
  std::string moved = make_zip({good_});
  ++moved[moved.size() - 6];
  rejects(moved, "the list of contents should be bytes");
}

// A read of memory does not stop at the end of the archive by itself, as one of a file does.
TEST_F(ZipReject, EntriesBehindTheEndOfTheFile) {
  ZipPart far("b.npy", array_), farther("c.npy", array_);
  far.offset_error = 1 << 20;
  farther.offset_error = 2 << 20;
  const std::string bytes = make_zip({good_, far, farther});
  rejects(bytes, "entry 'b.npy' overlaps the next part of the file");
  serialize::InputArchive archive;
  const auto read = [&] { archive.load_from(bytes.data(), bytes.size()); };
  EXPECT_NE(error_of<FileError>(read).find("entry 'b.npy' overlaps"), std::string::npos);
}

TEST_F(ZipReject, CutOffAnywhere) {
  State state;
  state.insert("a", tensor({1.f, 2.f}));
  state.insert("b", State::list({1, 2}));
  save(state, path_);
  for (const std::string& good : {read_file(path_), kDeflated}) {
    for (std::size_t size = 0; size < good.size(); ++size) {
      write_file(path_, good.substr(0, size));
      EXPECT_THROW(load_state(path_), FileError) << "after " << size << " bytes";
    }
  }
}

TEST_F(ZipReject, OneFlippedBit) {
  State state;
  state.insert("a", tensor({1.f, 2.f}));
  state.insert("b", State::list({1, 2}));
  save(state, path_);
  const auto step = static_cast<std::size_t>(count_for(5, 1));
  std::vector<std::string> files{read_file(path_)};
  if (reads_deflated()) files.push_back(kDeflated);
  for (const std::string& good : files) {
    write_file(path_, good);
    const State before = load_state(path_);
    for (std::size_t bit = 0; bit < 8 * good.size(); bit += step) {
      std::string damaged = good;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      write_file(path_, damaged);
      try {
        // Dates and padding may change; all that counts is under a checksum or there twice.
        EXPECT_TRUE(identical(load_state(path_), before)) << "bit " << bit;
      } catch (const FileError&) {
      }
    }
  }
}

TEST_F(ZipReject, DeflatedBytes) {
  TERN_NEEDS_ZLIB();
  ZipPart part("a.npy", array_);
  part.method = 8;
  rejects(part, "entry 'a.npy'");
  // One stored block of deflate: 5 bytes of header, then the bytes.
  const std::size_t size = array_.size();
  const ZipPart good("a.npy", '\1' + words({size, ~size}) + array_);
  part = good;
  part.method = 8;
  part.size = static_cast<std::uint32_t>(size);
  write_file(path_, make_zip({part}));
  EXPECT_EQ(load_state(path_)["a"].tensor().to_vector<float>()[0], 1.f);
  part.size = static_cast<std::uint32_t>(size - 4);
  rejects(part, "takes 8 bytes, but 4 follow");
  part.size = 1 << 30;
  rejects(part, "cannot unpack to 1073741824");
  part.bytes += "x";
  part.size = static_cast<std::uint32_t>(size);
  ++part.packed_size;
  rejects(part, "unexpected bytes after its compressed data");
}

}  // namespace
}  // namespace tern
