import { describe, expect, it } from 'vitest'
import { tellLostBesideZeros, tellLostNumbers } from '../../shared/checks/logprobs/lost-numbers.ts'
import { Provenance, type Turn } from '../../shared/model/tokens.ts'
import { type Scores, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import type { Conversation } from '../helpers/conversation.ts'
import { audited, qwen } from '../session/dumps.ts'

type Edit = Parameters<typeof scoredRows>[0]

/** A text that no dump has, in whose place a bare NaN is written. */
const NAN = '@NaN@'

const idsOf = ({ record }: Conversation) => record.input_ids as number[]
const maskOf = ({ record }: Conversation) => record.loss_mask as number[]
const scoresOf = ({ record }: Conversation) => (record as unknown as { logprobs: Omit<Scores, 'sampled'> }).logprobs

/** As NeMo-RL logs its training data: 0.0 on what nobody sampled. */
const ofNemo = (row: Conversation, index: number) => ({
  token_ids: idsOf(row),
  token_loss_mask: maskOf(row),
  sample_loss_mask: 1,
  generation_logprobs: scoresOf(row).sampler.map((value) => value ?? 0),
  prev_logprobs: scoresOf(row).trainer.map((value) => value ?? 0),
  idx: index,
})

/** A group of Atropos: 1.0 on what nobody sampled, and the ids of trained tokens for labels. */
const ofAtropos = (rows: readonly Conversation[]) => ({
  tokens: rows.map(idsOf),
  masks: rows.map((row) => maskOf(row).map((flag, token) => (flag === 1 ? idsOf(row)[token] : -100))),
  scores: rows.map((_, index) => index % 2),
  inference_logprobs: rows.map((row) => scoresOf(row).sampler.map((value) => value ?? 1)),
})

async function told(records: readonly object[]) {
  const text = records.map((record) => JSON.stringify(record)).join('\n')
  const report = (await audited(text.replaceAll(`"${NAN}"`, 'NaN').replaceAll('"@null@"', 'null'))).report()
  const failing = report.checks.flatMap(({ code, status, severity }) =>
    status === 'fail' && severity !== 'info' ? [code] : [],
  )
  return { failing, message: report.findings.find(({ code }) => code === 'L05')?.message }
}

const nemo = async (edit: Edit) => told(scoredRows(edit)(await qwen()).map(ofNemo))
const atropos = async (edit: Edit) => told([ofAtropos(scoredRows(edit, () => ({}), 4)(await qwen()))])

/** Puts `value` for the sampler's logprob of tokens. */
function put({ sampler }: Pick<Scores, 'sampler'>, value: unknown, tokens: readonly number[]) {
  for (const token of tokens) (sampler as unknown[])[token] = value
}

const spanOf = (start: number, end: number) => Array.from({ length: end - start }, (_, k) => start + k)

const all = ({ layout }: Conversation) => layout.at(-1)!

describe('a trained token without a number, where the format writes 0.0 on what nobody sampled', () => {
  it.each([0, 1, 12])('lost it, %i tokens into the reply, be it NaN or null', async (offset) => {
    for (const value of [NAN, '@null@']) {
      const edit: Edit = (scores, row) => put(scores, value, [all(row).contentStart + offset])
      const { failing, message } = await nemo(edit)
      expect(failing).toEqual(['L05'])
      expect(message).toMatch(
        /^1 token carries loss .*: the sampler's at token \d+ is NaN or null, where it scored others/,
      )
    }
  })

  it('may have none where masked tokens among the trained ones have none either', async () => {
    const edit: Edit = (scores, row) => {
      const [, second] = row.layout.filter(({ role }) => role === 'assistant')
      put(scores, NAN, [second!.contentStart + 3, second!.start])
    }
    expect((await nemo(edit)).failing).not.toContain('L05')
  })

  it('lost it with those beside it: several in a row, a whole reply, all that the rollout trains', async () => {
    const edits: readonly ((row: Conversation) => readonly number[])[] = [
      (row) => spanOf(all(row).contentStart, all(row).contentStart + 5),
      (row) => spanOf(all(row).contentStart + 2, all(row).contentStart + 7),
      (row) => spanOf(all(row).contentStart, all(row).endToken + 1),
      (row) => spanOf(0, maskOf(row).length).filter((token) => maskOf(row)[token] === 1),
    ]
    for (const tokens of edits) {
      for (const value of [NAN, '@null@']) {
        const { failing, message } = await nemo((scores, row) => put(scores, value, tokens(row)))
        expect(failing).toEqual(['L05'])
        expect(message).toMatch(
          /^\d+ tokens carry loss .* NaN or null, (where it scored others|as on every token of this rollout that carries loss)/,
        )
      }
    }
  })

  it('may have none where the row shows by no 0 that somebody wrote numbers, or holds a part of them', () => {
    const { sampled, notSampled, silent } = Provenance
    const mask = Uint8Array.of(0, 0, 1, 1, 0, 1)
    const lost = (sampler: readonly number[], expected: readonly number[]) => {
      const told = Uint8Array.from(sampler, (value) =>
        Number.isNaN(value) ? notSampled : value === 0 ? silent : sampled,
      )
      const stored = expected.map((length) => ({ name: 'rollout_log_probs', length, expected: length }))
      const before = Uint8Array.from(told)
      tellLostBesideZeros(told, Float32Array.from(sampler), mask, stored)
      return [...told.keys()].filter((token) => told[token] !== before[token])
    }
    const nan = Number.NaN
    expect(lost([0, 0, nan, nan, 0, nan], [6])).toEqual([2, 3, 5])
    expect(lost([nan, nan, nan, nan, 0, nan], [4])).toEqual([2, 3, 5])
    expect(lost([nan, nan, -1, nan, 0, nan], [4])).toEqual([3, 5])
    expect(lost([nan, nan, nan, nan, nan, nan], [6])).toEqual([])
    expect(lost([0, 0, -1, nan, nan, -1], [6])).toEqual([])
    expect(lost([nan, nan, nan, nan, 0, -1], [2])).toEqual([])
    expect(lost([nan, nan, nan, nan, 0, -1], [2, 2])).toEqual([])
  })
})

describe('a trained token with the 1.0 that Atropos writes on what nobody sampled', () => {
  it.each([0, 1, 12])('is a placeholder %i tokens into the reply, and no prefill of the template', async (offset) => {
    const edit: Edit = (scores, row) => put(scores, 1, [all(row).contentStart + offset])
    const { failing, message } = await atropos(edit)
    expect(failing).toEqual(['L05'])
    expect(message).toMatch(/: the sampler's at token \d+ is 1$/)
  })

  it('is as likely one of a prefill where several words of a reply begin with it, which M09 says', async () => {
    const first = (at: number, row: Conversation) => all(row).contentStart + at
    const rows = scoredRows(
      (scores, row) => put(scores, 1, [first(0, row), first(1, row)]),
      () => ({}),
      4,
    )(await qwen())
    const report = (await audited(JSON.stringify(ofAtropos(rows)))).report()
    expect(report.findings.find(({ code }) => code === 'M09')?.message).toMatch(
      /^2 tokens at the beginning of assistant turn \d carry loss, and the dump says that the model did not write them: a prefill, unless /,
    )
  })

  it('is none on what carries no loss', async () => {
    const edit: Edit = (scores, row) => {
      const { contentStart } = all(row)
      put(scores, 1, [contentStart])
      maskOf(row)[contentStart] = 0
    }
    expect((await atropos(edit)).failing).not.toContain('L05')
  })

  it('was not sampled where the template or the environment wrote it: the header, a reply of a tool', async () => {
    const header = await atropos((_scores, row) => maskOf(row).fill(1, all(row).start, all(row).contentStart))
    expect(header.failing).toEqual(['M08'])
    const reply = await atropos((_scores, row) => {
      const { contentStart, contentEnd } = row.layout.find(({ role }) => role === 'tool' || role === 'user')!
      maskOf(row).fill(1, contentStart, contentEnd)
    })
    expect(reply.failing).toContain('M01')
    expect(reply.failing).not.toContain('L05')
  })

  it('was not sampled where it opens a block of thought, stands at a result inside the reply, or closes it', () => {
    const turn = { kind: 'assistant', contentStart: 2, contentEnd: 12, endToken: 12 }
    const lost = (places: readonly number[], spans: readonly object[] = []) => {
      const of = new Uint8Array(14).fill(Provenance.sampled)
      of.fill(Provenance.notSampled, 0, 2)
      for (const token of places) of[token] = Provenance.notSampled
      const mask = new Uint8Array(14).fill(1, 2)
      tellLostNumbers(of, [{ ...turn, spans } as unknown as Turn], mask, true)
      return [...of.keys()].filter((token) => of[token] === Provenance.silent)
    }
    expect(lost([2, 6, 11])).toEqual([2, 6, 11])
    expect(lost([2, 3, 6], [{ part: 'think', start: 2, end: 9 }])).toEqual([6])
    expect(lost([3, 5, 6, 7, 8, 10], [{ part: 'tool', start: 6, end: 8 }])).toEqual([3, 10])
    expect(lost([4, 10, 11, 12])).toEqual([4])
    expect(lost([4, 6, 7])).toEqual([4])
  })
})
