// Learns to tell whether a review is negative, mixed or positive: an LSTM reads it word by word.
// The reviews have different lengths; packed, each ends at its last word, without padding. What a
// word is worth depends on the words before it: "the food was not bad but nobody found the staff
// pleasant" is mixed.
//
//   sentence_classes                    learns from reviews that it makes itself
//   sentence_classes --shuffle          the same with the words of each review in random order
//   sentence_classes --sentence TEXT    also judges this review, made of the words that it knows
//
//   [--epochs 8] [--sentences 1000] [--batch-size 32] [--hidden 64] [--lr 0.005] [--seed 1]
//   [--threads N] [--device cpu|cuda|cuda:N] [--disable-cuda] [--out out/sentence_classes]
//   [--save FILE]
//
// It prints probabilities of ten new reviews and draws the confusion of the classes to
// confusion.svg in --out. Expected with the defaults, in about a second: more than 0.98 of 1,000
// new reviews are judged correctly; with --shuffle, less than 0.6.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tern/train/train.h>

#include "support/command_line.h"
#include "support/random.h"

namespace {

namespace data = tern::data;
namespace nn = tern::nn;
namespace rnn = tern::nn::utils::rnn;
using tern::Tensor;
using Words = std::vector<std::string>;

struct Arguments {
  int epochs = 8, threads = 0;
  std::int64_t sentences = 1000, batch_size = 32, hidden = 64;
  double lr = 0.005;
  std::uint64_t seed = 1;
  bool shuffle = false;
  tern::Device device = tern::kCPU;
  std::string sentence, out = "out/sentence_classes", save;
};

const Words kClasses = {"negative", "mixed", "positive"};
constexpr std::int64_t kTestSentences = 1000;

const Words kThings = {"food", "room", "staff", "music", "view", "film", "plot", "service"};
const Words kGood = {"good", "lovely", "great", "charming", "pleasant", "perfect"};
const Words kBad = {"bad", "awful", "poor", "dull", "annoying", "horrible"};
const Words kDegrees = {"", "", "very ", "really ", "quite "};
const Words kJoints = {" and ", " but ", " while "};

/// Clauses about a thing T with an adjective A: those that mean it, and those that deny it.
const Words kClauses = {"the T was A", "the T is A", "everybody found the T A",
                        "nobody doubted that the T was A"};
const Words kDenials = {"the T was not A", "the T was anything but A", "nobody found the T A",
                        "they said that the T was A but it was not"};

Words split(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

const std::string& any_of(const Words& words, support::Random& random) {
  return words[static_cast<std::size_t>(random.between(0, static_cast<int>(words.size()) - 1))];
}

std::string make_clause(bool is_positive, support::Random& random) {
  const bool is_denial = random.between(0, 1) == 1;
  std::string clause;
  for (const char letter : any_of(is_denial ? kDenials : kClauses, random)) {
    if (letter == 'T') {
      clause += any_of(kThings, random);
    } else if (letter == 'A') {
      clause += any_of(kDegrees, random);
      clause += any_of(is_positive != is_denial ? kGood : kBad, random);
    } else {
      clause += letter;
    }
  }
  return clause;
}

struct Review {
  Words words;
  std::int64_t label;  // an index of kClasses
};

/// Returns one clause, or up to three that are all positive, all negative or some of each.
Review make_review(support::Random& random) {
  const std::int64_t label = random.between(0, 2);
  const int clauses = random.between(label == 1 ? 2 : 1, 3);
  const int odd_one = random.between(0, clauses - 1);
  const bool odd_is_negative = random.between(0, 1) == 1;
  std::string text;
  for (int i = 0; i < clauses; ++i) {
    if (i > 0) text += any_of(kJoints, random);
    text += make_clause(label == 1 ? (i == odd_one) != odd_is_negative : label == 2, random);
  }
  return {split(text), label};
}

/// All words of the reviews, sorted.
const Words& vocabulary() {
  static const Words words = [] {
    std::set<std::string> found;
    for (const Words& texts : {kThings, kGood, kBad, kDegrees, kJoints, kClauses, kDenials}) {
      for (const std::string& text : texts) {
        for (const std::string& word : split(text)) found.insert(word);
      }
    }
    found.erase("T");
    found.erase("A");
    return Words(found.begin(), found.end());
  }();
  return words;
}

Tensor encode(const Words& words) {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : words) {
    const auto at = std::lower_bound(vocabulary().begin(), vocabulary().end(), word);
    if (at == vocabulary().end() || *at != word) {
      std::string known;
      for (const std::string& other : vocabulary()) known += ' ' + other;
      throw std::runtime_error("--sentence has the word '" + word +
                               "', which the model does not know; it knows" + known);
    }
    numbers.push_back(at - vocabulary().begin());
  }
  return tern::tensor(numbers);
}

/// Reviews as numbers of words, int64 [length], and their classes.
struct Reviews : data::Dataset<Reviews> {
  explicit Reviews(std::vector<Review> its_reviews) : reviews(std::move(its_reviews)) {}

