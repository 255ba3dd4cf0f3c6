#include <torch/torch.h>

#include <iostream>
#include <set>
#include <sstream>

namespace samplers = torch::data::samplers;

// Samplers one by one.
int main() {
  samplers::SequentialSampler sequential(5);
  std::cout << *sequential.next(3) << "\n"
            << *sequential.next(3) << "\n"
            << sequential.next(1).has_value() << "\n";
  sequential.reset();
  std::cout << *sequential.next(2) << sequential.index() << "\n";
  sequential.reset(2);
  std::cout << *sequential.next(10) << "\n";
  torch::manual_seed(0);
  samplers::RandomSampler random(6);
  auto first = *random.next(6);
  std::cout << std::set<size_t>(first.begin(), first.end()).size() << random.index() << "\n";
  random.reset();
  std::cout << *random.next(3) << "\n";
  std::stringstream stream;
  torch::save(random, stream);
  samplers::RandomSampler copy(1);
  torch::load(copy, stream);
  std::cout << copy.index() << (*copy.next(3) == *random.next(3)) << "\n";
  samplers::DistributedSequentialSampler part(10, 3, 1, false);
  std::cout << *part.next(10) << "\n";
  samplers::DistributedRandomSampler shuffled(8, 2, 0);
  shuffled.set_epoch(1);
  shuffled.reset();
  std::cout << shuffled.next(8)->size() << shuffled.epoch() << "\n";
  samplers::StreamSampler stream_sampler(5);
  std::cout << stream_sampler.next(3)->size() << stream_sampler.next(3)->size()
            << stream_sampler.next(1).has_value() << "\n";
}
