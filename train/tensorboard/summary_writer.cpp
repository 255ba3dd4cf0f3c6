#include <tern/train/tensorboard/summary_writer.h>

#include <algorithm>
#include <map>
#include <mutex>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/train/picture/image.h>
#include <tern/train/tensorboard/detail/event_file.h>
#include <tern/train/tensorboard/detail/graph.h>
#include <tern/train/tensorboard/detail/summaries.h>

namespace tern::train {

using detail::EventFile;
using detail::Message;

struct SummaryWriter::Files {
  /// Returns the file of a run in the folder `log_dir`/`run`, which is created at its first event;
  /// the writer's own file for "".
  std::shared_ptr<EventFile> file_of(const std::string& run) {
    const std::lock_guard lock(mutex);
    TERN_CHECK(!closed, Error, "SummaryWriter: '", path, "' is closed");
    std::shared_ptr<EventFile>& file = runs[run];
    if (!file)
      file = std::make_shared<EventFile>(run.empty() ? log_dir : log_dir + "/" + run, suffix);
    return file;
  }

  void write(const std::string& run, const Message& value, std::int64_t step, WallTime time) {
    const Message event = detail::summary_event(value, step, time.value_or(detail::wall_time()));
    file_of(run)->write(event.bytes());
  }

  std::string log_dir, suffix;
  std::string path = {};
  std::mutex mutex = {};
  bool closed = false;
  std::map<std::string, std::shared_ptr<EventFile>> runs = {};
};

namespace {

void check_tag(const std::string& tag) {
  TERN_CHECK(!tag.empty(), Error, "SummaryWriter: expected a tag, got an empty text");
}

/// Returns the image with its dimensions in the order of the letters in `wanted`, where `formats`
/// has one letter for each dimension that it has.
Tensor arranged(const Tensor& image, const std::string& formats, const std::string& wanted) {
  TERN_CHECK(image.defined(), Error, "SummaryWriter: expected an image, got an undefined tensor");
  TERN_CHECK(image.dim() == std::ssize(formats), ShapeError,
             "SummaryWriter: expected an image of dimensions ", formats, ", got sizes ",
             image.sizes());
  std::vector<std::int64_t> order;
  for (const char letter : wanted) {
    const std::size_t at = formats.find(letter);
    TERN_CHECK(at != std::string::npos, Error, "SummaryWriter: dataformats must have the letters ",
               wanted, ", got ", formats);
    order.push_back(static_cast<std::int64_t>(at));
  }
  return image.detach().permute(order);
}

/// Returns the text as the name of a folder.
std::string folder_name(std::string text) {
  std::ranges::replace(text, '/', '_');
  return text;
}

}  // namespace

SummaryWriter::SummaryWriter(std::string log_dir, const std::string& filename_suffix)
    : files_(new Files{std::move(log_dir), filename_suffix}) {
  TERN_CHECK(!files_->log_dir.empty(), Error,
             "SummaryWriter: expected a folder, got an empty text");
  TERN_CHECK(filename_suffix.find('/') == std::string::npos, Error,
             "SummaryWriter: filename_suffix must be part of a name, got '", filename_suffix, "'");
  files_->path = files_->file_of("")->path();
}

SummaryWriter::~SummaryWriter() = default;

void SummaryWriter::add_scalar(const std::string& tag, StrictNumber value, StrictInt step,
                               WallTime walltime) {
  check_tag(tag);
  files_->write("", detail::scalar_value(tag, static_cast<float>(value)), step, walltime);
}

void SummaryWriter::add_scalar(const std::string& tag, const Tensor& value, StrictInt step,
                               WallTime walltime) {
  TERN_CHECK(value.numel() == 1, ShapeError, "SummaryWriter: add_scalar: '", tag,
             "' must have one element, got sizes ", value.sizes());
  add_scalar(tag, value.item<double>(), step, walltime);
}

void SummaryWriter::add_scalars(const std::string& tag,
                                const std::vector<std::pair<std::string, double>>& values,
                                StrictInt step, WallTime walltime) {
  check_tag(tag);
  for (const auto& [name, value] : values) {
    files_->write(folder_name(tern::detail::text_of(tag, "_", name)),
                  detail::scalar_value(tag, static_cast<float>(value)), step, walltime);
  }
}

void SummaryWriter::add_image(const std::string& tag, const Tensor& image, StrictInt step,
                              WallTime walltime, const std::string& dataformats) {
  check_tag(tag);
  const bool is_grey = dataformats.size() == 2;
  Tensor picture = arranged(image, dataformats, is_grey ? "HW" : "CHW");
  if (is_grey) picture = picture.unsqueeze(0);
  files_->write("", detail::image_value(tag, picture), step, walltime);
}

void SummaryWriter::add_images(const std::string& tag, const Tensor& images, StrictInt step,
                               WallTime walltime, const std::string& dataformats) {
  check_tag(tag);
  const Tensor batch = arranged(images, dataformats, "NCHW");
  const Tensor grid = make_grid(batch, GridOptions().padding(0));
  files_->write("", detail::image_value(tag, grid), step, walltime);
}

void SummaryWriter::add_histogram(const std::string& tag, const Tensor& values, StrictInt step,
                                  WallTime walltime) {
  check_tag(tag);
  files_->write("", detail::histogram_value(tag, values), step, walltime);
}

void SummaryWriter::add_text(const std::string& tag, const std::string& text, StrictInt step,
                             WallTime walltime) {
  check_tag(tag);
  files_->write("", detail::text_value(tag, text), step, walltime);
}

void SummaryWriter::add_graph(nn::Module& module, const std::vector<Tensor>& inputs,
                              const std::function<void(const std::vector<Tensor>&)>& call) {
  const auto file = files_->file_of("");  // throws before the model runs
  const Message graph = detail::graph_of(module, inputs, call);
  file->write(Message().real(1, detail::wall_time()).text(4, graph.bytes()).bytes());
}

void SummaryWriter::add_hparams(const std::vector<std::pair<std::string, HParam>>& hparams,
                                const std::vector<std::pair<std::string, double>>& metrics,
                                const std::string& run_name, StrictInt step) {
  const double time = detail::wall_time();
  const std::string run =
      run_name.empty() ? std::to_string(static_cast<long long>(time * 1e6)) : run_name;
  // Fields as in hparams/api.proto and hparams/plugin_data.proto of TensorBoard.
  Message experiment, start;
  for (const auto& [name, value] : hparams) {
    Message content;  // google.protobuf.Value
    if (value.kind_ == HParam::Kind::Text) {
      content.text(3, value.text_);
    } else if (value.kind_ == HParam::Kind::Bool) {
      content.integer(4, value.number_ != 0 ? 1 : 0);
    } else {
      content.real(2, value.number_);
    }
    const int type = value.kind_ == HParam::Kind::Text   ? 1
                     : value.kind_ == HParam::Kind::Bool ? 2
                                                         : 3;
    start.message(1, Message().text(1, name).message(2, content));
    experiment.message(4, Message().text(1, name).integer(4, type));
  }
  for (const auto& [name, value] : metrics) {
    experiment.message(5, Message().message(1, Message().text(2, name)));
  }
  start.real(5, time);
  constexpr int kSuccess = 1;
  const Message end = Message().integer(1, kSuccess).real(2, time);
  const auto write = [&](const char* tag, std::uint32_t field, const Message& content) {
    const Message data = Message().integer(1, 0).message(field, content);
    files_->write(run, detail::plugin_value(tag, "hparams", data), step, time);
  };
  write("_hparams_/experiment", 2, experiment);
  write("_hparams_/session_start_info", 3, start);
  write("_hparams_/session_end_info", 4, end);
  for (const auto& [name, value] : metrics) {
    check_tag(name);
    files_->write(run, detail::scalar_value(name, static_cast<float>(value)), step, time);
  }
}

void SummaryWriter::flush() {
  files_->file_of("");
  std::vector<std::shared_ptr<EventFile>> files;
  {
    const std::lock_guard lock(files_->mutex);
    for (const auto& [run, file] : files_->runs) files.push_back(file);
  }
  for (const auto& file : files) {
    if (file) file->sync();
  }
}

void SummaryWriter::close() {
  {
    const std::lock_guard lock(files_->mutex);
    if (files_->closed) return;
  }
  flush();
  const std::lock_guard lock(files_->mutex);
  files_->closed = true;
  files_->runs.clear();
}

const std::string& SummaryWriter::log_dir() const { return files_->log_dir; }
const std::string& SummaryWriter::path() const { return files_->path; }

}  // namespace tern::train
