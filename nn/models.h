#pragma once

// Networks for images with torchvision's names, keys and initial values, and language models with
// Hugging Face's: a file of weights that these libraries saved loads with strict = true. tern.h
// does not include this header.
//
// Example:
//   auto net = tern::models::resnet18();
//   tern::load(net, "resnet18.pth");  // torch.save(model.state_dict(), "resnet18.pth")
//   net->eval();

#include <tern/nn/models/alexnet.h>
#include <tern/nn/models/bert.h>
#include <tern/nn/models/gpt2.h>
#include <tern/nn/models/lenet.h>
#include <tern/nn/models/llama.h>
#include <tern/nn/models/mobilenet_v2.h>
#include <tern/nn/models/resnet.h>
#include <tern/nn/models/unet.h>
#include <tern/nn/models/vgg.h>
