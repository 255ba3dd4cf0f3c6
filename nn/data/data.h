#pragma once

// Includes the headers of data loading that most programs need. Images, files and chunks are in
// <tern/nn/data/files.h>, which <tern/train/train.h> includes.

#include <tern/nn/data/data_loader.h>
#include <tern/nn/data/dataset.h>
#include <tern/nn/data/datasets/concat.h>
#include <tern/nn/data/datasets/mnist.h>
#include <tern/nn/data/datasets/shared.h>
#include <tern/nn/data/datasets/stateful.h>
#include <tern/nn/data/datasets/subset.h>
#include <tern/nn/data/datasets/tensor_dataset.h>
#include <tern/nn/data/example.h>
#include <tern/nn/data/idx.h>
#include <tern/nn/data/pin_memory.h>
#include <tern/nn/data/samplers.h>
#include <tern/nn/data/samplers/batch.h>
#include <tern/nn/data/samplers/distributed.h>
#include <tern/nn/data/samplers/drawn.h>
#include <tern/nn/data/samplers/stream.h>
#include <tern/nn/data/transforms.h>
#include <tern/nn/data/worker_info.h>
