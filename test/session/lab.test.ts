import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Manifest } from '../../shared/exports/manifest.ts'
import type { CutRules, TriedLimits } from '../../shared/session/lab/limits.ts'
import type { LossSettings } from '../../shared/session/lab/loss.ts'
import { assistant, conversation, type RecordOptions, SEARCH_TOOL, system, user } from '../helpers/conversation.ts'
import { readSample, type SampleRecord, sampleBytes } from '../samples/read-sample.ts'
import { cleanRollout, lines, qwen, rolloutWithTrainedReply, cutRollout as shortened, turnsOf } from './dumps.ts'
import { enginePage } from './engine-page.ts'

const NO_LIMITS: TriedLimits = {
  max_prompt_length: null,
  max_completion_length: null,
  max_seq_len: null,
  max_tool_response_length: null,
}

const PLAIN: CutRules = { promptCut: 'left', completionPer: 'completion' }

describe('the lab', () => {
  const DOCUMENT = 'The river Arn rises in the hills of Teal, not far from the old mill of Quarrow.'
  let dump: string
  let faulty: string
  beforeAll(async () => {
    const tokenizer = await qwen()
    const rewards = [0, 1, 0.5, 1, 0.2, 0.2, 0.2, 0.2]
    const options = (seed: number): RecordOptions => ({
      group: `q${Math.floor(seed / 4)}`,
      reward: rewards[seed] as number,
      more: { documents: [{ id: 'd', title: null, text: DOCUMENT, supporting: true }] },
    })
    const rollouts = rewards.map((_, seed) => cleanRollout(tokenizer, seed, options(seed)))
    dump = lines(
      rollouts.map((rollout, seed) => {
        if (seed > 0) return rollout
        // The first one was told its document.
        const turns = turnsOf(tokenizer, seed, { tool: { text: `[1] ${DOCUMENT}` } })
        return conversation(tokenizer, turns, { ...options(seed), id: 'told', tools: [SEARCH_TOOL], messages: true })
      }),
    )
    faulty = lines(
      [0, 1, 2].map((seed) => (seed === 1 ? cleanRollout(tokenizer, seed) : rolloutWithTrainedReply(tokenizer, seed))),
    )
  })

  const opened = async (text = dump) => {
    const page = enginePage()
    await page.open({ 'run.jsonl': text })
    return page
  }

  it('loses nothing without limits, and with one what stands behind it', async () => {
    const page = await opened()
    const report = await page.ask('report', {})
    const input = { ...PLAIN, curve: 'max_seq_len' as const }
    const free = await page.ask('tryLimits', { ...input, limits: NO_LIMITS })
    expect(free.cost).toMatchObject({ rollouts: 8, cut: 0, tokens: { lost: 0, of: report.totals.tokens.total } })
    expect(free.cost.trained).toEqual({ of: report.totals.tokens.trained, lost: 0 })
    expect(free.cost.supporting).toEqual({ of: 1, cut: 0 })
    expect(free.basis).toEqual({ lookedInto: 8, rollouts: 8, withTurns: 8, withDocuments: 1 })
    const tight = await page.ask('tryLimits', {
      ...input,
      limits: { ...NO_LIMITS, max_seq_len: free.cost.longest - 2 },
    })
    expect(tight.cost.cut).toBeGreaterThan(0)
    expect(tight.cost.cut).toBeLessThan(8)
    // The newline behind the end token is no part of the answer; the token itself is.
    expect(tight.cost.answers.cut).toBeGreaterThan(0)
    expect(tight.cost.answers.cut).toBeLessThanOrEqual(tight.cost.cut)
    expect(tight.curve[0]).toMatchObject({ value: 0, cut: 1, answers: 1, supporting: 1 })
    expect(tight.curve.at(-1)).toMatchObject({ value: free.reach.max_seq_len, cut: 0, answers: 0 })
    const cuts = tight.curve.map(({ cut }) => cut)
    expect([...cuts].sort((a, b) => b - a)).toEqual(cuts)
    // What stands beside the curve is what the table says, at any value.
    for (const back of [3, 7, 11, 17]) {
      const tried = free.cost.longest - back
      const { cost, curve } = await page.ask('tryLimits', { ...input, limits: { ...NO_LIMITS, max_seq_len: tried } })
      expect(curve.find(({ value }) => value === tried)?.cut).toBe(cost.cut / cost.rollouts)
    }
  })

  it('finds a document by its own tokens', async () => {
    const page = await opened()
    const { cost } = await page.ask('tryLimits', {
      limits: { ...NO_LIMITS, max_tool_response_length: 4 },
      ...PLAIN,
      curve: 'max_tool_response_length',
    })
    expect(cost.by.max_tool_response_length).toBe(8)
    expect(cost.supporting).toEqual({ of: 1, cut: 1 })
    expect(cost.answers.cut).toBe(0)
  })

  it('cuts by turn where the limit holds for each', async () => {
    const page = await opened()
    const input = { limits: { ...NO_LIMITS, max_completion_length: 40 }, curve: 'max_completion_length' as const }
    const whole = await page.ask('tryLimits', { ...input, ...PLAIN })
    const perTurn = await page.ask('tryLimits', { ...input, ...PLAIN, completionPer: 'turn' })
    expect(whole.cost.cut).toBe(8)
    expect(perTurn.cost.cut).toBe(0)
    expect(perTurn.reach.max_completion_length).toBeLessThanOrEqual(40)
    expect(whole.reach.max_completion_length).toBeGreaterThan(40)
  })

  it('says what was cut before the dump was written', async () => {
    const tokenizer = await qwen()
    const page = await opened(dump + lines([shortened(tokenizer, 9)]))
    const { inDump } = await page.ask('tryLimits', { limits: NO_LIMITS, ...PLAIN, curve: 'max_seq_len' })
    expect(inDump).toMatchObject({ rollouts: { of: 9, cut: 1 }, answers: { of: 9, cut: 1 }, starts: { of: 9, cut: 0 } })
    expect(inDump.lostTokens).toBeGreaterThan(0)
  })

  it('counts a rollout that breaks off in a reply as one whose answer never came, and none that its messages hold under no limit', async () => {
    const page = enginePage()
    await page.open({ 'run.jsonl': gunzipSync(sampleBytes('verifiers-2025-08')).toString('utf8') })
    const input = { ...PLAIN, completionPer: 'turn' as const, curve: 'max_seq_len' as const }
    const { inDump, cost, curve } = await page.ask('tryLimits', { ...input, limits: NO_LIMITS })
    // 13 last turns break off, 7 at the limit of a turn and 6 at 1,024; 17 rollouts break off in a reply.
    expect(inDump.answers).toEqual({ of: 96, cut: 13, unreached: 17 })
    expect(cost.answers).toEqual({ of: 79, cut: 0, unreached: 0 })
    // Behind the 7 that the sampler stopped nothing was ever written.
    expect(cost.regained).toEqual({ of: 30, untold: 7, whole: 23 })
    expect(cost.notWhole).toEqual({ of: 96, cut: 7 })
    expect(curve.at(-1)?.answers).toBe(7 / 96)
    const within = await page.ask('tryLimits', { ...input, limits: { ...NO_LIMITS, max_seq_len: 1023 } })
    expect(within.cost).toMatchObject({ cut: 23, answers: { cut: 6, unreached: 0 }, notWhole: { cut: 30 } })
  })

  it('counts what a wider limit keeps of the texts that the messages hold, and nothing under the one in force', async () => {
    const page = enginePage()
    await page.open({ 'run.jsonl': gunzipSync(sampleBytes('verifiers-2025-08')).toString('utf8') })
    const input = { ...PLAIN, completionPer: 'turn' as const, curve: 'max_seq_len' as const }
    const regained = async (max_seq_len: number, max_completion_length: number | null = 128) => {
      const { cost } = await page.ask('tryLimits', {
        ...input,
        limits: { ...NO_LIMITS, max_seq_len, max_completion_length },
      })
      expect(cost.regained).toMatchObject({ of: 30, untold: 7 })
      return cost.regained.whole
    }
    const wider = [await regained(1024), await regained(1050), await regained(1100), await regained(1280)]
    expect(wider[0]).toBe(0)
    expect(wider.at(-1)).toBe(23)
    expect([...wider].sort((a, b) => a - b)).toEqual(wider)
    expect(new Set(wider).size).toBeGreaterThan(2)
    // Within the sequence, and yet no turn may be as long as the missing answers are.
    expect(await regained(1280, 10)).toBe(0)
  })

  it('says of its step what a rollout pulls', async () => {
    const page = enginePage()
    await page.open({ 'run.jsonl': gunzipSync(sampleBytes('verifiers-2025-08')).toString('utf8') })
    const settings: LossSettings = { scaling: 'recorded', eps: 1e-6, lossType: 'grpo', localRows: null }
    const { most, byPart } = await page.ask('tryLoss', settings)
    const own = readSample('verifiers-2025-08')
    const pull = ({ loss_mask, advantage }: SampleRecord) =>
      loss_mask.some((value) => value === 1) ? Math.abs(advantage) : 0
    for (const { id, step, pull: told } of most) {
      const record = own.find((each) => each.id === id) as SampleRecord
      const batch = own.filter((each) => each.step === record.step)
      expect(step).toBe(record.step)
      // Under grpo every rollout that trains counts alike, so that only advantages tell.
      expect(told).toBeCloseTo(pull(record) / batch.reduce((sum, each) => sum + pull(each), 0), 9)
    }
    expect(byPart.reduce((sum, part) => sum + part.pull, 0)).toBeCloseTo(1, 9)
  })

  it('takes a rollout that the environment ended behind a whole reply for one that nothing cut', async () => {
    const tokenizer = await qwen()
    const turns = turnsOf(tokenizer, 1)
    const ends = turns.slice(0, turns.findLastIndex(({ role }) => role === 'tool') + 1)
    const page = await opened(lines([conversation(tokenizer, ends, { finishReason: 'stop', messages: true })]))
    const { inDump, cost } = await page.ask('tryLimits', { limits: NO_LIMITS, ...PLAIN, curve: 'max_seq_len' })
    expect(inDump.answers).toEqual({ of: 1, cut: 0, unreached: 0 })
    expect(cost.notWhole).toEqual({ of: 1, cut: 0 })
  })

  it.each([
    {},
    { intend: ['C01'] },
    { checks: ['M01'] },
  ])('opens the rollouts that it counts as cut in the dump, also under %j', async (options) => {
    const tokenizer = await qwen()
    const rollouts = Array.from({ length: 8 }, (_, at) => {
      const turns = [user('Who?'), assistant(`Ada, says ${at}.`)]
      return conversation(tokenizer, at < 2 ? turns : [system('Be brief.'), ...turns], { id: `${at}`, group: 'g' })
    })
    const page = enginePage()
    await page.open({ 'run.jsonl': lines(rollouts) }, options)
    const { inDump } = await page.ask('tryLimits', { limits: NO_LIMITS, ...PLAIN, curve: 'max_seq_len' })
    const listed = async (text: string) => (await page.ask('search', { text })).indices.length
    expect(inDump.rollouts.cut).toBe(2)
    expect(inDump.starts?.cut).toBe(2)
    expect(await listed('lost:any has:ids')).toBe(2)
    expect(await listed('lost:start has:ids')).toBe(2)
  })

  it('parts rollouts of many equal lengths into fewer than four', async () => {
    const tokenizer = await qwen()
    const rollouts = [1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5].map((words, at) =>
      conversation(tokenizer, [user('Who?'), assistant('Ada '.repeat(words))], {
        id: String(at),
        group: 'g',
        reward: at / 12,
      }),
    )
    const page = await opened(lines(rollouts))
    const { byLength } = await page.ask('tryLoss', { scaling: 'none', eps: 0, lossType: 'grpo', localRows: null })
    expect(byLength.map(({ rollouts }) => rollouts)).toEqual([8, 1, 3])
  })

  it('shares the update out: dead groups pull nothing, and a long rollout more where all tokens count the same', async () => {
    const page = await opened()
    const settings: LossSettings = { scaling: 'none', eps: 1e-4, lossType: 'grpo', localRows: null }
    const centred = await page.ask('tryLoss', settings)
    expect(centred.groups).toEqual({ complete: 2, dead: 1, amplified: 0 })
    expect(centred.largestAdvantage).toBeCloseTo(0.625)
    expect(centred.most.every(({ index }) => index < 4)).toBe(true)
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
    expect(sum(centred.byPart.map(({ pull }) => pull))).toBeCloseTo(1)
    expect(sum(centred.byTurn.map(({ pull }) => pull))).toBeCloseTo(1)
    expect(sum(centred.byLength.map(({ pull }) => pull ?? 0))).toBeCloseTo(1)
    const { byLength } = centred
    expect(byLength.reduce((all, { rollouts }) => all + rollouts, 0)).toBe(8)
    for (const [i, { from }] of byLength.slice(1).entries()) expect(from).toBeGreaterThan(byLength[i]?.to as number)
    expect(centred.byTurn.map(({ turn }) => turn)).toEqual([1, 2])
    const scaled = await page.ask('tryLoss', { ...settings, scaling: 'group' })
    expect(scaled.largestAdvantage).toBeGreaterThan(1)
    const recorded = await page.ask('tryLoss', { ...settings, scaling: 'recorded' })
    expect(recorded).toMatchObject({ known: 0, largestAdvantage: null, byPart: [], most: [] })
  })

  it('tells of a repair what the export does', async () => {
    const page = await opened(faulty)
    const tried = await page.ask('tryRepair', {})
    expect(tried).toMatchObject({ repairable: 3, changed: 2, indices: [0, 2] })
    expect(tried.parts.every(({ part, toTrain }) => toTrain === 0 && ['tool', 'other'].includes(part))).toBe(true)
    const files = await page.exported({ as: 'native', indices: [0, 1, 2], why: 'test', repairMasks: true })
    const manifest = JSON.parse(new TextDecoder().decode(files.find(({ name }) => name === 'manifest.json')?.bytes))
    const text = JSON.stringify(manifest)
    for (const { tokens } of tried.examples) expect(text).toContain(`${tokens}`)
    expect((await (await opened()).ask('tryRepair', {})).changed).toBe(0)
    const one = await page.ask('repairOf', { index: 2 })
    const lengths = one?.runs.map(({ start, end }) => end - start) ?? []
    expect(lengths.reduce((a, b) => a + b, 0)).toBe(one?.tokens)
    expect(one?.tokens).toBe(tried.examples[1]?.tokens)
    expect(one?.runs[0]).toMatchObject({ to: 'masked', part: 'tool', turn: 3 })
    expect(one?.runs[0]?.text).toContain('Document 2: the river Arn')
    expect([...(one?.after ?? [])]).not.toEqual([...(one?.before ?? [])])
    expect((await page.ask('repairOf', { index: 1 }))?.runs).toEqual([])
  })

  it('lets rows that were masked whole on purpose stand apart, and repairs them only when asked', async () => {
    const tokenizer = await qwen()
    const { record } = rolloutWithTrainedReply(tokenizer, 4)
    const masked = { ...record, loss_mask: record.input_ids.map(() => 0), is_truncated: true }
    const page = await opened(`${faulty}${JSON.stringify(masked)}\n`)
    const tried = await page.ask('tryRepair', {})
    expect(tried).toMatchObject({ repairable: 4, changed: 2, indices: [0, 2] })
    expect(tried.maskedWhole).toEqual([{ because: 'flagged as truncated', indices: [3] }])
    for (const as of ['source', 'native'] as const) {
      for (const repairMaskedWhole of [false, true]) {
        const request = { as, indices: [2, 3], why: 'test', repairMasks: true, repairMaskedWhole }
        const files = await page.exported(request)
        const text = (at: number) => new TextDecoder().decode(files.at(at)?.bytes)
        const { trajectories, notes } = JSON.parse(text(-1)) as Manifest
        expect(trajectories[0]).not.toHaveProperty('masked_whole')
        expect(trajectories[1]).toMatchObject({ masked_whole: 'flagged as truncated' })
        expect(notes.join()).toContain(repairMaskedWhole ? 'trained again here' : 'left as it is')
        const written = JSON.parse(text(0).trim().split('\n')[1] as string) as { loss_mask: number[] }
        expect(written.loss_mask.includes(1)).toBe(repairMaskedWhole)
        expect((trajectories[1]?.repaired ?? 0) > 0).toBe(repairMaskedWhole)
      }
    }
  })

  it('tries a policy beside what is open', async () => {
    const page = await opened(faulty)
    const tried = await page.ask('tryPolicy', { policy: 'rl', intend: ['M01'] })
    expect(tried.policy.intended).toContain('M01')
    expect(tried.checks.find(({ code }) => code === 'M01')).toMatchObject({
      before: { status: 'fail', affected: 2 },
      after: { affected: 0, intended: 2 },
    })
    expect((await page.ask('report', {})).policy.intended).not.toContain('M01')
    const last = await page.ask('tryPolicy', { policy: 'last-turn', intend: [] })
    expect(last.checks.find(({ code }) => code === 'M03')).toMatchObject({
      before: { status: 'pass', affected: 0 },
      after: { status: 'fail' },
    })
  })
})
