import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createTokenizer } from '../../../shared/tokens/create.ts'
import type { Tokenizer } from '../../../shared/tokens/tokenizer.ts'

/**
 * Layouts of families that are not bundled: a template of our own that writes what theirs writes, the control tokens of
 * their vocabulary, and a rendering of `question, answer, question, answer` by hand.
 */
export interface OtherFamily {
  readonly name: string
  readonly controls: readonly string[]
  readonly names: Readonly<Record<string, string>>
  readonly template: string
  /** Control tokens take the white space behind them. */
  readonly takesSpace?: boolean
  /** `{u}` and `{a}` stand for the messages. */
  readonly dialogue: string
}

const loop = (user: string, assistant: string, other = '') =>
  `{% for m in messages %}{% if m.role == 'user' %}${user}{% elif m.role == 'assistant' %}${assistant}{% else %}${other}{% endif %}{% endfor %}`
const m = '{{ m.content | trim }}'

export const OTHER_FAMILIES: readonly OtherFamily[] = [
  {
    name: 'gemma',
    controls: ['<bos>', '<eos>', '<start_of_turn>', '<end_of_turn>'],
    names: { bos_token: '<bos>', eos_token: '<eos>' },
    template: `{{ bos_token }}${loop(
      `<start_of_turn>user\n${m}<end_of_turn>{{ '\\n' }}`,
      `<start_of_turn>model\n${m}<end_of_turn>{{ '\\n' }}`,
      "{{ raise_exception('System role not supported') }}",
    )}{% if add_generation_prompt %}<start_of_turn>model{{ '\\n' }}{% endif %}`,
    dialogue:
      '<bos><start_of_turn>user\n{u}<end_of_turn>\n<start_of_turn>model\n{a}<end_of_turn>\n<start_of_turn>user\n{u}<end_of_turn>\n<start_of_turn>model\n{a}<end_of_turn>\n',
  },
  {
    name: 'mistral',
    controls: ['<s>', '</s>', '[INST]', '[/INST]', '[TOOL_CALLS]', '[TOOL_RESULTS]', '[/TOOL_RESULTS]'],
    names: { bos_token: '<s>', eos_token: '</s>' },
    template: `{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}[INST]{{ m.content }}[/INST]{% elif m.tool_calls is defined %}[TOOL_CALLS]{{ m.tool_calls | tojson }}{{ eos_token }}{% elif m.role == 'assistant' %}{{ m.content }}{{ eos_token }}{% elif m.role == 'tool' %}[TOOL_RESULTS]{"content": {{ m.content }}}[/TOOL_RESULTS]{% else %}{{ raise_exception('no ' + m.role) }}{% endif %}{% endfor %}`,
    dialogue: '<s>[INST]{u}[/INST]{a}</s>[INST]{u}[/INST]{a}</s>',
  },
  {
    name: 'deepseek',
    controls: ['<BOS>', '<EOS>', '<｜User｜>', '<｜Assistant｜>'],
    names: { bos_token: '<BOS>', eos_token: '<EOS>' },
    template: `{{ bos_token }}${loop('<｜User｜>{{ m.content }}', '<｜Assistant｜>{{ m.content }}{{ eos_token }}', '{{ m.content }}')}{% if add_generation_prompt %}<｜Assistant｜><think>\n{% endif %}`,
    dialogue: '<BOS><｜User｜>{u}<｜Assistant｜>{a}<EOS><｜User｜>{u}<｜Assistant｜>{a}<EOS>',
  },
  {
    name: 'command-r',
    controls: ['<BOS>', '<|START|>', '<|END|>', '<|USER|>', '<|CHATBOT|>', '<|SYSTEM|>'],
    names: { bos_token: '<BOS>', eos_token: '<|END|>' },
    template: `{{ bos_token }}${loop(
      '<|START|><|USER|>{{ m.content }}<|END|>',
      '<|START|><|CHATBOT|>{{ m.content }}<|END|>',
      '<|START|><|SYSTEM|>{{ m.content }}<|END|>',
    )}{% if add_generation_prompt %}<|START|><|CHATBOT|>{% endif %}`,
    dialogue:
      '<BOS><|START|><|USER|>{u}<|END|><|START|><|CHATBOT|>{a}<|END|><|START|><|USER|>{u}<|END|><|START|><|CHATBOT|>{a}<|END|>',
  },
  {
    name: 'phi',
    controls: ['<|endoftext|>', '<|user|>', '<|assistant|>', '<|system|>', '<|end|>'],
    names: { eos_token: '<|endoftext|>', pad_token: '<|endoftext|>' },
    template: `{% for m in messages %}{{ '<|' + m.role + '|>\\n' + m.content + '<|end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}`,
    dialogue: '<|user|>\n{u}<|end|>\n<|assistant|>\n{a}<|end|>\n<|user|>\n{u}<|end|>\n<|assistant|>\n{a}<|end|>\n',
  },
  {
    // ChatML's tokens, but its header ends with a token and no turn with a newline.
    name: 'phi 4',
    controls: ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|im_sep|>'],
    names: { bos_token: '<|endoftext|>', eos_token: '<|im_end|>' },
    template: `{% for m in messages %}{{ '<|im_start|>' + m.role + '<|im_sep|>' + m.content + '<|im_end|>' }}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant<|im_sep|>{% endif %}`,
    dialogue:
      '<|im_start|>user<|im_sep|>{u}<|im_end|><|im_start|>assistant<|im_sep|>{a}<|im_end|><|im_start|>user<|im_sep|>{u}<|im_end|><|im_start|>assistant<|im_sep|>{a}<|im_end|>',
  },
  {
    name: 'zephyr',
    controls: ['<s>', '</s>', '<|user|>', '<|assistant|>', '<|system|>'],
    names: { bos_token: '<s>', eos_token: '</s>' },
    template: `{% for m in messages %}{{ '<|' + m.role + '|>\\n' + m.content + eos_token + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}`,
    dialogue: '<|user|>\n{u}</s>\n<|assistant|>\n{a}</s>\n<|user|>\n{u}</s>\n<|assistant|>\n{a}</s>\n',
  },
  {
    name: 'granite',
    controls: ['<|end_of_text|>', '<|start_of_role|>', '<|end_of_role|>'],
    names: { eos_token: '<|end_of_text|>' },
    template: `{% for m in messages %}{{ '<|start_of_role|>' + m.role + '<|end_of_role|>' + m.content + '<|end_of_text|>\\n' }}{% endfor %}{% if add_generation_prompt %}<|start_of_role|>assistant<|end_of_role|>{% endif %}`,
    dialogue:
      '<|start_of_role|>user<|end_of_role|>{u}<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>{a}<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>{u}<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>{a}<|end_of_text|>\n',
  },
  {
    name: 'baichuan',
    controls: ['<s>', '</s>', '<reserved_106>', '<reserved_107>'],
    names: { bos_token: '<s>', eos_token: '</s>' },
    template: `${loop('<reserved_106>{{ m.content }}', '<reserved_107>{{ m.content }}{{ eos_token }}', '{{ m.content }}')}{% if add_generation_prompt %}<reserved_107>{% endif %}`,
    dialogue: '<reserved_106>{u}<reserved_107>{a}</s><reserved_106>{u}<reserved_107>{a}</s>',
  },
]

