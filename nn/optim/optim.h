#pragma once

// Includes all headers of optimizers.

#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/adamw.h>
#include <tern/nn/optim/optimizer.h>
#include <tern/nn/optim/rmsprop.h>
#include <tern/nn/optim/schedulers/schedulers.h>
#include <tern/nn/optim/sgd.h>
