#include "run.h"

void save_checkpoint(const Run& run) {
  tern::State state;
  state.insert("vae", run.vae->state_dict());
  state.insert("adam", run.adam.state_dict());
  state.insert("generator", tern::generator_state(tern::default_generator(tern::kCPU)));
  if (run.device.is_cuda()) {
    state.insert("cuda_generator", tern::generator_state(tern::default_generator(run.device)));
  }
  tern::State losses = tern::State::list();
  for (const auto& row : run.losses) losses.push_back(tern::State::list({row.begin(), row.end()}));
  state.insert("losses", losses);
  tern::save(state, run.file("checkpoint.json"), {.base64 = true});
}

void load_checkpoint(Run& run, const std::string& path) {
  const tern::State state = tern::load_state(path);
  TERN_CHECK(state.is_dict() && state.contains("adam"), tern::FileError, path,
             " is not a checkpoint of this program");
  run.vae->load_state_dict(state["vae"]);
  run.adam.load_state_dict(state["adam"]);
  tern::set_generator_state(tern::default_generator(tern::kCPU), state["generator"]);
  if (run.device.is_cuda() && state.contains("cuda_generator")) {
    tern::set_generator_state(tern::default_generator(run.device), state["cuda_generator"]);
  }
  for (const tern::State& row : state["losses"].elements()) {
    run.losses.emplace_back();
    for (const tern::State& value : row.elements()) run.losses.back().push_back(value.to<double>());
  }
}

tern::train::CsvLog open_losses(const Run& run) {
  tern::train::CsvLog log(run.file("losses.csv"), {"epoch", "train", "test"}, /*append=*/false);
  for (const std::vector<double>& row : run.losses) log_losses(log, row);
  return log;
}

void log_losses(tern::train::CsvLog& log, const std::vector<double>& row) {
  log.row({{"epoch", row[0]}, {"train", row[1]}, {"test", row[2]}});
}

void draw_losses(const Run& run) {
  tern::train::Chart chart{"Loss of the autoencoder",
                           "epoch",
                           "loss per image (nats)",
                           {{"train", {}, {}}, {"test", {}, {}}}};
  for (const std::vector<double>& row : run.losses) {
    for (std::size_t i : {0, 1}) {
      chart.series[i].x.push_back(row[0]);
      chart.series[i].y.push_back(row[i + 1]);
    }
  }
  tern::train::save_chart(chart, run.file("loss.svg"));
}
