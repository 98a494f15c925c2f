import { beforeAll, describe, expect, it } from 'vitest'
import { assistant, conversation, tool, user } from '../helpers/conversation.ts'
import { bytes, compared } from './compared.ts'
import { comparedRuns } from './compared-runs.ts'
import { expectAligned, measureOf, unitsOf } from './comparing.ts'
import { cleanRollout, lines, qwen } from './dumps.ts'
import { enginePage } from './engine-page.ts'

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed)

let training: string
let evaluation: string
let single: string
beforeAll(async () => {
  ;({ training, evaluation, single } = await comparedRuns())
})

describe('two runs beside each other', () => {
  it('have every measure of either, the largest difference that is more than chance first', async () => {
    const page = await compared(training, evaluation)
    const comparison = await page.ask('comparison', {})
    expect(comparison.here).toMatchObject({ names: ['first.jsonl'], rollouts: 12, groups: 12, tokenizer: 'qwen2.5' })
    expect(comparison.there).toMatchObject({ names: ['second.jsonl'], rollouts: 12 })
    expect(measureOf(comparison, 'reward.mean')).toMatchObject({ here: 0.25, there: 1, distance: 0.75, isSure: true })
    expect(measureOf(comparison, 'ends.cut')).toMatchObject({ here: 0, there: 4 / 12, isSure: true })
    expect(measureOf(comparison, 'checks.M01')).toMatchObject({
      here: 1,
      there: 0,
      distance: 1,
      isSure: true,
      codes: ['M01'],
    })
    expect(measureOf(comparison, 'loss.part tool')).toMatchObject({ here: 1, there: 0 })
    expect(measureOf(comparison, 'verdicts.H02')).toMatchObject({ here: 'supported', unit: 'text' })
    const ranks = comparison.measures.map(({ distance, isSure }) =>
      distance === null ? 3 : distance === 0 ? 2 : isSure === false ? 1 : 0,
    )
    expect(ranks).toEqual([...ranks].sort())
    const sure = comparison.measures.filter((_, at) => ranks[at] === 0).map(({ distance }) => distance as number)
    expect(sure).toEqual([...sure].sort((a, b) => b - a))
    expect(comparison.together.map(({ id }) => id).sort()).toEqual(['H06-library', 'H07', 'H08'])
    for (const { here, there } of comparison.spreads) {
      expect(here.reduce((a, b) => a + b, 0)).toBeCloseTo(1)
      expect(there.reduce((a, b) => a + b, 0)).toBeCloseTo(1)
    }
    expect(comparison.series.find(({ name }) => name === 'mean reward')).toEqual({
      name: 'mean reward',
      unit: 'number',
      here: { steps: [1, 2], to: [1, 2], values: [2 / 6, 1 / 6] },
      there: { steps: [], to: [], values: [] },
    })
    expect(comparison.steps).toEqual([1, 2])
  })

  it('tell limits that differ between the rollouts of a run', async () => {
    const tokenizer = await qwen()
    const run = (limitOf: (seed: number) => number) =>
      lines(SEEDS.map((seed) => cleanRollout(tokenizer, seed, { more: { limits: { max_seq_len: limitOf(seed) } } })))
    const page = await compared(
      run((seed) => (seed < 8 ? 4096 : 8192)),
      run(() => 4096),
    )
    expect(measureOf(await page.ask('comparison', {}), 'setting.max_seq_len')).toMatchObject({
      here: '4,096 in 8 rollouts, 8,192 in 4 rollouts',
      there: '4,096',
      unit: 'text',
      isSure: true,
    })
  })

  it('say what a run lacks instead of a number', async () => {
    const page = await compared(training, single)
    const comparison = await page.ask('comparison', {})
    expect(measureOf(comparison, 'lengths.tool-reply')).toMatchObject({
      here: expect.any(Number),
      there: null,
      distance: null,
      isSure: null,
      lacks: { here: null, there: 'nothing to take it from' },
    })
    expect(measureOf(comparison, 'edges.tool>assistant header')).toMatchObject({
      there: null,
      lacks: { there: 'no such edge in this run' },
    })
    expect(comparison.measures.some(({ id }) => id === 'reward.within')).toBe(false)
    expect(comparison.pairs).toMatchObject({ pairs: 0, onlyHere: 12, onlyThere: 12, tools: null })
  })

  it('that are the same differ in nothing', async () => {
    const page = await compared(training, training)
    const { measures, pairs } = await page.ask('comparison', {})
    expect(measures.filter(({ distance }) => distance !== null && distance > 0)).toEqual([])
    expect(pairs).toMatchObject({
      pairs: 12,
      onlyHere: 0,
      onlyThere: 0,
      tools: { affected: 0 },
      system: { affected: 0 },
    })
    const { positions } = await page.ask('pairs', { differ: ['reward'] })
    expect(positions).toHaveLength(0)
  })

  it('do not call chance a difference', async () => {
    const lucky = training.replace('"reward":1', '"reward":0')
    const page = await compared(training, lucky)
    const comparison = await page.ask('comparison', {})
    const mean = measureOf(comparison, 'reward.mean')
    expect(mean.distance).toBeGreaterThan(0.2)
    expect(mean.isSure).toBe(false)
  })

  it('are compared with what a log alone tells', async () => {
    const log = JSON.stringify({
      global_step: 20,
      log_history: Array.from({ length: 20 }, (_, step) => ({ step, loss: 0.1, reward: 0.5, reward_std: 0.2 })),
    })
    const page = enginePage()
    await page.open({ 'first.jsonl': training })
    await page.ask('compare', { sources: [bytes('trainer_state.json', log)] })
    const comparison = await page.ask('comparison', {})
    expect(comparison.there).toMatchObject({ rollouts: 0, tokenizer: null })
    expect(measureOf(comparison, 'logs.reward')).toMatchObject({ here: null, there: 0.5, distance: null })
    expect(measureOf(comparison, 'reward.mean')).toMatchObject({ here: 0.25, there: null })
    expect(comparison.series.map(({ name }) => name)).toContain('reward, as logged')
    expect(comparison.pairs).toMatchObject({ pairs: 0, tools: null })
    const { files } = await page.ask('comparisonExport', { of: 'measures', as: 'markdown' })
    expect(new TextDecoder().decode(files[0]!.bytes)).toContain('## What only one of the runs tells')
  })

  it('need a second run', async () => {
    const page = enginePage()
    await page.open({ 'first.jsonl': training })
    await expect(page.ask('comparison', {})).rejects.toThrow('There is no second run to compare with.')
    await page.ask('compare', { sources: [bytes('second.jsonl', evaluation)] })
    expect((await page.ask('comparison', {})).there.rollouts).toBe(12)
    await page.ask('compare', { sources: null })
    await expect(page.ask('trajectory', { run: 'second', index: 0 })).rejects.toThrow('There is no second run')
  })
})

