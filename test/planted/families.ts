import { Template } from '@huggingface/jinja'
import type { FamilyName } from '../../samples/frames.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

export type { FamilyName }
export const FAMILY_NAMES: readonly FamilyName[] = ['qwen2.5', 'qwen3', 'llama3']

/** The tokens by which a family frames turns, written down from its documentation and not taken from the engine. */
interface Frame {
  readonly bos: number
  readonly start: number
  /** Closes the role name; -1 where a newline does. */
  readonly headerEnd: number
  readonly end: number
  readonly endText: string
  readonly pad: number
  readonly padText: string
  readonly header: string
  /** Every text that is one control token wherever it stands, special or only added. */
  readonly controls: readonly string[]
}

const QWEN: Frame = {
  bos: -1,
  start: 151644,
  headerEnd: -1,
  end: 151645,
  endText: '<|im_end|>',
  pad: 151643,
  padText: '<|endoftext|>',
  header: '<|im_start|>assistant\n',
  controls: ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>'],
}

const FRAMES: Readonly<Record<FamilyName, Frame>> = {
  'qwen2.5': QWEN,
  qwen3: { ...QWEN, controls: [...QWEN.controls, '<tool_response>', '</tool_response>', '<think>', '</think>'] },
  llama3: {
    bos: 128000,
    start: 128006,
    headerEnd: 128007,
    end: 128009,
    endText: '<|eot_id|>',
    pad: 128004,
    padText: '<|finetune_right_pad_id|>',
    header: '<|start_header_id|>assistant<|end_header_id|>\n\n',
    controls: [
      '<|begin_of_text|>',
      '<|end_of_text|>',
      '<|finetune_right_pad_id|>',
      '<|start_header_id|>',
      '<|end_header_id|>',
      '<|eom_id|>',
      '<|eot_id|>',
      '<|python_tag|>',
    ],
  },
}

const MODELS: Readonly<Record<FamilyName, string>> = {
  'qwen2.5': 'Qwen/Qwen2.5-7B-Instruct',
  qwen3: 'Qwen/Qwen3-8B',
  llama3: 'meta-llama/Llama-3.1-8B-Instruct',
}

/** A message the way chat templates take it. */
export interface TemplateMessage {
  readonly role: string
  readonly content: string
}

export interface PlantedFamily extends Frame {
  readonly name: FamilyName
  readonly model: string
  readonly tokenizer: Tokenizer
  /** The chat template that is in the tokenizer's own configuration, run by the Jinja library. */
  render(messages: readonly TemplateMessage[], tools: readonly unknown[] | null, generation: boolean): string
  /**
   * Ids of text that a template rendered: its control tokens are theirs, those that `protect` hid in a message's text are spelt.
   */
  encodeRendered(text: string): number[]
  /** Hides control strings in text of the environment from `encodeRendered` until it has found the template's own. */
  protect(text: string): string
  /** What `protect` hid, back in its letters. */
  reveal(text: string): string
}

const loaded = new Map<FamilyName, Promise<PlantedFamily>>()

/** A family with its tokenizer and chat template, loaded once per process. */
export function plantedFamily(name: FamilyName): Promise<PlantedFamily> {
  let family = loaded.get(name)
  if (family === undefined) {
    family = load(name)
    loaded.set(name, family)
  }
  return family
}

/** Private use: one character stands for each control string, so that no template and no JSON writer touches it. */
const HIDDEN = 0xe000

async function load(name: FamilyName): Promise<PlantedFamily> {
  const tokenizer = await testTokenizer(name)
  const frame = FRAMES[name]
  if (tokenizer.template === null) throw new Error(`${name} has no chat template`)
  const template = new Template(tokenizer.template)
  const pattern = new RegExp(`(${frame.controls.map((text) => text.replace(/[|/]/g, '\\$&')).join('|')})`)
  const everywhere = new RegExp(pattern, 'g')
  const hidden = new RegExp(`[\\u${HIDDEN.toString(16)}-\\u${(HIDDEN + 0xff).toString(16)}]`, 'g')
  const protect = (text: string) =>
    text.replace(everywhere, (control) => String.fromCharCode(HIDDEN + frame.controls.indexOf(control)))
  const reveal = (text: string) => text.replace(hidden, (mark) => frame.controls[mark.charCodeAt(0) - HIDDEN] ?? mark)
  return {
    ...frame,
    name,
    model: MODELS[name],
    tokenizer,
    protect,
    reveal,
    render: (messages, tools, generation) =>
      template.render({
        messages,
        ...(tools === null ? {} : { tools }),
        add_generation_prompt: generation,
        bos_token: '<|begin_of_text|>',
        date_string: '26 Jul 2024',
      }),
    encodeRendered: (text) =>
      text
        .split(pattern)
        .flatMap((piece, index) =>
          piece === '' ? [] : tokenizer.encode(index % 2 === 1 ? piece : reveal(piece), { specials: index % 2 === 1 }),
        ),
  }
}
