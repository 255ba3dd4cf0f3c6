#include <tern/text/generation/chat_template.h>

#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/text/generation/detail/language_files.h>

namespace tern::text {
namespace {

struct Form {
  ChatForm form;
  const char* name;
  std::vector<std::string_view> has;    // a template of this form has all of these
  std::vector<std::string_view> lacks;  // and none of these, which other forms have
  std::string_view answer;              // begins an answer
};

const std::vector<Form>& forms() {
  static const std::vector<Form> table = {
      {ChatForm::kChatML,
       "ChatML",
       {"<|im_start|>", "<|im_end|>"},
       {"<|im_sep|>"},
       "<|im_start|>assistant"},
      {ChatForm::kLlama3,
       "Llama 3",
       {"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"},
       {"time_now", "date_string", "Cutting Knowledge"},
       "<|start_header_id|>assistant"},
      {ChatForm::kLlama2, "Llama 2", {"[INST]", "<<SYS>>"}, {"DEFAULT"}, ""},
      {ChatForm::kMistral,
       "Mistral",
       {"[INST]", "[/INST]", "eos_token"},
       {"<<SYS>>", "[AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "system_message"},
       ""},
      {ChatForm::kGemma, "Gemma", {"<start_of_turn>", "<end_of_turn>"}, {}, "<start_of_turn>model"},
      {ChatForm::kPhi3,
       "Phi-3",
       {"<|user|>", "<|assistant|>", "<|end|>"},
       {"<|endoftext|>"},
       "<|assistant|>"},
      {ChatForm::kZephyr,
       "Zephyr",
       {"<|user|>", "<|assistant|>", "eos_token"},
       {"<|end|>"},
       "<|assistant|>"},
  };
  return table;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_form(const Form& form, std::string_view source) {
  const auto is_in = [&](std::string_view part) { return contains(source, part); };
  return std::ranges::all_of(form.has, is_in) && std::ranges::none_of(form.lacks, is_in);
}

/// Returns the text without white space at both ends, as Jinja's trim does for ASCII.
std::string trimmed(const std::string& text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Returns the system message that a ChatML template writes in a literal: between
/// `<|im_start|>system\n` and `<|im_end|>`, or the first literal behind that.
std::string system_literal(std::string_view source) {
  for (const std::string_view begin : {"<|im_start|>system\\n", "<|im_start|>system\n"}) {
    for (std::size_t at = source.find(begin); at != std::string_view::npos;
         at = source.find(begin, at + 1)) {
      const std::string_view rest = source.substr(at + begin.size());
      const std::size_t end = rest.find("<|im_end|>");
      const std::string_view text = rest.substr(0, std::min(end, rest.size()));
      if (end == std::string_view::npos || text.empty()) continue;
      if (contains(text, "'") || contains(text, "\"") || contains(text, "{{")) continue;
      std::string plain(text);
      for (std::size_t i; (i = plain.find("\\n")) != std::string::npos;) plain.replace(i, 2, "\n");
      return plain;
    }
  }
  return "";
}

void check_alternation(const std::vector<ChatMessage>& messages, std::size_t first) {
  for (std::size_t i = first; i < messages.size(); ++i) {
    const char* const expected = (i - first) % 2 == 0 ? "user" : "assistant";
    TERN_CHECK(messages[i].role == expected, Error,
               "text::ChatTemplate: roles must alternate user, assistant, user, ...: message ", i,
               " must be of the ", expected, ", got ", messages[i].role);
  }
}

}  // namespace

ChatTemplate::ChatTemplate(ChatForm form, std::string bos, std::string eos)
    : form_(form), bos_(std::move(bos)), eos_(std::move(eos)) {
  begins_with_bos_ = form == ChatForm::kLlama3 || form == ChatForm::kGemma;
  trims_ = form == ChatForm::kLlama2 || form == ChatForm::kLlama3 || form == ChatForm::kGemma;
  joins_system_ = form == ChatForm::kGemma;
  if (form == ChatForm::kLlama2 || form == ChatForm::kMistral) answer_ = Answer::kNever;
}

ChatTemplate ChatTemplate::from_jinja(std::string_view source, std::string bos, std::string eos) {
  const auto found =
      std::ranges::find_if(forms(), [&](const Form& form) { return is_form(form, source); });
  if (found == forms().end()) {
    std::string names;
    for (const Form& form : forms()) names += (names.empty() ? "" : ", ") + std::string(form.name);
    throw NotImplementedError(detail::text_of(
        "text::ChatTemplate: this chat template is none of those that tern knows (", names,
        "): write the prompt yourself, or choose a form: ChatTemplate(ChatForm::kChatML); it "
        "begins with '",
        source.substr(0, 80), "'"));
  }
  ChatTemplate result(found->form, std::move(bos), std::move(eos));
  const bool writes_bos = contains(source, "bos_token");
  result.trims_ = contains(source, "trim") || contains(source, ".strip()");
  switch (found->form) {
    case ChatForm::kChatML:
      result.default_system_ = system_literal(source);
      result.begins_with_bos_ = writes_bos;
      break;
    case ChatForm::kLlama2:
      break;
    case ChatForm::kMistral:
      if (contains(source, "eos_token + ' '") || contains(source, "eos_token + \" \"")) {
        result.after_answer_ = " ";
      }
      if (contains(source, "' ' + message") || contains(source, "\" \" + message")) {
        result.before_answer_ = " ";
      }
      break;
    case ChatForm::kGemma:
      result.joins_system_ = contains(source, "first_user_prefix");
      [[fallthrough]];
    case ChatForm::kLlama3:
    case ChatForm::kZephyr:
      result.begins_with_bos_ = writes_bos;
      break;
    case ChatForm::kPhi3:
      result.begins_with_bos_ = writes_bos;
      result.ends_with_eos_ = contains(source, "eos_token");
      break;
  }
  if (result.answer_ == Answer::kIfAsked && !contains(source, "add_generation_prompt")) {
    result.answer_ = contains(source, found->answer) && found->form != ChatForm::kZephyr &&
                             found->form != ChatForm::kPhi3
                         ? Answer::kAlways
                         : Answer::kNever;
  }
  return result;
}

ChatTemplate ChatTemplate::from_folder(const std::string& folder) {
  ChatFiles files = read_chat_files(folder);
  TERN_CHECK(!files.source.empty(), FileError, folder,
             ": has no chat template, neither chat_template.jinja nor \"chat_template\" in "
             "tokenizer_config.json");
  return from_jinja(files.source, std::move(files.bos), std::move(files.eos));
}

/// Returns a turn in a form with a mark in front of each.
std::string ChatTemplate::turn(const ChatMessage& message) const {
  const auto& [role, content] = message;
  switch (form_) {
    case ChatForm::kChatML:
      return "<|im_start|>" + role + "\n" + content + "<|im_end|>\n";
    case ChatForm::kLlama3:
      return "<|start_header_id|>" + role + "<|end_header_id|>\n\n" + content + "<|eot_id|>";
    case ChatForm::kGemma:
      return "<start_of_turn>" + (role == "assistant" ? "model" : role) + "\n" + content +
             "<end_of_turn>\n";
    case ChatForm::kZephyr:
      return "<|" + role + "|>\n" + content + eos_ + "\n";
    case ChatForm::kPhi3:
      return "<|" + role + "|>\n" + content + "<|end|>\n";
    case ChatForm::kLlama2:
    case ChatForm::kMistral:
      break;
  }
  return "";
}

/// Returns a conversation with [INST] around what the user says.
std::string ChatTemplate::instructions(const std::vector<ChatMessage>& messages) const {
  const bool has_system = !messages.empty() && messages.front().role == "system";
  const bool is_llama = form_ == ChatForm::kLlama2;
  TERN_CHECK(!has_system || is_llama, Error,
             "text::ChatTemplate: the Mistral form has no system message; put it in front of the "
             "first message of the user");
  const std::size_t first = has_system ? 1 : 0;
  check_alternation(messages, first);
  std::string text = is_llama ? "" : bos_;
  for (std::size_t i = first; i < messages.size(); ++i) {
    std::string content = messages[i].content;
    if (i == first && has_system) {
      content.insert(0, detail::text_of("<<SYS>>\n", messages[0].content, "\n<</SYS>>\n\n"));
    }
    if (trims_) content = trimmed(content);
    if (messages[i].role == "user") {
      text += (is_llama ? bos_ : "") + "[INST] " + content + " [/INST]";
    } else if (is_llama) {
      text += " " + content + " " + eos_;
    } else {
      text += before_answer_ + content + eos_ + after_answer_;
    }
  }
  return text;
}

std::string ChatTemplate::render(const std::vector<ChatMessage>& messages,
                                 bool add_generation_prompt) const {
  TERN_CHECK(!messages.empty(), Error, "text::ChatTemplate: there is no message");
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string& role = messages[i].role;
    TERN_CHECK(role == "system" || role == "user" || role == "assistant", Error,
               "text::ChatTemplate: the role of message ", i,
               " must be system, user or assistant, got '", role, "'");
  }
  if (form_ == ChatForm::kLlama2 || form_ == ChatForm::kMistral) return instructions(messages);

  std::string text = begins_with_bos_ ? bos_ : "";
  const bool has_system = messages.front().role == "system";
  if (!has_system && !default_system_.empty()) text += turn({"system", default_system_});
  std::size_t first = 0;
  std::string prefix;
  if (form_ == ChatForm::kGemma) {
    TERN_CHECK(!has_system || joins_system_, Error,
               "text::ChatTemplate: this Gemma template has no system message; put it in front of "
               "the first message of the user");
    first = has_system ? 1 : 0;
    check_alternation(messages, first);
    if (has_system) prefix = messages[0].content + "\n\n";
  }
  for (std::size_t i = first; i < messages.size(); ++i) {
    ChatMessage message = messages[i];
    if (trims_) message.content = trimmed(message.content);
    if (i == first) message.content = prefix + message.content;
    text += turn(message);
  }
  const bool answers =
      answer_ == Answer::kAlways || (answer_ == Answer::kIfAsked && add_generation_prompt);
  if (!answers) return ends_with_eos_ ? text + eos_ : text;
  switch (form_) {
    case ChatForm::kChatML:
      return text + "<|im_start|>assistant\n";
    case ChatForm::kLlama3:
      return text + "<|start_header_id|>assistant<|end_header_id|>\n\n";
    case ChatForm::kGemma:
      return text + "<start_of_turn>model\n";
    default:
      return text + "<|assistant|>\n";
  }
}

}  // namespace tern::text
