import { spellBytes } from './byte-alphabet.ts'
import { type LearnedFrame, learnFrame } from './template/learned-frame.ts'
import { type TokenizerFiles, TokenKind, type TokenTable, type TurnFrame } from './tokenizer.ts'
import { isFields, type Vocabulary } from './vocabulary.ts'

/** Names that models and trainers pad with, beside the configuration's own `pad_token`. */
const PAD_NAMES = [
  '<|endoftext|>',
  '<|finetune_right_pad_id|>',
  '<|end_of_text|>',
  '<|vision_pad|>',
  '<|fim_pad|>',
  '<|PAD_TOKEN|>',
  '<|pad|>',
  '<pad>',
  '[PAD]',
]
const TEXT_END_NAMES = ['<|endoftext|>', '<|end_of_text|>']

const NEWLINE = 0x0a

/** What frames that are known by their tokens open and end turns with. */
const KNOWN = {
  chatml: { start: '<|im_start|>', ends: ['<|im_end|>'] },
  llama: { start: '<|start_header_id|>', ends: ['<|eot_id|>', '<|eom_id|>'] },
  harmony: { start: '<|start|>', ends: ['<|end|>', '<|return|>', '<|call|>'] },
  learned: { start: '', ends: [] },
} as const
const HARMONY_NAMES = [KNOWN.harmony.start, ...KNOWN.harmony.ends, '<|channel|>', '<|message|>']

/** Special tokens that templates may write by the names the configuration gives them. */
const TEMPLATE_NAMES = ['bos_token', 'eos_token', 'pad_token', 'unk_token']

/**
 * How this vocabulary frames turns, by the text of its tokens: ChatML where `<|im_start|>` and `<|im_end|>` exist and the
 * chat template, if there is one, ends headers with their line; Llama 3 where the header tokens exist; else what the chat
 * template says; where it says nothing, harmony where its tokens exist. Null where there is no template, or it opens turns with ordinary text.
 */
export function turnFrame(
  vocabulary: Vocabulary,
  table: TokenTable,
  config: TokenizerFiles['config'],
  template: string | null = null,
): TurnFrame | null {
  const names = Object.fromEntries(
    TEMPLATE_NAMES.flatMap((field) => {
      const text = tokenName(config, field)
      return text === null ? [] : [[field, text]]
    }),
  )
  const named = (...names: (string | null)[]) => {
    const ids = names.map((name) => (name === null ? undefined : vocabulary.idOf(name)))
    return [...new Set(ids.filter((id) => id !== undefined))]
  }
  const one = (name: string) => vocabulary.idOf(name) ?? -1
  const llama = one('<|start_header_id|>') >= 0 && one('<|end_header_id|>') >= 0
  const read = llama || template === null ? null : learnFrame(vocabulary, template, names)
  // Phi-4 has ChatML's tokens, but ends its headers with a token of its own.
  const chatml = one('<|im_start|>') >= 0 && one('<|im_end|>') >= 0 && (read === null || hasLines(read))
  const learned = chatml ? null : read
  const harmony = !chatml && !llama && learned === null && HARMONY_NAMES.every((name) => one(name) >= 0)
  const style = learned !== null ? 'learned' : chatml ? 'chatml' : llama ? 'llama' : harmony ? 'harmony' : null
  if (style === null) return null

  const turnStart = learned?.openers[0]?.id ?? one(KNOWN[style].start)
  const turnEnds = learned?.turnEnds ?? named(...KNOWN[style].ends)
  const framing = new Set([turnStart, ...turnEnds, ...(learned?.openers.map(({ id }) => id) ?? [])])
  // Some ChatML models name `<|im_start|>` their BOS token: what frames turns is not also a BOS.
  const begins = [...named('<|begin_of_text|>', tokenName(config, 'bos_token')), ...(learned?.begins ?? [])]
  const bos = begins.filter((id) => !framing.has(id))
  const pad = named(tokenName(config, 'pad_token'), ...PAD_NAMES).filter((id) => id !== turnStart && !bos.includes(id))
  const textEnds = named(tokenName(config, 'eos_token'), ...TEXT_END_NAMES).filter(
    (id) => !framing.has(id) && !bos.includes(id),
  )
  const tag = (name: string) => {
    const open = tagPieces(vocabulary, `<${name}>`)
    const close = tagPieces(vocabulary, `</${name}>`)
    return open === null || close === null ? null : { open, close }
  }
  return {
    style,
    ...(style !== 'harmony'
      ? {}
      : { messages: { channel: one('<|channel|>'), message: one('<|message|>'), end: one('<|end|>') } }),
    ...(learned === null ? {} : { openers: learned.openers, unclosed: learned.unclosed }),
    ...bracketsOf(learned, vocabulary),
    ...(learned?.sharedEnds === undefined ? {} : { sharedEnds: learned.sharedEnds }),
    separator: learned?.separator ?? chatml,
    names,
    bos,
    turnStart,
    headerEnd: llama ? one('<|end_header_id|>') : -1,
    turnEnds,
    textEnds,
    pad,
    newlines: newlineIds(table),
    think: tag('think'),
    toolCall: tag('tool_call'),
    toolResponse: tag('tool_response'),
    pythonTag: one('<|python_tag|>'),
  }
}