/**
 * GLM 4.5 and 4.6: nothing of its own ends a turn of the model, which samples the token that opens the next. Its last turn has no end in a
 * rendering, so that it is not among the others.
 */
export const GLM: Omit<OtherFamily, 'dialogue'> = {
  name: 'glm',
  controls: [
    ...['[gMASK]', '<sop>', '<|endoftext|>', '<|system|>', '<|user|>', '<|assistant|>', '<|observation|>'],
    ...['<think>', '</think>', '<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>'],
  ],
  names: { eos_token: '<|endoftext|>', pad_token: '<|endoftext|>' },
  template: `[gMASK]<sop>{% for m in messages %}{% if m.role == 'user' %}{{ '<|user|>\n' + m.content }}{% elif m.role == 'assistant' %}{{ '<|assistant|>\n<think>' + (m.reasoning_content or '') + '</think>' }}{% if m.content %}{{ '\n' + m.content }}{% endif %}{% for t in m.tool_calls or [] %}{{ '\n<tool_call>' + t.function.name + '\n' + (t.function.arguments | tojson) + '\n</tool_call>' }}{% endfor %}{% elif m.role == 'tool' %}{% if loop.first or messages[loop.index0 - 1].role != 'tool' %}<|observation|>{% endif %}{{ '\n<tool_response>\n' + m.content + '\n</tool_response>' }}{% else %}{{ '<|system|>\n' + m.content }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% if enable_thinking is defined and not enable_thinking %}{{ '\n<think></think>' }}{% endif %}{% endif %}`,
}