  data::Example<> get(std::size_t i) override {
    return {encode(reviews[i].words), tern::tensor(reviews[i].label)};
  }
  std::optional<std::size_t> size() const override { return reviews.size(); }

  std::vector<Review> reviews;
};

/// Returns `count` reviews, all different and none of them in `known`, which gets them.
Reviews make_reviews(std::int64_t count, std::set<Words>& known, bool shuffle,
                     support::Random& random) {
  std::vector<Review> reviews;
  while (std::ssize(reviews) < count) {
    Review review = make_review(random);
    if (!known.insert(review.words).second) continue;
    for (int i = static_cast<int>(review.words.size()) - 1; shuffle && i > 0; --i) {
      std::swap(review.words[static_cast<std::size_t>(i)],
                review.words[static_cast<std::size_t>(random.between(0, i))]);
    }
    reviews.push_back(std::move(review));
  }
  return Reviews(std::move(reviews));
}

/// Reads packed sequences of words; the state after the last word of each gives its class.
struct ClassifierImpl : nn::Module {
  explicit ClassifierImpl(std::int64_t hidden)
      : embedding(register_module("embedding", nn::Embedding(std::ssize(vocabulary()), 32))),
        lstm(register_module("lstm", nn::LSTM(32, hidden))),
        head(register_module("head", nn::Linear(hidden, std::ssize(kClasses)))) {}

  /// Returns scores [sequences, 3].
  Tensor forward(const rnn::PackedSequence& words) {
    const rnn::PackedSequence rows(embedding(words.data()), words.batch_sizes(),
                                   words.sorted_indices(), words.unsorted_indices());
    const auto [output, state] = lstm->forward_with_packed_input(rows);
    return head(std::get<0>(state)[-1]);
  }

