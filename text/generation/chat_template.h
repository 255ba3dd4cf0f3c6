#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::text {

/// A turn of a conversation.
struct ChatMessage {
  /// "system", "user" or "assistant".
  std::string role;
  /// What was said.
  std::string content;
};

/// How a model was taught to see a conversation.
enum class ChatForm {
  /// `<|im_start|>user\n...<|im_end|>\n`: SmolLM2, Qwen2 and others.
  kChatML,
  /// `[INST] <<SYS>>\n...\n<</SYS>>\n\n... [/INST]`
  kLlama2,
  /// `<|start_header_id|>user<|end_header_id|>\n\n...<|eot_id|>`
  kLlama3,
  /// `[INST] ... [/INST]` without a system message.
  kMistral,
  /// `<start_of_turn>user\n...<end_of_turn>\n`
  kGemma,
  /// `<|user|>\n...</s>\n`: Zephyr, TinyLlama.
  kZephyr,
  /// `<|user|>\n...<|end|>\n`
  kPhi3
};

/// Writes conversations in the form of a model. The templates of files are programs in Jinja; tern
/// does not run them, but knows the usual ones by what they contain.
///
/// Example:
///   const auto chat = text::ChatTemplate::from_folder("smollm2");
///   const std::string prompt = chat.render({{"user", "What is 12 + 30?"}});
///   text::generate_text(*llama, tokenizer, prompt, options);  // with encoding.add_special_tokens
///                                                             // = false
class TERN_API ChatTemplate {
 public:
  /// Recognises the form of a template in Jinja. `bos` and `eos` are the texts of these tokens.
  /// Throws NotImplementedError for a template that is none of the usual ones.
  static ChatTemplate from_jinja(std::string_view source, std::string bos = "",
                                 std::string eos = "");
  /// Reads chat_template.jinja, or the template in tokenizer_config.json, of a folder. Throws
  /// FileError without them, and NotImplementedError as from_jinja() does.
  static ChatTemplate from_folder(const std::string& folder);
  /// Makes the usual template of a form.
  explicit ChatTemplate(ChatForm form, std::string bos = "", std::string eos = "");

  /// Returns the text of a conversation. With `add_generation_prompt` it ends where the assistant
  /// answers, if the template can do that. Throws Error for an unknown role, and for an order of
  /// roles that the form does not have.
  std::string render(const std::vector<ChatMessage>& messages,
                     bool add_generation_prompt = true) const;
  /// Returns the form.
  ChatForm form() const { return form_; }
  /// Returns the system message of conversations without one; empty if there is none.
  const std::string& default_system() const { return default_system_; }

 private:
  /// Whether the text ends where the assistant answers.
  enum class Answer { kIfAsked, kAlways, kNever };

  std::string turn(const ChatMessage& message) const;
  std::string instructions(const std::vector<ChatMessage>& messages) const;

  ChatForm form_;
  std::string bos_, eos_;
  std::string default_system_;
  Answer answer_ = Answer::kIfAsked;
  bool begins_with_bos_ = false;
  bool trims_ = false;
  bool joins_system_ = false;   // Gemma: the system message is a part of the first turn
  bool ends_with_eos_ = false;  // Phi-3, without a generation prompt
  std::string before_answer_, after_answer_;  // Mistral: around an answer and its end
};

}  // namespace tern::text
