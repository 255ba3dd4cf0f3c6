#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/block_format.h>
#include <tern/core/base/small_vector.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>
#include <tern/serialization/state_file.h>

namespace tern {

/// The entry of one tensor in the header of a GGUF file.
struct GgufEntry {
  /// The name of the tensor.
  std::string name;
  /// The name of the type in the format, such as "F32" or "Q4_1". tern may not read the type.
  std::string_view type;
  /// How the elements are stored, for the types that tern has as blocks.
  std::optional<BlockFormat> blocks;
  /// The sizes, as PyTorch orders them: a Linear's weight has {out_features, in_features}.
  DimVector shape;
  /// The byte range of the elements in the file, [begin, end).
  std::uint64_t begin = 0, end = 0;
};

/// The elements of a quantised tensor as the file has them.
struct GgufBlocks {
  /// The format of the blocks.
  BlockFormat format = BlockFormat::kQ8_0;
  /// The sizes of the tensor in elements.
  DimVector shape;
  /// The blocks, row by row: uint8 of the tensor's shape, with the bytes of a row as last size.
  Tensor bytes;
};

/// An open GGUF file, the format of llama.cpp. The tensors and values are read one by one. Opening
/// the file checks the whole header: the tensors must fill the rest of the file without overlaps.
///
/// Example:
///   const GgufFile file("model.gguf", {.map = true});
///   for (const GgufEntry& entry : file.entries()) { ... entry.name, entry.type, entry.shape ... }
///   Tensor weight = file.read("blk.0.attn_v.weight");                // float32
///   GgufBlocks blocks = file.read_blocks("blk.0.attn_v.weight");     // 4 or 8 bits, not copied
///   std::string name = file.metadata("general.name").string();
///   std::vector<std::string> tokens = file.strings("tokenizer.ggml.tokens");
class TERN_API GgufFile {
 public:
  /// Opens a file and checks its header. With LoadFileOptions::map, the tensors of read_blocks()
  /// and those of float types are views of the file, where its alignment allows it. Throws
  /// FileError, which names the file and the key or the tensor.
  explicit GgufFile(const std::string& path, const LoadFileOptions& options = {});
  /// Takes over the open file.
  GgufFile(GgufFile&&) noexcept;
  /// Takes over the open file.
  GgufFile& operator=(GgufFile&&) noexcept;
  /// Closes the file. Mapped tensors stay valid.
  ~GgufFile();

  /// Returns the path as given.
  const std::string& path() const;

  // --- Tensors -----------------------------------------------------------------------------------

  /// Returns the entries in the order of the header.
  const std::vector<GgufEntry>& entries() const;
  /// Returns the entry of a name, or null if the file has no such tensor.
  const GgufEntry* find(std::string_view name) const;
  /// Reads one tensor to the CPU, as `dtype` if given. The default is the dtype of the file, and
  /// float32 for blocks. Throws IndexError if the file has no tensor of this name, and FileError if
  /// tern does not read its type.
  Tensor read(std::string_view name, std::optional<ScalarType> dtype = std::nullopt) const;
  /// Reads the blocks of one quantised tensor to the CPU. Throws IndexError if the file has no
  /// tensor of this name, and FileError if tern has no blocks of its type.
  GgufBlocks read_blocks(std::string_view name) const;

  // --- Metadata ----------------------------------------------------------------------------------

  /// Returns the keys in the order of the header.
  std::vector<std::string_view> keys() const;
  /// Returns true if the file has `key`.
  bool has_key(std::string_view key) const;
  /// Reads the value of `key`: a boolean, an integer, a floating number, a string, or a list.
  /// Throws IndexError if the file has no such key, and FileError for an integer above 2^63 - 1.
  State metadata(std::string_view key) const;
  /// Reads the value of `key` as text: a number as its shortest decimal, a string as it is, and an
  /// array as "string[3]", without its elements. Throws IndexError if the file has no such key.
  std::string text(std::string_view key) const;
  /// Reads an array of strings, such as the tokens of a vocabulary. Throws IndexError if the file
  /// has no such key, and FileError for another kind of value.
  std::vector<std::string> strings(std::string_view key) const;
  /// Reads an array of integers. Throws IndexError if the file has no such key, and FileError for
  /// another kind of value.
  std::vector<std::int64_t> integers(std::string_view key) const;

 private:
  friend class GgufLlama;
  /// Return what read() and read_blocks() do, never as views of a mapping.
  Tensor copy(std::string_view name, std::optional<ScalarType> dtype) const;
  GgufBlocks copy_blocks(std::string_view name) const;

  struct Content;
  std::unique_ptr<Content> content_;
};

/// The two names of a tensor of a Llama model.
struct GgufLlamaName {
  /// Hugging Face's name: "model.layers.0.self_attn.q_proj.weight".
  std::string name;
  /// The name in the file: "blk.0.attn_q.weight".
  std::string gguf_name;
  /// The number of heads whose rows the file has in another order, or 0. Hugging Face's models
  /// rotate the halves of a head, and those of GGUF rotate neighbours: rows 2j and 2j + 1 of a head
  /// of D rows are the rows j and j + D/2 of Hugging Face.
  std::int64_t heads = 0;
};

/// A GGUF file of the architecture llama, as Hugging Face's model of this kind: its config.json,
/// its names, and its order of rows.
///
/// Example:
///   const GgufFile file("model.gguf");
///   const GgufLlama llama(file);
///   std::int64_t layers = llama.config().get<std::int64_t>("num_hidden_layers");
///   for (const GgufLlamaName& name : llama.names()) state.insert(name.name,
///   llama.read(name.name));
class TERN_API GgufLlama {
 public:
  /// `file` must outlive this object. Throws FileError for another architecture, for a missing or
  /// wrong key, and for tensors that Hugging Face's model does not have, such as experts.
  explicit GgufLlama(const GgufFile& file);

  /// Returns the content of Hugging Face's config.json. Numbers that the file has as float32 are
  /// the shortest decimals that stand for them, such as 1e-05.
  const State& config() const { return config_; }
  /// Returns the names of all tensors in the order of the file.
  const std::vector<GgufLlamaName>& names() const { return names_; }
  /// Reads the tensor with Hugging Face's name, with its rows in Hugging Face's order. `dtype` and
  /// errors as GgufFile::read().
  Tensor read(std::string_view name, std::optional<ScalarType> dtype = std::nullopt) const;
  /// Reads the blocks of the tensor with Hugging Face's name, with the rows in Hugging Face's
  /// order. Errors as GgufFile::read_blocks().
  GgufBlocks read_blocks(std::string_view name) const;

 private:
  const GgufLlamaName& find(std::string_view name) const;
  void add_names(std::int64_t layers, std::int64_t heads, std::int64_t key_value_heads);
  void add_rope(std::int64_t head_dim, double theta);

  const GgufFile* file_;
  State config_;
  std::vector<GgufLlamaName> names_;
};

}  // namespace tern