  nn::Embedding embedding;
  nn::LSTM lstm;
  nn::Linear head;
};
TERN_MODULE(Classifier);

rnn::PackedSequence pack(const std::vector<Tensor>& sentences, const tern::Device& device) {
  return rnn::pack_sequence(sentences, /*enforce_sorted=*/false).to(device);
}

/// Returns the packed words of a batch, and its targets.
std::pair<rnn::PackedSequence, Tensor> collate(const std::vector<data::Example<>>& batch,
                                               const tern::Device& device) {
  std::vector<Tensor> sentences, targets;
  for (const data::Example<>& example : batch) {
    sentences.push_back(example.data);
    targets.push_back(example.target);
  }
  return {pack(sentences, device), tern::stack(targets).to(device)};
}

/// Prints a class with its probability, and the right class if it is another one.
void judge(Classifier& net, const Words& words, std::int64_t label, const tern::Device& device) {
  const Tensor probabilities = net(pack({encode(words)}, device)).softmax(1)[0];
  const auto found = probabilities.argmax().item<std::int64_t>();
  std::printf("%.3f %-8s", probabilities[found].item<double>(),
              kClasses[static_cast<std::size_t>(found)].c_str());
  for (const std::string& word : words) std::printf(" %s", word.c_str());
  const bool is_wrong = label >= 0 && found != label;
  std::printf("%s\n",
              is_wrong ? (" (" + kClasses[static_cast<std::size_t>(label)] + ')').c_str() : "");
}

void run(const Arguments& a) {
  if (a.threads > 0) tern::set_num_threads(a.threads);
  const Words sentence = split(a.sentence);
  encode(sentence);  // refuses it before the work
  support::Random random(a.seed);
  std::set<Words> known;
  const Reviews test = make_reviews(kTestSentences, known, a.shuffle, random);
  const Reviews train = make_reviews(a.sentences, known, a.shuffle, random);
  tern::manual_seed(a.seed);
  const auto options = data::DataLoaderOptions(static_cast<std::size_t>(a.batch_size));
  auto loader = data::make_data_loader(train, options);
  auto test_loader = data::make_data_loader<data::samplers::SequentialSampler>(test, options);
  Classifier net(a.hidden);
  net->to(a.device);
  tern::optim::Adam optimizer(net->parameters(), a.lr);
  std::filesystem::create_directories(a.out);
  tern::metrics::ConfusionMatrix confusion(std::ssize(kClasses));
  for (int epoch = 1; epoch <= a.epochs; ++epoch) {
    double total = 0;
    for (const auto& batch : *loader) {
      const auto [words, targets] = collate(batch, a.device);
      const Tensor loss = nn::functional::cross_entropy(net(words), targets);
      optimizer.zero_grad();
      loss.backward();
      nn::utils::clip_grad_norm_(net->parameters(), 1.0);
      optimizer.step();
      total += loss.item<double>() * static_cast<double>(batch.size());
    }
    const tern::NoGradGuard no_grad;
    confusion.reset();
    for (const auto& batch : *test_loader) {
      const auto [words, targets] = collate(batch, a.device);
      confusion.update(net(words), targets);
    }
    std::printf("epoch %d: loss %.4f, accuracy %.4f\n", epoch,
                total / static_cast<double>(a.sentences), confusion.accuracy().item<double>());
    std::fflush(stdout);
  }

  const tern::NoGradGuard no_grad;
  tern::train::save_confusion(
      confusion, a.out + "/confusion.svg",
      tern::train::ClassPictureOptions().labels(kClasses).title("New reviews"));
  for (std::size_t i = 0; i < 10; ++i) {
    judge(net, test.reviews[i].words, test.reviews[i].label, a.device);
  }
  if (!sentence.empty()) judge(net, sentence, -1, a.device);
  if (!a.save.empty()) tern::save(net, a.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  support::CommandLine line("Tells negative, mixed and positive reviews.", "sentence_classes");
  const support::Check count = support::whole(1, 1 << 20);
  line.option("--epochs", a.epochs, "8 unless said").check(count);
  line.option("--sentences", a.sentences, "reviews for training, 1000 unless said").check(count);
  line.option("--batch-size", a.batch_size, "32 unless said").check(count);
  line.option("--hidden", a.hidden, "size of the state, 64 unless said")
      .check(support::whole(1, 1 << 14));
  line.option("--lr", a.lr, "learning rate, 0.005 unless said").check(support::positive());
  line.option("--seed", a.seed, "1 unless said");
  line.option("--threads", a.threads, "threads of the cpu; one per core without")
      .check(support::thread_count(1));
  line.flag("--shuffle", a.shuffle, "put the words of each review in random order");
  line.device(a.device);
  line.option("--sentence", a.sentence, "a review to judge, too");
  line.option("--out", a.out, "folder for the picture, out/sentence_classes unless said")
      .check(support::output_folder());
  line.option("--save", a.save, "file for the weights").check(support::state_file());
  return line.run(argc, argv, [&] { run(a); });
}
