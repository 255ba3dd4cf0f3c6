#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <tern/train/callback.h>
#include <tern/train/tensorboard/summary_writer.h>

namespace tern::train {

/// Options of TensorBoard.
struct TensorBoardOptions {
  /// The number of steps between two writes of "step/loss" and "step/lr"; 0 for none.
  std::int64_t every_steps = 0;
  /// True: each epoch also writes a histogram of every parameter under its name.
  bool histograms = false;
};

/// Writes the numbers of each epoch for TensorBoard, each under its name and with the number of the
/// epoch as its step. Every fit() writes a new file into the folder; the file of a training that
/// continues from a checkpoint continues the curves.
///
/// Example:
///   train::TensorBoard("runs/wide", {.every_steps = 10})
class TERN_API TensorBoard : public Callback {
 public:
  /// Throws Error for an empty folder name and for negative every_steps.
  explicit TensorBoard(std::string log_dir, TensorBoardOptions options = {});
  void on_fit_begin(Run& run) override;
  void on_step_end(Run& run) override;
  void on_epoch_end(Run& run) override;
  void on_fit_end(Run& run) override;
  bool is_report() const override { return true; }

 private:
  std::string log_dir_;
  TensorBoardOptions options_;
  std::shared_ptr<SummaryWriter> writer_;
};

}  // namespace tern::train
