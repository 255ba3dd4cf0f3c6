#include <tern/train/tensorboard/tensorboard.h>

#include <tern/core/base/error.h>

namespace tern::train {

TensorBoard::TensorBoard(std::string log_dir, TensorBoardOptions options)
    : log_dir_(std::move(log_dir)), options_(options) {
  TERN_CHECK(!log_dir_.empty(), Error, "TensorBoard: the name of the folder is empty");
  TERN_CHECK(options_.every_steps >= 0, Error,
             "TensorBoard: every_steps should not be negative, got ", options_.every_steps);
}

void TensorBoard::on_fit_begin(Run& /*run*/) {
  writer_ = std::make_shared<SummaryWriter>(log_dir_);
}

void TensorBoard::on_step_end(Run& run) {
  if (options_.every_steps == 0 || run.step() % options_.every_steps != 0) return;
  writer_->add_scalar("step/loss", run.loss(), run.step());
  writer_->add_scalar("step/lr", run.optimizer().param_groups()[0].options().get_lr(), run.step());
}

void TensorBoard::on_epoch_end(Run& run) {
  for (const auto& [name, value] : run.numbers()) writer_->add_scalar(name, value, run.epoch());
  if (!options_.histograms) return;
  for (const auto& [name, parameter] : run.model().named_parameters()) {
    writer_->add_histogram(name, parameter.detach(), run.epoch());
  }
}

void TensorBoard::on_fit_end(Run& /*run*/) { writer_->close(); }

}  // namespace tern::train
