#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/adamw.h>
#include <tern/nn/optim/sgd.h>

// The names under which options and states are saved, and the code that is made of them, once here
// instead of in every program.

namespace tern::optim {

auto AdamOptions::fields() {
  return std::make_tuple(
      std::pair("lr", &AdamOptions::lr_), std::pair("betas", &AdamOptions::betas_),
      std::pair("eps", &AdamOptions::eps_), std::pair("weight_decay", &AdamOptions::weight_decay_),
      std::pair("amsgrad", &AdamOptions::amsgrad_), std::pair("maximize", &AdamOptions::maximize_),
      std::pair("capturable", &AdamOptions::capturable_));
}

template class OptimizerCloneableOptions<AdamOptions>;

auto AdamParamState::fields() {
  return std::make_tuple(std::pair("step", &AdamParamState::step_),
                         std::pair("exp_avg", &AdamParamState::exp_avg_),
                         std::pair("exp_avg_sq", &AdamParamState::exp_avg_sq_),
                         std::pair("max_exp_avg_sq", &AdamParamState::max_exp_avg_sq_));
}

template class OptimizerCloneableParamState<AdamParamState>;

auto AdamWOptions::fields() {
  return std::make_tuple(std::pair("lr", &AdamWOptions::lr_),
                         std::pair("betas", &AdamWOptions::betas_),
                         std::pair("eps", &AdamWOptions::eps_),
                         std::pair("weight_decay", &AdamWOptions::weight_decay_),
                         std::pair("amsgrad", &AdamWOptions::amsgrad_),
                         std::pair("maximize", &AdamWOptions::maximize_),
                         std::pair("capturable", &AdamWOptions::capturable_));
}

template class OptimizerCloneableOptions<AdamWOptions>;

auto SGDOptions::fields() {
  return std::make_tuple(
      std::pair("lr", &SGDOptions::lr_), std::pair("momentum", &SGDOptions::momentum_),
      std::pair("dampening", &SGDOptions::dampening_),
      std::pair("weight_decay", &SGDOptions::weight_decay_),
      std::pair("nesterov", &SGDOptions::nesterov_), std::pair("maximize", &SGDOptions::maximize_));
}

template class OptimizerCloneableOptions<SGDOptions>;
auto SGDParamState::fields() {
  return std::make_tuple(std::pair("momentum_buffer", &SGDParamState::momentum_buffer_));
}

template class OptimizerCloneableParamState<SGDParamState>;

}  // namespace tern::optim
