#pragma once

// Includes the headers for images, other files and chunks, which tern.h does not include.

#include <tern/nn/data/csv.h>
#include <tern/nn/data/datasets/chunk.h>
#include <tern/nn/data/datasets/cifar.h>
#include <tern/nn/data/datasets/image_folder.h>
#include <tern/nn/data/datasets/text_lines.h>
#include <tern/nn/data/image_file.h>
#include <tern/nn/data/transforms/functional.h>
#include <tern/nn/data/transforms/image.h>