const opened = (token: string, role: string) => `<|im_${token}|>${role}<|im_middle|>`

/** Kimi K2: a role is spelt twice, and a line with the id of the call stands before what a tool replies. */
export const KIMI: Omit<OtherFamily, 'dialogue'> = {
  name: 'kimi',
  controls: ['<|im_end|>', '<|im_user|>', '<|im_assistant|>', '<|im_system|>', '<|im_middle|>'],
  names: { eos_token: '<|im_end|>' },
  template: `{% if tools %}${opened('system', 'tool_declare')}{{ tools | tojson }}<|im_end|>{% endif %}{% for m in messages %}{% if loop.first and m.role != 'system' %}${opened('system', 'system')}You are a helpful assistant<|im_end|>{% endif %}{% if m.role == 'user' or m.role == 'assistant' %}{{ '<|im_' + m.role + '|>' + m.role }}{% else %}{{ '<|im_system|>' + m.role }}{% endif %}<|im_middle|>{% if m.role == 'tool' %}{{ '## Return of ' + m.tool_call_id + '\n' }}{% endif %}{{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}${opened('assistant', 'assistant')}{% endif %}`,
}

/** gpt-oss: a turn of the model may hold several messages, each with a channel. Known by its tokens, whatever its template says. */
export const HARMONY: Omit<OtherFamily, 'dialogue'> = {
  name: 'harmony',
  controls: [
    ...['<|startoftext|>', '<|endoftext|>', '<|return|>', '<|constrain|>', '<|channel|>'],
    ...['<|start|>', '<|end|>', '<|message|>', '<|call|>'],
  ],
  names: { bos_token: '<|startoftext|>', eos_token: '<|return|>', pad_token: '<|endoftext|>' },
  template: `<|start|>system<|message|>You answer.<|end|>{% for m in messages %}{% if m.role == 'assistant' %}<|start|>assistant<|channel|>final<|message|>{{ m.content }}{% if loop.last and not add_generation_prompt %}<|return|>{% else %}<|end|>{% endif %}{% else %}{{ '<|start|>' + m.role + '<|message|>' + m.content + '<|end|>' }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|start|>assistant{% endif %}`,
}

/** GPT-2's alphabet: every byte is one token, so that any text can be encoded. */
function byteVocabulary(): Record<string, number> {
  const vocab: Record<string, number> = {}
  let shift = 0
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    vocab[String.fromCodePoint(printable ? byte : 256 + shift++)] = byte
  }
  return vocab
}

/** A tokenizer of single bytes with control tokens and a template. */
export function byteTokenizer(family: Omit<OtherFamily, 'dialogue'>): Tokenizer {
  const { name, controls, names, template, takesSpace = false } = family
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
  const tokenizer = {
    model: { type: 'BPE', vocab: byteVocabulary(), merges: [] },
    pre_tokenizer: byteLevel,
    decoder: byteLevel,
    added_tokens: controls.map((content, i) => ({ id: 256 + i, content, special: true, rstrip: takesSpace })),
  }
  return createTokenizer(
    { tokenizer, config: { ...names, chat_template: template } },
    { id: name, title: name, origin: 'file' },
  )
}

/** Real tokenizers, where a person has put some: `<folder>/<name>/tokenizer.json` beside its configuration. */
const FOLDER = process.env.TOKENIZER_FAMILIES ?? ''

export function realFamilies(): string[] {
  if (FOLDER === '' || !existsSync(FOLDER)) return []
  return readdirSync(FOLDER).filter((name) => existsSync(`${FOLDER}/${name}/tokenizer.json`))
}

export function realTokenizer(name: string): Tokenizer {
  const parsed = (file: string) => JSON.parse(readFileSync(`${FOLDER}/${name}/${file}`, 'utf8')) as unknown
  return createTokenizer(
    { tokenizer: parsed('tokenizer.json'), config: parsed('tokenizer_config.json') },
    { id: name, title: name, origin: 'file' },
  )
}
