#pragma once

// torch::data where its rules are not those of tern::data: loaders, and what has save() and load().

#include <tern/compat/names/data/data_loader.h>
#include <tern/compat/names/data/datasets.h>
