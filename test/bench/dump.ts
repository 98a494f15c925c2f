import { closeSync, openSync, writeSync } from 'node:fs'

const IM_START = 151644
const IM_END = 151645
const NEWLINE = 198
const ROLES = { system: 8948, user: 872, assistant: 77091 } as const
const OPEN_REPLY = [27, 14172, 9655, 397]
const CLOSE_REPLY = [198, 522, 14172, 9655, 29]
/** Ids from which texts are drawn, the first ones far more often, as words are. */
const WORDS = 5_000

/** The same numbers every time (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * A native record of about `tokens` Qwen2.5 ids: tool turns and assistant turns in alternation, correctly masked. Its prompt is drawn from `ofPrompt`.
 */
export function benchRecord(index: number, tokens: number, random: () => number, ofPrompt = random): string {
  const ids: number[] = []
  const mask: number[] = []
  const turn = (role: keyof typeof ROLES, content: readonly number[]) => {
    const trained = role === 'assistant' ? 1 : 0
    ids.push(IM_START, ROLES[role], NEWLINE, ...content, IM_END, NEWLINE)
    mask.push(0, 0, 0, ...content.map(() => trained), trained, 0)
  }
  const words = (count: number, from = random) =>
    Array.from({ length: count }, () => 300 + ((Math.floor(WORDS * from() ** 3) * 7919) % 90_000))
  turn('system', words(40, ofPrompt))
  turn('user', words(60, ofPrompt))
  while (ids.length < tokens) {
    turn('assistant', words(200))
    // As long as texts are, which are of many lengths: of one length they would look cut there.
    turn('user', [...OPEN_REPLY, ...words(600 + Math.floor(300 * (random() + random()))), ...CLOSE_REPLY])
  }
  turn('assistant', words(150))
  return JSON.stringify({
    input_ids: ids,
    loss_mask: mask,
    reward: Math.round(random() * 100) / 100,
    group_id: String(index >> 3),
    id: String(index),
  })
}

/** The same of a sound dump: the eight rollouts of a group have one prompt, and no check finds anything. */
export function groupedRecord(index: number, tokens: number, random: () => number): string {
  return benchRecord(index, tokens, random, generator(1000 + (index >> 3)))
}

/** Writes records of 8,000 to 32,000 tokens until the file has `bytes` bytes. */
export function writeBenchDump(path: string, bytes: number): void {
  const random = generator(7)
  const file = openSync(path, 'w')
  let written = 0
  for (let index = 0; written < bytes; index++) {
    const tokens = 8_000 + Math.floor(random() * 24_000)
    written += writeSync(file, `${groupedRecord(index, tokens, random)}\n`)
  }
  closeSync(file)
}