describe('the questions that two runs share', () => {
  it('are paired, with what differs between their prompts', async () => {
    const page = await compared(training, evaluation)
    const { pairs } = await page.ask('comparison', {})
    expect(pairs).toEqual({
      pairs: 9,
      onlyHere: 3,
      onlyThere: 3,
      words: 0,
      tools: { checked: 9, affected: 9 },
      system: { checked: 9, affected: 0 },
      rendering: null,
      opening: { checked: 9, affected: 0 },
      replies: { checked: 9, affected: 0 },
      // Two in three are scored 0 in the one and 1 in the other.
      likeAnswers: { checked: 9, affected: 6 },
      sameRecords: false,
    })
    const { positions, total } = await page.ask('pairs', { sort: 'cut', descending: true })
    expect(total).toBe(9)
    const rows = await page.ask('pairRows', { positions: [...positions] })
    expect(rows[0]).toMatchObject({
      group: 'q0',
      here: { rollouts: 1, reward: 1, cut: 0 },
      there: { rollouts: 1, reward: 1, cut: 1 },
      tools: true,
      system: false,
    })
    expect(await page.ask('pairs', { differ: ['tools', 'end'] })).toMatchObject({ total: 9 })
    expect((await page.ask('pairs', { differ: ['tools', 'end'] })).positions).toHaveLength(3)
    expect((await page.ask('pairs', { differ: ['scored'] })).positions).toHaveLength(6)
    const detail = await page.ask('pair', { position: 1 })
    expect(detail).toMatchObject({
      question: 'Where does river 1 rise?',
      here: [{ index: 1 }],
      there: [{ index: 1 }],
      prompt: [
        { what: 'system', says: [] },
        { what: 'tools', says: ['Only the open run has search.'] },
      ],
    })
    await expect(page.ask('pair', { position: 9 })).rejects.toThrow('both runs have 9 questions')
  })

  it('differ in how the prompt begins the answer, and in the role of replies', async () => {
    const tokenizer = await qwen()
    const [asUser, asTool] = ['user', 'tool'].map((role) => tokenizer.encode(role)[0] as number)
    const run = (isOther: boolean) =>
      lines(
        SEEDS.map((seed) => {
          const row = conversation(
            tokenizer,
            [user(`Where does river ${seed} rise?`), assistant('I look.'), tool('In a hill.'), assistant('In a hill.')],
            { id: `${seed}`, messages: true, reward: 1 },
          )
          const { headerEnd, contentStart } = row.layout[1]!
          expect(contentStart).toBe(headerEnd)
          if (!isOther) return { ...row, record: { ...row.record, prompt_length: headerEnd } }
          const written = tokenizer.encode('<think>\n\n</think>\n\n')
          const ids = [...row.record.input_ids]
          expect(ids[row.layout[2]!.start + 1]).toBe(asUser)
          ids[row.layout[2]!.start + 1] = asTool as number
          const into = (list: readonly number[], more: readonly number[]) => list.toSpliced(headerEnd, 0, ...more)
          const record = {
            ...row.record,
            input_ids: into(ids, written),
            loss_mask: into(row.record.loss_mask as number[], new Array(written.length).fill(0)),
            prompt_length: headerEnd + written.length,
          }
          return { ...row, record }
        }),
      )
    const page = await compared(run(false), run(true))
    const { pairs } = await page.ask('comparison', {})
    expect(pairs).toMatchObject({ opening: { checked: 12, affected: 12 }, replies: { checked: 12, affected: 12 } })
    expect((await page.ask('pairs', { differ: ['opening', 'replies'] })).positions).toHaveLength(12)
    expect(await page.ask('pairRows', { positions: [0] })).toMatchObject([{ opening: true, replies: true }])
    const { files } = await page.ask('comparisonExport', { of: 'pairs', as: 'csv' })
    expect(new TextDecoder().decode(files[0]!.bytes)).toContain('opening_differs,reply_roles_differ')
  })

  it('can be read in both runs', async () => {
    const page = await compared(training, evaluation)
    const own = await page.ask('trajectory', { index: 3 })
    const other = await page.ask('trajectory', { run: 'second', index: 3 })
    expect([own.run, other.run]).toEqual(['open', 'second'])
    expect(other.facts.isTruncated).toBe(true)
    expect(other.ids!.length).toBe(own.ids!.length - 12)
  })
})

