#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include <tern/text/text.h>

#include "error_of.h"
#include "serialization/scratch.h"

namespace tern::text {
namespace {

TEST(ChatTemplate, RendersAsTheReference) {
  std::ifstream file(TERN_SOURCE_DIR "/tests/text/golden_generation/chat.json");
  const nlohmann::json records = nlohmann::json::parse(file);
  ASSERT_GE(records.size(), 14u);
  for (const auto& record : records) {
    const auto chat = ChatTemplate::from_jinja(record["template"].get<std::string>(),
                                               record["bos"].get<std::string>(),
                                               record["eos"].get<std::string>());
    for (const auto& one : record["cases"]) {
      std::vector<ChatMessage> messages;
      for (const auto& message : one[0]) messages.push_back({message[0], message[1]});
      SCOPED_TRACE(record["template"].dump().substr(0, 200) + " " + one.dump());
      if (one[2].is_null()) {
        EXPECT_THROW(chat.render(messages, one[1]), Error);
      } else {
        EXPECT_EQ(chat.render(messages, one[1]), one[2].get<std::string>());
      }
    }
  }
}

TEST(ChatTemplate, KnowsTheFormsByName) {
  const std::vector<ChatMessage> messages = {{"user", " Hi"}};
  const auto text = [&](ChatForm form) {
    return ChatTemplate(form, "<s>", "</s>").render(messages);
  };
  EXPECT_EQ(text(ChatForm::kChatML), "<|im_start|>user\n Hi<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(text(ChatForm::kLlama2), "<s>[INST] Hi [/INST]");
  EXPECT_EQ(text(ChatForm::kLlama3),
            "<s><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>"
            "assistant<|end_header_id|>\n\n");
  EXPECT_EQ(text(ChatForm::kMistral), "<s>[INST]  Hi [/INST]");
  EXPECT_EQ(text(ChatForm::kGemma),
            "<s><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\n");
  EXPECT_EQ(text(ChatForm::kZephyr), "<|user|>\n Hi</s>\n<|assistant|>\n");
  EXPECT_EQ(text(ChatForm::kPhi3), "<|user|>\n Hi<|end|>\n<|assistant|>\n");
}

TEST(ChatTemplate, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(
      error_of<NotImplementedError>([] { ChatTemplate::from_jinja("{{ messages }}"); }),
      "text::ChatTemplate: this chat template is none of those that tern knows (ChatML, "
      "Llama 3, Llama 2, Mistral, Gemma, Phi-3, Zephyr): write the prompt yourself, or choose "
      "a form: ChatTemplate(ChatForm::kChatML); it begins with '{{ messages }}'");
  // Llama 3.1 and later write today's date.
  EXPECT_THROW(ChatTemplate::from_jinja("<|start_header_id|><|end_header_id|><|eot_id|>{{ strftime_"
                                        "now('%d') }}"),
               NotImplementedError);
  const ChatTemplate chat(ChatForm::kChatML);
  EXPECT_EQ(error_of([&] { chat.render({}); }), "text::ChatTemplate: there is no message");
  EXPECT_EQ(error_of([&] {
              chat.render({{"bot", "x"}});
            }),
            "text::ChatTemplate: the role of message 0 must be system, user or assistant, got "
            "'bot'");
  EXPECT_EQ(error_of([] {
              ChatTemplate(ChatForm::kMistral).render({{"user", "x"}, {"user", "y"}});
            }),
            "text::ChatTemplate: roles must alternate user, assistant, user, ...: message 1 must "
            "be of the assistant, got user");
}

TEST(ChatTemplate, ReadsFolders) {
  const Scratch scratch;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(scratch.path(name)) << text;
  };
  const auto read = [&] { return ChatTemplate::from_folder(scratch.folder()); };
  const std::string none =
      scratch.folder() +
      ": has no chat template, neither chat_template.jinja nor \"chat_template\" in "
      "tokenizer_config.json";
  EXPECT_EQ(error_of<FileError>(read), none);
  write("tokenizer_config.json", "{}");
  EXPECT_EQ(error_of<FileError>(read), none);
  const std::string config =
      R"({"bos_token": {"content": "<s>"}, "eos_token": "</s>", "chat_template": )";
  write("tokenizer_config.json",
        config + R"([{"name": "tools", "template": ""}, {"name": "default", "template":)"
                 R"( "[INST] [/INST] eos_token"}]})");
  const std::vector<ChatMessage> messages = {{"user", "a"}, {"assistant", "b"}};
  EXPECT_EQ(read().render(messages), "<s>[INST] a [/INST]b</s>");
  write("chat_template.jinja", "<|im_start|><|im_end|>");
  EXPECT_EQ(read().form(), ChatForm::kChatML);
}

}  // namespace
}  // namespace tern::text
