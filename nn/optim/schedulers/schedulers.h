#pragma once

// Includes all headers of learning rate schedulers.

#include <tern/nn/optim/schedulers/cosine.h>
#include <tern/nn/optim/schedulers/cyclic.h>
#include <tern/nn/optim/schedulers/decay.h>
#include <tern/nn/optim/schedulers/lambda.h>
#include <tern/nn/optim/schedulers/plateau.h>
#include <tern/nn/optim/schedulers/ramp.h>
#include <tern/nn/optim/schedulers/scheduler.h>
#include <tern/nn/optim/schedulers/sequence.h>
#include <tern/nn/optim/schedulers/swa.h>
