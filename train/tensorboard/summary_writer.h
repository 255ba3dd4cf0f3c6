#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/strict.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/module.h>

namespace tern::train {

/// A number, a text or a bool: the value of a hyperparameter.
class TERN_API HParam {
 public:
  /// Takes a number.
  template <tern::detail::NumberArgument T>
  HParam(T number) : number_(static_cast<double>(number)) {}
  /// Takes a bool.
  template <class T>
  requires std::is_same_v<T, bool> HParam(T flag) : kind_(Kind::Bool), number_(flag) {}
  /// Takes a text.
  HParam(std::string text) : kind_(Kind::Text), text_(std::move(text)) {}
  HParam(const char* text) : HParam(std::string(text)) {}

 private:
  friend class SummaryWriter;
  enum class Kind : std::int8_t { Number, Bool, Text };

  Kind kind_ = Kind::Number;
  double number_ = 0;
  std::string text_;
};

/// Writes event files for TensorBoard, with the functions of PyTorch's SummaryWriter. `tensorboard
/// --logdir runs` shows the results of all folders in runs.
///
/// Every call appends one event to the file, or none if it throws; nothing is held back. Several
/// threads may call the same writer. Steps need not be in order. A `walltime` is the time of the
/// event in seconds since 1970; the current time without one.
///
/// Throws: FileError if a file cannot be written; Error for an empty tag and after close().
///
/// Example:
///   train::SummaryWriter writer("runs/vae");
///   writer.add_scalar("loss/train", loss, step);
///   writer.add_images("samples", samples, step);
///   writer.add_graph(net, tern::zeros({1, 784}));
class TERN_API SummaryWriter {
 public:
  /// The time of an event, or none.
  using WallTime = std::optional<double>;

  /// Creates the folder, with those above it, and a new file
  /// events.out.tfevents.TIME.HOST.PROCESS.NUMBER, which ends in `filename_suffix`.
  explicit SummaryWriter(std::string log_dir, const std::string& filename_suffix = "");
  /// Closes the files.
  ~SummaryWriter();
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;

  /// Writes a number as float32.
  void add_scalar(const std::string& tag, StrictNumber value, StrictInt step = 0,
                  WallTime walltime = std::nullopt);
  /// Writes a tensor of one element. Waits for its device.
  void add_scalar(const std::string& tag, const Tensor& value, StrictInt step = 0,
                  WallTime walltime = std::nullopt);
  /// Writes several numbers that TensorBoard shows in one chart: each into a file of its own in the
  /// folder LOG_DIR/TAG_NAME, as PyTorch does.
  void add_scalars(const std::string& tag,
                   const std::vector<std::pair<std::string, double>>& values, StrictInt step = 0,
                   WallTime walltime = std::nullopt);
  /// Writes an image as PNG. Floating values from 0 to 1, or uint8 or bool; see save_image().
  ///
  /// Shape: [C, H, W] with 1 to 4 channels, or the order of the letters in `dataformats`: "HWC" or
  /// "HW"
  /// Throws: ShapeError and DTypeError for another tensor, Error for other letters.
  void add_image(const std::string& tag, const Tensor& image, StrictInt step = 0,
                 WallTime walltime = std::nullopt, const std::string& dataformats = "CHW");
  /// Writes a batch as one picture with up to 8 images in a row.
  ///
  /// Shape: [N, C, H, W], or the order of the letters in `dataformats`: "NHWC"
  /// Throws: ShapeError and DTypeError for another tensor, Error for other letters.
  void add_images(const std::string& tag, const Tensor& images, StrictInt step = 0,
                  WallTime walltime = std::nullopt, const std::string& dataformats = "NCHW");
  /// Writes how often values occur, in PyTorch's default bins, which grow by a tenth each. Leaves
  /// out NaN and infinities. Throws Error if no finite value remains.
  void add_histogram(const std::string& tag, const Tensor& values, StrictInt step = 0,
                     WallTime walltime = std::nullopt);
  /// Writes a text, which TensorBoard shows as Markdown.
  void add_text(const std::string& tag, const std::string& text, StrictInt step = 0,
                WallTime walltime = std::nullopt);

  /// Writes the graph of a model: one node for each call of a layer, that is of a module without
  /// submodules, with edges to the calls whose results it uses. Ops between layers are not shown.
  ///
  /// Calls the model in evaluation mode on the inputs. Afterwards its modes, its gradients and the
  /// default generators are as before. The edges come from the autograd graph; where it has none,
  /// because a result requires no gradient, an edge leads to the call before. Layers must be called
  /// through their holders.
  ///
  /// Throws: what the model throws.
  template <class M, class... Inputs>
  requires(std::is_convertible_v<const Inputs&, const Tensor&>&&...) void add_graph(
      const M& model, const Inputs&... inputs) {
    add_graph(*model, {inputs...}, [&](const std::vector<Tensor>& given) {
      call_model(model, given, std::index_sequence_for<Inputs...>());
    });
  }
  /// Writes the graph of a module that `call` calls with the inputs that it gets.
  void add_graph(nn::Module& module, const std::vector<Tensor>& inputs,
                 const std::function<void(const std::vector<Tensor>&)>& call);

  /// Writes hyperparameters and the metrics that they led to, as a run of its own in the folder
  /// LOG_DIR/run_name; without a name, the current time. TensorBoard compares the runs in a table.
  void add_hparams(const std::vector<std::pair<std::string, HParam>>& hparams,
                   const std::vector<std::pair<std::string, double>>& metrics,
                   const std::string& run_name = "", StrictInt step = 0);

  /// Waits until all events are on the disk.
  void flush();
  /// Syncs and closes the files. Later calls except close() throw Error.
  void close();

  /// Returns the folder as given.
  const std::string& log_dir() const;
  /// Returns the path of the file, not of those of add_scalars() and add_hparams().
  const std::string& path() const;

 private:
  struct Files;

  template <class M, std::size_t... I>
  static void call_model(const M& model, const std::vector<Tensor>& inputs,
                         std::index_sequence<I...>) {
    model(inputs[I]...);
  }

  std::unique_ptr<Files> files_;
};

}  // namespace tern::train