describe('two rollouts, side by side', () => {
  it('of one run are aligned by ids, without their padding', async () => {
    const tokenizer = await qwen()
    const dump = lines([
      cleanRollout(tokenizer, 1, { padLeft: 5 }),
      cleanRollout(tokenizer, 2, { padRight: 7 }),
      cleanRollout(tokenizer, 1, { padRight: 3 }),
    ])
    const page = enginePage()
    await page.open({ 'one.jsonl': dump })
    const ask = (left: number, right: number) =>
      page.ask('alignment', { left: { run: 'open', index: left }, right: { run: 'open', index: right } })
    const other = await ask(0, 1)
    expect(other.by).toBe('ids')
    expectAligned(other)
    expect(other.left.from).toBe(5)
    expect(other.hunks.length).toBeGreaterThan(1)
    const at = other.prefix
    expect(unitsOf(other.left)[at]).not.toBe(unitsOf(other.right)[at])
    expect(other.left.turns.map(({ kind }) => kind)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant'])
    const same = await ask(0, 2)
    expectAligned(same)
    expect(same.hunks).toEqual([])
    expect(same.prefix).toBe(same.left.states.length)
  })

  it('of two runs too, and where there is text alone by words', async () => {
    const page = await compared(training, evaluation)
    const both = await page.ask('alignment', { left: { run: 'open', index: 4 }, right: { run: 'second', index: 4 } })
    expectAligned(both)
    expect(both.hunks).toEqual([])
    const tokenizer = await qwen()
    const texts = [1, 2].map((seed) => {
      const { id, messages } = cleanRollout(tokenizer, seed).record
      const [prompt, completion] = [(messages as unknown[]).slice(0, 2), (messages as unknown[]).slice(2)]
      return { example_id: id, prompt, completion, reward: 1, generation_ms: 1 }
    })
    const spoken = texts.map((record) => `${JSON.stringify(record)}\n`).join('')
    const alone = enginePage()
    await alone.open({ 'texts.jsonl': spoken })
    const words = await alone.ask('alignment', { left: { run: 'open', index: 0 }, right: { run: 'open', index: 1 } })
    expect(words.by).toBe('words')
    expectAligned(words)
    expect(words.hunks.length).toBeGreaterThan(0)
    expect(words.left.text).toContain('Where does river 1 rise?')
  })
})
