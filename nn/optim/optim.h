#pragma once

// Includes all headers of optimizers and learning rate schedulers.

#include <tern/nn/optim/adadelta.h>
#include <tern/nn/optim/adafactor.h>
#include <tern/nn/optim/adagrad.h>
#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/adamax.h>
#include <tern/nn/optim/adamw.h>
#include <tern/nn/optim/asgd.h>
#include <tern/nn/optim/averaging/averaged_model.h>
#include <tern/nn/optim/lbfgs.h>
#include <tern/nn/optim/lion.h>
#include <tern/nn/optim/muon.h>
#include <tern/nn/optim/nadam.h>
#include <tern/nn/optim/optimizer.h>
#include <tern/nn/optim/radam.h>
#include <tern/nn/optim/rmsprop.h>
#include <tern/nn/optim/rprop.h>
#include <tern/nn/optim/schedulers/schedulers.h>
#include <tern/nn/optim/sgd.h>
