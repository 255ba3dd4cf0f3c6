"""Records how transformers renders conversations with the usual chat templates.

Needs transformers 5.24 and jinja2. Usage: python chat_golden.py, which writes golden_generation/chat.json: [{"template", "bos",
"eos", "cases": [[messages, add_generation_prompt, text or null]]}]; null stands for a conversation that the template refuses.
"""

import json
import os

import jinja2
from transformers.utils.chat_template_utils import render_jinja_template

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden_generation")
LOOP = "{% for message in messages %}"
CHATML = LOOP + ("{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
                 "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
SYSTEM = LOOP + ("{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\nYou answer\\nbriefly.<|im_end|>\\n' }}"
                 "{% endif %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"
                 "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")
TOOLS = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'You help.' }}
    {%- endif %}
    {{- '<|im_end|>\\n' }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou help.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant") %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
LLAMA2 = ("{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}{% set system = messages[0]['content'] %}"
          "{% else %}{% set rest = messages %}{% set system = false %}{% endif %}{% for message in rest %}"
          "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('order') }}{% endif %}"
          "{% if loop.index0 == 0 and system != false %}{% set content = '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' + message['content'] %}"
          "{% else %}{% set content = message['content'] %}{% endif %}"
          "{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}"
          "{% elif message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}")
LLAMA3 = LOOP + ("{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + "
                 "'<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}"
                 "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}")
LLAMA3_ALWAYS = LLAMA3.replace("{% if add_generation_prompt %}", "").removesuffix("{% endif %}")
MISTRAL = ("{{ bos_token }}" + LOOP + "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('order') }}"
           "{% endif %}{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}"
           "{% elif message['role'] == 'assistant' %}{{ ANSWER }}{% else %}{{ raise_exception('role') }}{% endif %}{% endfor %}")
GEMMA = ("{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" + LOOP +
         "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('order') }}{% endif %}"
         "{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}"
         "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
         "{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}")
GEMMA3 = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- set first_user_prefix = messages[0]['content'] + '\n\n' -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set first_user_prefix = "" -%}
    {%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("order") }}
    {%- endif -%}
    {%- if (message['role'] == 'assistant') -%}
        {%- set role = "model" -%}
    {%- else -%}
        {%- set role = message['role'] -%}
    {%- endif -%}
    {{ '<start_of_turn>' + role + '\n' + (first_user_prefix if loop.first else "") }}
    {{ message['content'] | trim }}
    {{ '<end_of_turn>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{'<start_of_turn>model\n'}}
{%- endif -%}
""".replace("}}\n    {{ mess", "}}{{ mess").replace("trim }}\n    {{", "trim }}{{")
ZEPHYR = LOOP + "\n" + "".join(
    "{% " + word + " message['role'] == '" + role + "' %}\n{{ '<|" + role + "|>\n' + message['content'] + eos_token }}\n"
    for word, role in (("if", "user"), ("elif", "system"), ("elif", "assistant"))) + (
    "{% endif %}\n{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}")
PHI3 = LOOP + "".join(
    "{% " + word + " message['role'] == '" + role + "' %}{{'<|" + role + "|>\n' + message['content'] + '<|end|>\n'}}"
    for word, role in (("if", "system"), ("elif", "user"), ("elif", "assistant"))) + (
    "{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}")
TEMPLATES = [
    (CHATML, "", "<|im_end|>"), (SYSTEM, "<|im_start|>", "<|im_end|>"), (TOOLS, "", "<|im_end|>"), (LLAMA2, "<s>", "</s>"),
    ("{{ bos_token }}" + CHATML, "<s>", "</s>"),
    (LLAMA3, "<|begin|>", "<|eot_id|>"), (LLAMA3_ALWAYS, "<|begin|>", "<|eot_id|>"),
    (MISTRAL.replace("ANSWER", "message['content'] + eos_token"), "<s>", "</s>"),
    (MISTRAL.replace("ANSWER", "message['content'] + eos_token + ' '"), "<s>", "</s>"),
    (MISTRAL.replace("ANSWER", "' ' + message['content'] + eos_token"), "<s>", "</s>"),
    (GEMMA, "<bos>", "<eos>"), (GEMMA3, "<bos>", "<eos>"), (ZEPHYR, "<s>", "</s>"), (PHI3, "<s>", "<|endoftext|>"),
]
USER = {"role": "user", "content": "What is 12 + 30?"}
ODD = {"role": "user", "content": " \n {{ é }} \t"}
ANSWER = {"role": "assistant", "content": " It is 42.\n"}
BRIEF = {"role": "system", "content": "Be brief. "}
CONVERSATIONS = [[USER], [BRIEF, USER], [USER, ANSWER, ODD], [BRIEF, ODD, ANSWER, USER, ANSWER], [ANSWER, USER], [BRIEF]]


def main():
    records = []
    for template, bos, eos in TEMPLATES:
        cases = []
        for messages in CONVERSATIONS:
            for add in (True, False):
                try:
                    text = render_jinja_template([messages], chat_template=template, add_generation_prompt=add, bos_token=bos,
                                                 eos_token=eos)[0][0]
                except jinja2.TemplateError:
                    text = None
                cases.append([[[m["role"], m["content"]] for m in messages], add, text])
        records.append({"template": template, "bos": bos, "eos": eos, "cases": cases})
    with open(os.path.join(FOLDER, "chat.json"), "w", encoding="ascii") as file:
        file.write("[\n" + ",\n".join(json.dumps(record, separators=(",", ":")) for record in records) + "\n]\n")


main()
