import { expect, it } from 'vitest'
import { audited, qwen } from './dumps.ts'

const PROMPT = 20
const LENGTH = 60

/** Rollouts of no tokenizer that anyone knows: all that tells prompt from response is the length that each record stores. */
const dump = (trains: (token: number, row: number) => number, more: Record<string, unknown> = {}) =>
  Array.from({ length: 4 }, (_, row) => {
    const input_ids = Array.from({ length: LENGTH }, (_, i) => 900_000 + ((i * 7919 + row * 104_729) % 60_000))
    const loss_mask = input_ids.map((_, i) => trains(i, row))
    return `${JSON.stringify({ input_ids, loss_mask, prompt_length: PROMPT, ...more })}\n`
  }).join('')

const checkOf = async (text: string) => {
  const report = (await audited(text)).report()
  const { status, reason, rate, by_turn } = report.checks.find(({ code }) => code === 'M01')!
  return { status, reason, rate, by_turn, found: report.findings.filter(({ code }) => code === 'M01'), report }
}

it('names a prompt that is trained whole where nothing but its length is known', async () => {
  const { status, rate, by_turn, found, report } = await checkOf(dump((i, row) => (row < 2 || i >= PROMPT ? 1 : 0)))
  expect(report.tokenizer.id).toBe(null)
  expect({ status, rate, by_turn }).toEqual({ status: 'fail', rate: 0.5, by_turn: { 0: 2 } })
  expect(found.map(({ record, tokens, severity }) => [record, tokens, severity])).toEqual([
    [0, [0, PROMPT], 'error'],
    [1, [0, PROMPT], 'error'],
  ])
  expect(found[0]?.message).toMatch(/^All 20 tokens of the prompt carry loss/)
})

it('says of each check that takes turns that no known tokenizer made the ids, and of others what the dump lacks', async () => {
  const { report } = await checkOf(dump((i) => (i >= PROMPT ? 1 : 0)))
  const reasons = report.checks.filter(({ needs }) => needs.includes('tokenizer')).map(({ reason }) => reason)
  expect(reasons.length).toBeGreaterThan(20)
  const unspelt = /nothing in the ids shows that a known tokenizer made them: name that of the model with --tokenizer$/
  for (const reason of reasons) expect(reason).toMatch(unspelt)
  expect(reasons.join()).not.toContain('carry tokenizer')
  expect(report.checks.find(({ code }) => code === 'A03')?.reason).not.toMatch(unspelt)
})

it('does not call the replies right where only the prompt could be looked at', async () => {
  const { status, reason, found } = await checkOf(dump((i) => (i >= PROMPT ? 1 : 0)))
  expect({ status, reason, found }).toEqual({
    status: 'not-checkable',
    reason: 'nothing in the ids shows that a known tokenizer made them: name that of the model with --tokenizer',
    found: [],
  })
})

it.each([
  [
    'a part of the prompt is trained, which its turns may explain',
    dump((i) => (i >= PROMPT / 2 ? 1 : 0)),
    'not-checkable',
  ],
  ['the model wrote the prompt, too', dump(() => 1, { sampled: Array(LENGTH).fill(1) }), 'not-checkable'],
  ['no length is stored', dump(() => 1, { prompt_length: undefined }), 'not-checkable'],
])('is silent where %s', async (_, text, status) => {
  expect(await checkOf(text)).toMatchObject({ status, found: [] })
})

it('leaves turns to those who can see them', async () => {
  const tokenizer = await qwen()
  const chat =
    '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant\nHello there.<|im_end|>'
  const input_ids = Array.from(tokenizer.encode(chat, { specials: true }))
  const record = { input_ids, loss_mask: input_ids.map(() => 1), prompt_length: input_ids.length - 4 }
  const { found } = await checkOf(`${JSON.stringify(record)}\n${JSON.stringify(record)}\n`)
  expect(found.map(({ message }) => message.replace(/\d+/, 'N'))).toEqual([
    'N tokens of the system turn, which belongs to the prompt, carry loss',
    'N tokens of a user turn, which belongs to the prompt, carry loss',
    'N tokens of the system turn, which belongs to the prompt, carry loss',
    'N tokens of a user turn, which belongs to the prompt, carry loss',
  ])
})