/** By their names: a vocabulary that has `<|/tool|>` beside `<|tool|>` has the two for what stands between them. */
function bracketsOf(learned: LearnedFrame | null, vocabulary: Vocabulary): Pick<TurnFrame, 'brackets'> {
  const brackets = new Map<number, number>()
  const opens = new Set(learned?.openers.map(({ id }) => id))
  for (const { id, content } of vocabulary.added) {
    const name = opens.has(id) ? /^<\|(\w+)\|>$/.exec(content)?.[1] : undefined
    const closing = name === undefined ? null : vocabulary.idOf(`<|/${name}|>`)
    if (closing !== null && closing !== undefined) brackets.set(id, closing)
  }
  return brackets.size === 0 ? {} : { brackets }
}

/** Whether the headers of a learned frame end with their line, as ChatML's do. */
function hasLines({ openers }: LearnedFrame): boolean {
  return openers.every(({ role, rest }) => role !== 'user' || rest.at(-1) === NEWLINE)
}

/** A token that the configuration names: a string, or an object with its `content`. */
function tokenName(config: unknown, field: string): string | null {
  const value = isFields(config) ? config[field] : null
  if (typeof value === 'string') return value
  return isFields(value) && typeof value.content === 'string' ? value.content : null
}

function newlineIds(table: TokenTable): ReadonlyMap<number, number> {
  const { size, bytes, offsets, kinds } = table
  const newlines = new Map<number, number>()
  for (let id = 0; id < size; id++) {
    const from = offsets[id] as number
    const to = offsets[id + 1] as number
    // Gemma's newlines are added tokens.
    if (bytes[from] !== NEWLINE || to === from || kinds[id] === TokenKind.special) continue
    let at = from
    while (at < to && bytes[at] === NEWLINE) at++
    if (at === to) newlines.set(id, to - from)
  }
  return newlines
}

/** Words and punctuation of a tag as GPT-4's and Qwen's pre-tokenizers cut them. */
const PIECES = /[^\r\n\p{L}\p{N}]?\p{L}+| ?[^\s\p{L}\p{N}]+/gu
const encoder = new TextEncoder()

/**
 * The one id of a tag, or the ids that spell it. Spelt tags are merged by the ids' own order, which is the order of
 * the merges in byte-level vocabularies; other vocabularies give null.
 */
function tagPieces(vocabulary: Vocabulary, tag: string): number[] | null {
  const single = vocabulary.idOf(tag)
  if (single !== undefined) return [single]
  if (vocabulary.spelling !== 'byte-level') return null
  const ids: number[] = []
  for (const piece of tag.match(PIECES) ?? []) {
    const symbols = [...encoder.encode(piece)].map((byte) => spellBytes(Uint8Array.of(byte)))
    for (;;) {
      let lowest = Number.POSITIVE_INFINITY
      let at = -1
      for (let i = 0; i + 1 < symbols.length; i++) {
        const id = vocabulary.idOf(`${symbols[i]}${symbols[i + 1]}`)
        if (id !== undefined && id < lowest) {
          lowest = id
          at = i
        }
      }
      if (at < 0) break
      symbols.splice(at, 2, `${symbols[at]}${symbols[at + 1]}`)
    }
    for (const symbol of symbols) {
      const id = vocabulary.idOf(symbol)
      if (id === undefined) return null
      ids.push(id)
    }
  }
  return ids
}
