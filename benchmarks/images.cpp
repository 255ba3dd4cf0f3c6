#include <tern/train/train.h>

#include <chrono>
#include <cstdio>

#include "bench.h"

// Images per second from a folder of JPEG files: decoded, cut and resized at random, mirrored, as
// floats, normalised, in batches. peers/images.py makes the folder and runs this beside
// torchvision.
//
//   images FOLDER [WORKERS [BATCH]]

namespace {

namespace data = tern::data;
namespace transforms = data::transforms;

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "FOLDER [WORKERS [BATCH]]", 3, 1);
  const int workers = arguments.threads(2, 0);
  const int batch_size = arguments.number(3, 64, 1, 1 << 16);
  tern::set_num_threads(1);
  tern::manual_seed(0);
  const auto augment =
      transforms::Compose({transforms::RandomResizedCrop(224), transforms::RandomHorizontalFlip(),
                           transforms::ConvertImageDtype(),
                           transforms::Normalize<>({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225})});
  auto loader = data::make_data_loader(
      data::datasets::ImageFolder(argv[1]).map(augment).map(transforms::Stack<>()),
      data::DataLoaderOptions(static_cast<std::size_t>(batch_size)).workers(workers));
  std::int64_t count = 0;
  double sum = 0;
  const double spent = bench::nanoseconds([&] {
    for (const data::Example<>& batch : *loader) {
      count += batch.data.size(0);
      sum += batch.data[0][0][0][0].item<double>();
    }
  });
  std::printf("images per second, %d workers\t%.1f\t(%ld images, %g)\n", workers,
              static_cast<double>(count) / spent * 1e9, static_cast<long>(count), sum);
}
