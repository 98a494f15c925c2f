import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Manifest } from '../../shared/exports/manifest.ts'
import { Lab } from '../../shared/session/lab/lab.ts'
import type { CutRules, TriedLimits } from '../../shared/session/lab/limits.ts'
import type { LossSettings } from '../../shared/session/lab/loss.ts'
import { memorySource } from '../containers/memory-source.ts'
import { assistant, conversation, type RecordOptions, SEARCH_TOOL, system, user } from '../helpers/conversation.ts'
import { readSample, type SampleRecord, sampleBytes } from '../samples/read-sample.ts'
import {
  audited,
  cleanRollout,
  gatedSource,
  lines,
  qwen,
  rolloutWithTrainedReply,
  cutRollout as shortened,
  turnsOf,
} from './dumps.ts'
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
    expect(free.basis).toEqual({ lookedInto: 8, rollouts: 8, withTurns: 8, withDocuments: 1, howToRecordIds: null })
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

  it('counts no supporting document as cut where no message tells that it was ever retrieved', async () => {
    const rows = gunzipSync(sampleBytes('verifiers-2025-08')).toString('utf8').trim().split('\n')
    const page = enginePage()
    await page.open({
      'run.jsonl': rows.map((row) => JSON.stringify({ ...JSON.parse(row), messages: undefined })).join('\n'),
    })
    const { inDump, cost } = await page.ask('tryLimits', { limits: NO_LIMITS, ...PLAIN, curve: 'max_seq_len' })
    expect(inDump.supporting).toBeNull()
    expect(cost.supporting.of).toBe(186)
  })

  it('draws what a limit costs as far as the one in force, which no prompt comes near', async () => {
    const page = enginePage()
    await page.open({ 'run.jsonl': gunzipSync(sampleBytes('verifiers-2025-08')).toString('utf8') })
    const tried = { ...NO_LIMITS, max_prompt_length: 462 }
    const { curve, reach } = await page.ask('tryLimits', { ...PLAIN, limits: tried, curve: 'max_prompt_length' })
    expect(reach.max_prompt_length).toBeLessThan(462)
    expect(curve.slice(-2)).toMatchObject([
      { value: 462, cut: 0 },
      { value: 768, cut: 0 },
    ])
  })

  it('counts a rollout that breaks off in a reply as one whose answer never came, and none that its messages hold under no limit', async () => {
    const page = enginePage()
    await page.open({ 'run.jsonl': gunzipSync(sampleBytes('verifiers-2025-08')).toString('utf8') })
    const input = { ...PLAIN, completionPer: 'turn' as const, curve: 'max_seq_len' as const }
    const { inDump, cost, curve } = await page.ask('tryLimits', { ...input, limits: NO_LIMITS })
    // 13 last turns break off, 7 at the limit of a turn and 6 at 1,024; 17 rollouts break off in a reply.
    expect(inDump.answers).toEqual({ of: 96, cut: 13, unreached: 17 })
    // Of 188 supporting documents that the messages hold 186 stand whole in the ids, 15 of them behind the last word of the model.
    expect(inDump.supporting).toEqual({ of: 188, cut: 2, unanswered: 15 })
    expect(cost.supporting).toEqual({ of: 186, cut: 0 })
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

  it('counts rollouts whose advantage is 0 where 0 stands, also where no other has one', async () => {
    const tokenizer = await qwen()
    const rollouts = [1, 2, 3].map((words) =>
      conversation(tokenizer, [user('Who?'), assistant('Ada '.repeat(words))], {
        id: `${words}`,
        group: 'g',
        reward: 1,
      }),
    )
    const page = await opened(lines(rollouts))
    const told = await page.ask('tryLoss', { scaling: 'none', eps: 0, lossType: 'grpo', localRows: null })
    expect(told.largestAdvantage).toBe(0)
    const { length } = told.advantages
    expect(told.advantages.slice(length / 2 - 1, length / 2 + 1)).toEqual([0, 3])
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

  it('says of rollouts that cannot be repaired whether a mask or their turns lack, and how a mask is written', async () => {
    const tokenizer = await qwen()
    const unmasked = [1, 2].map((seed) => cleanRollout(tokenizer, seed, { mask: 'none' }))
    const none = await (await opened(lines(unmasked))).ask('tryRepair', {})
    expect(none).toMatchObject({ repairable: 0, unrepairable: { 'no-mask': 2, 'no-turns': 0, excluded: 0 } })
    expect(none.howToRecord).toMatch(/one number for each token under `loss_mask`/)

    const ids = tokenizer.encode('A plain text without any turn in it.')
    const plain = { id: 'plain', input_ids: ids, loss_mask: ids.map(() => 1) }
    const unframed = await (await opened(`${JSON.stringify(plain)}\n`)).ask('tryRepair', {})
    expect(unframed).toMatchObject({ repairable: 0, unrepairable: { 'no-mask': 0, 'no-turns': 1, excluded: 0 } })
    expect(unframed.howToRecord).toBeNull()

    const all = await (await opened(faulty)).ask('tryRepair', {})
    expect(all.unrepairable).toEqual({ 'no-mask': 0, 'no-turns': 0, excluded: 0 })
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

  it('tries a policy beside the second run as well, so that nothing comes out otherwise for want of that', async () => {
    const page = await opened(faulty)
    const sources = [{ kind: 'bytes' as const, name: 'second.jsonl', bytes: new TextEncoder().encode(dump) }]
    await page.ask('compare', { sources })
    expect(await page.ask('tryPolicy', { policy: 'rl', intend: [] })).toMatchObject({ checks: [], verdicts: [] })
  })

  it('compares a policy that is tried while a run is read with all of that run', async () => {
    const tokenizer = await qwen()
    const more = { more: { meta: { note: 'x'.repeat(60_000) } } }
    const large = lines(Array.from({ length: 60 }, (_, seed) => rolloutWithTrainedReply(tokenizer, seed, more)))
    const slow = gatedSource(large, 1 << 18, 'slow')
    slow.let(12)
    const page = enginePage(new Map([['slow', slow.source]]))
    await page.ask('open', { sources: [{ kind: 'file', name: 'slow', file: null }], options: {} })
    const trying = page.ask('tryPolicy', { policy: 'rl', intend: [] })
    await page.ask('boundaries', {})
    slow.let(1000)
    expect(await trying).toMatchObject({ checks: [], verdicts: [] })
  })

  it('answers two questions at once out of what each of them found, though the run has grown between them', async () => {
    const session = await audited([memorySource(dump)])
    let revision = 0
    // More is read whenever somebody looks.
    const again = Object.create(session.again, { revision: { get: () => revision++ } })
    const lab = new Lab(() => ({ again, dump: session.dump }))
    const hooks = { signal: new AbortController().signal, tell: () => undefined }
    const [limits, repair] = await Promise.all([lab.limits(NO_LIMITS, PLAIN, 'max_seq_len', hooks), lab.repair(hooks)])
    expect(limits.basis.lookedInto).toBe(8)
    expect(limits.cost.rollouts).toBe(8)
    expect(repair.basis.lookedInto).toBe(8)
  })
})
