import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { unbiasedStd } from '../../shared/checks/groups/statistics.ts'
import { type GroupOrigin, groupsOf } from '../../shared/session/groups/groups.ts'
import { groupSummary } from '../../shared/session/groups/summary.ts'
import { GROUP_SORTS } from '../../shared/session/requests/groups.ts'
import type { Conversation, RecordOptions } from '../helpers/conversation.ts'
import { dumpOf, factsOf, groupFacts } from '../helpers/facts.ts'
import { cleanRollout, lines, qwen } from './dumps.ts'
import { enginePage } from './engine-page.ts'

const REWARDS: Readonly<Record<string, readonly number[]>> = {
  dead: [0.5, 0.5, 0.5, 0.5],
  noise: [0.6, 0.6, 0.61, 0.6],
  contrast: [0, 1, 0, 1],
  masked: [0.2, 0.9, 0.4, 0.1],
  short: [0.3, 0.7, 0.1],
}

/** (r − mean) / (std + 1e-4), as the old verifiers trainer makes advantages. */
function advantages(rewards: readonly number[]): number[] {
  const mean = rewards.reduce((a, b) => a + b, 0) / rewards.length
  return rewards.map((reward) => (reward - mean) / (unbiasedStd(rewards) + 1e-4))
}

let dump: string
beforeAll(async () => {
  const tokenizer = await qwen()
  let seed = 0
  const records: Conversation[] = []
  for (const [group, rewards] of Object.entries(REWARDS)) {
    for (const [member, reward] of rewards.entries()) {
      const more: RecordOptions = {
        group,
        reward,
        rewards: { right: reward, format: 0.1 },
        advantage: advantages(rewards)[member] as number,
        id: `${group}-${member}`,
        more: { step: group === 'short' ? 2 : 1 },
        // Rows that train nothing keep their reward.
        ...(group === 'masked' && member === 3 ? { editMask: (mask: number[]) => void mask.fill(0) } : {}),
      }
      // The second rollout of `contrast` is the first one again.
      const copied = group === 'contrast' && member === 1
      records.push(cleanRollout(tokenizer, copied ? seed - 1 : seed, more))
      seed++
    }
  }
  dump = lines(records)
})

async function opened(options = {}) {
  const page = enginePage()
  await page.open({ 'groups.jsonl': dump }, { thresholds: { 'duplicate-tokens': 4 }, ...options })
  return page
}

describe('the groups of a run', () => {
  it('are told apart by what their rewards are good for', async () => {
    const page = await opened()
    const summary = await page.ask('groupSummary', {})
    expect(summary).toMatchObject({
      groups: 5,
      ungrouped: 0,
      size: 4,
      kinds: { dead: 1, noise: 1, contrast: 2, incomplete: 1 },
      marks: { copies: 1, untrained: 1 },
      incompleteBecause: null,
      scaling: { scheme: 'group-std-unbiased', scaled: true, eps: 1e-4, origin: 'fitted' },
      rewards: { least: 0, greatest: 1 },
      bounds: { noiseFloor: 0.05, meanStd: 0.1, deadShare: 0.5, contrastRatio: 0.25, amplification: 10 },
    })
    expect(summary.meanStd).toBeCloseTo(
      (unbiasedStd(REWARDS.noise!) + unbiasedStd(REWARDS.contrast!) + unbiasedStd(REWARDS.masked!)) / 4,
    )
    const scaled = (name: string) => 1 / (unbiasedStd(REWARDS[name]!) + 1e-4)
    expect(summary.amplified?.median).toBeCloseTo(scaled('masked'), 6)
    expect(summary.amplified?.greatest).toBeCloseTo(scaled('noise'), 6)
    expect(summary.stds.counts.reduce((a, b) => a + b, 0)).toBe(3)
    expect(summary.steps).toEqual([
      expect.objectContaining({ step: 1, rollouts: 16, complete: 4, dead: 1 }),
      expect.objectContaining({ step: 2, rollouts: 3, complete: 0, dead: 0, meanStd: null }),
    ])
    expect(summary.steps[1]!.meanReward).toBeCloseTo(1.1 / 3)
    const { positions, total } = await page.ask('groups', { sort: 'amplification', descending: true })
    expect(total).toBe(5)
    const rows = await page.ask('groupRows', { positions: [...positions] })
    // Neither a dead group nor an incomplete one is amplified: both stand last.
    expect(rows.map(({ id }) => id)).toEqual(['noise', 'masked', 'contrast', 'dead', 'short'])
    expect(rows[0]).toMatchObject({ kind: 'noise', step: 1, rollouts: 4, rewards: REWARDS.noise })
    expect(rows[0]!.amplification).toBeCloseTo(1 / (unbiasedStd(REWARDS.noise!) + 1e-4), 6)
    expect(rows[0]!.codes).toContain('A02')
    expect(rows[4]).toMatchObject({ kind: 'incomplete', mean: null, std: null, gap: null, amplification: null })
  })

  it('stand by their names in the order in which queries sort words', () => {
    const names = ['q10', 'Q2', '12345678901234567890', 'q1', '9345678901234567890a', 'é', 'z', '7']
    const facts = names.flatMap((group, i) =>
      [0, 1].map((member) => factsOf(2 * i + member, { group, reward: member })),
    )
    const origin = { dump: dumpOf(facts), findingsOfDump: [] } as unknown as GroupOrigin
    const book = groupsOf(origin)
    const inOrder = (descending: boolean) =>
      [...book.query({ sort: 'id', descending })].map((position) => book.at(position).group.id)
    expect(inOrder(false)).toEqual(['7', '12345678901234567890', '9345678901234567890a', 'q1', 'Q2', 'q10', 'z', 'é'])
    expect(inOrder(true)).toEqual(inOrder(false).reverse())
  })

  it('are told by every k-th step of a long run, and by its last one', () => {
    const facts = Array.from({ length: 900 }, (_, step) => factsOf(step, { step, reward: step }))
    const { steps, allSteps } = groupSummary(
      groupsOf({ dump: dumpOf(facts), findingsOfDump: [] } as unknown as GroupOrigin),
    )
    expect(steps.length).toBeLessThanOrEqual(400)
    expect(allSteps).toBe(900)
    expect(steps[0]).toMatchObject({ step: 0, meanReward: 0 })
    expect(steps.at(-1)).toMatchObject({ step: 899, meanReward: 899 })
  })

  it('have no copies where rollouts begin with the same call, but go on otherwise', async () => {
    const tokenizer = await qwen()
    const open = async (calls: readonly (readonly number[])[]) => {
      const record = (rollout: number) => (seed: number, branch: number) => {
        const more = { rollout_id: `r${rollout}`, branch }
        return cleanRollout(tokenizer, seed, { id: `r${rollout}.${branch}`, group: 'g', reward: rollout, more })
      }
      const page = enginePage()
      const records = calls.flatMap((seeds, rollout) => seeds.map(record(rollout)))
      await page.open({ 'g.jsonl': lines(records) }, { thresholds: { 'duplicate-tokens': 4 } })
      const { row, members } = await page.ask('group', { position: 0 })
      return [row.copies, members.map(({ copyOf }) => copyOf)]
    }
    expect(await open([[0, 1], [0, 2], [3]])).toEqual([0, [null, null, null]])
    expect(
      await open([
        [0, 1],
        [0, 2],
        [0, 1],
      ]),
    ).toEqual([1, [null, null, 0]])
  })

  it('have no reward of a name that only objects have', async () => {
    const tokenizer = await qwen()
    const own = [{ constructor: 0.5 }, { other: 1 }] as Record<string, number>[]
    const records = own.map((rewards, at) =>
      cleanRollout(tokenizer, at, { id: `${at}`, group: 'g', reward: at, rewards }),
    )
    const page = enginePage()
    await page.open({ 'g.jsonl': lines(records) })
    const { files } = await page.ask('siblingTable', { position: 0, as: 'csv' })
    const rows = new TextDecoder()
      .decode(files[0]!.bytes)
      .trim()
      .split('\n')
      .map((row) => row.split(','))
    const at = rows[0]!.indexOf('reward.constructor')
    expect(rows.slice(1).map((row) => row[at])).toEqual(['0.5', ''])
  })

  it('are found by kind, by mark, by std, by step and by name', async () => {
    const page = await opened()
    const found = async (query: Parameters<typeof page.ask<'groups'>>[1]) => {
      const { positions } = await page.ask('groups', query)
      return (await page.ask('groupRows', { positions: [...positions] })).map(({ id }) => id)
    }
    expect(await found({ kinds: ['dead', 'noise'] })).toEqual(['dead', 'noise'])
    expect(await found({ marks: ['copies'] })).toEqual(['contrast'])
    expect(await found({ marks: ['untrained'] })).toEqual(['masked'])
    expect(await found({ std: { atLeast: 0, below: 0.05 } })).toEqual(['noise'])
    expect(await found({ step: 2 })).toEqual(['short'])
    expect(await found({ text: 'ED' })).toEqual(['masked'])
    expect(await found({ kinds: ['dead'], marks: ['copies'] })).toEqual([])
    const { indices } = await page.ask('groupMembers', { positions: [1, 0] })
    expect(indices).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('are laid out side by side with the advantages that each scheme would give', async () => {
    const page = await opened()
    const detail = await page.ask('group', { position: 2 })
    expect(detail).toMatchObject({
      row: { id: 'contrast', copies: 1 },
      size: 4,
      incompleteBecause: null,
      components: ['format', 'right'],
      membersOmitted: 0,
      indices: [8, 9, 10, 11],
      question: 'Where does river 8 rise?',
    })
    expect(detail.bound).toBeCloseTo(1.5)
    expect(detail.members.map(({ copyOf }) => copyOf)).toEqual([null, 0, null, null])
    const scheme = (name: string) => detail.schemes.findIndex((each) => each.scheme === name)
    const column = (name: string) => detail.members.map((member) => member.advantages![scheme(name)])
    expect(column('none')).toEqual([0, 1, 0, 1])
    expect(column('centre')).toEqual([-0.5, 0.5, -0.5, 0.5])
    expect(detail.schemes.filter(({ inUse }) => inUse).map((each) => each.scheme)).toEqual(['group-std-unbiased'])
    for (const [at, value] of column('group-std-unbiased').entries()) {
      expect(value).toBeCloseTo(detail.members[at]!.row.facts.advantage!)
    }
    expect(detail.schemes[scheme('group-std-unbiased')]!.residual).toBeLessThan(1e-6)
    expect(detail.schemes[scheme('centre')]!.residual).toBeGreaterThan(0.1)
    expect(detail.findings.map(({ code }) => code)).toContain('A06')
  })

  it('say which rollouts train nothing, and what is missing', async () => {
    const page = await opened()
    const masked = await page.ask('group', { position: 3 })
    expect(masked.members.map(({ untrained }) => untrained)).toEqual([false, false, false, true])
    expect(masked.row.mean).toBeCloseTo(0.4)
    expect(masked.meanOfTraining).toBeCloseTo(0.5)
    const short = await page.ask('group', { position: 4 })
    expect(short.incompleteBecause).toBe('Not judged: it has 3 of 4 rollouts.')
    expect(short.schemes.every(({ residual }) => residual === null)).toBe(true)
    await expect(page.ask('group', { position: 5 })).rejects.toThrow('There is no group 5; this dump has 5.')
  })

  it('lack nobody in a file that asks each question once, beside one of whole groups', async () => {
    const tokenizer = await qwen()
    const once = lines([0, 1, 2].map((seed) => cleanRollout(tokenizer, 50 + seed, { group: `${seed}`, reward: 1 })))
    const page = enginePage()
    await page.open({ 'groups.jsonl': dump, 'validation.jsonl': once })
    expect((await page.ask('groupSummary', {})).size).toBe(4)
    const { incompleteBecause } = await page.ask('group', { position: 5 })
    expect(incompleteBecause).toBe('Not judged: it is a single rollout.')
  })

  it('without a scheme that fits, amplification is what dividing by the std would give, and is called assumed', async () => {
    const page = enginePage()
    const bare = dump.replaceAll(/"advantage":-?[\d.e-]+,?/g, '')
    await page.open({ 'bare.jsonl': bare })
    const summary = await page.ask('groupSummary', {})
    expect(summary).toMatchObject({ fit: null, scaling: { origin: 'assumed', scheme: 'group-std-unbiased' } })
    const detail = await page.ask('group', { position: 2 })
    expect(detail.bound).toBeNull()
    expect(detail.schemes.some(({ inUse }) => inUse)).toBe(false)
    expect(detail.members.every(({ advantages }) => advantages !== null)).toBe(true)
  })

  it('are written as tables', async () => {
    const page = await opened()
    const text = async (file: Promise<{ files: readonly { bytes: Uint8Array }[] }>) =>
      new TextDecoder()
        .decode((await file).files[0]!.bytes)
        .trim()
        .split('\n')
    const groups = await text(page.ask('groupTable', { query: { kinds: ['noise'] }, as: 'csv' }))
    expect(groups).toHaveLength(2)
    expect(groups[0]).toMatch(/^group,step,rollouts,kind,mean_reward,std_reward,/)
    expect(groups[1]).toMatch(
      /^noise,1,4,noise,0\.6025,0\.005\d*,0\.01\d*,196\.\d+,"group-std-unbiased, eps 0\.0001 \(fitted\)",/,
    )
    const siblings = await text(page.ask('siblingTable', { position: 2, as: 'csv' }))
    expect(siblings).toHaveLength(5)
    expect(siblings[0]).toContain('reward.format,reward.right,advantage_stored,advantage_none,')
    expect(siblings[2]).toContain(',contrast-0,')
  })

  it('there are none of in a dump without groups, which is no error', async () => {
    const page = enginePage()
    await page.open({ 'single.jsonl': lines([cleanRollout(await qwen(), 1, { reward: 1 })]) })
    expect(await page.ask('groupSummary', {})).toMatchObject({ groups: 0, ungrouped: 1, meanStd: null, rewards: null })
    expect((await page.ask('groups', {})).positions).toHaveLength(0)
  })
})

describe('whatever the rewards', () => {
  const reward = fc.oneof(fc.double(), fc.constantFrom(0, 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY))
  const groups = fc.array(fc.array(reward, { minLength: 1, maxLength: 6 }), { maxLength: 8 })

  it('every group is of one kind, and every order holds the same groups', () => {
    fc.assert(
      fc.property(groups, fc.constantFrom(...GROUP_SORTS), fc.boolean(), (rewards, sort, descending) => {
        const view = dumpOf(groupFacts(rewards))
        const origin: GroupOrigin = {
          dump: view,
          findingsOfDump: [],
          rows: () => [],
          load: () => Promise.reject(new Error('not read here')),
        }
        const book = groupsOf(origin)
        const summary = groupSummary(book)
        expect(Object.values(summary.kinds).reduce((a, b) => a + b, 0)).toBe(view.groups.length)
        for (const value of [summary.meanStd, summary.betweenStd, summary.contrastRatio, summary.bounds.meanStd]) {
          expect(value === null || Number.isFinite(value)).toBe(true)
        }
        const positions = [...book.query({ sort, descending })]
        expect(positions.sort((a, b) => a - b)).toEqual([...view.groups.keys()])
        const spread = book.known.filter(({ kind, spread }) => spread?.contrast && kind !== 'dead')
        const drawn = spread.filter(({ spread }) => Number.isFinite(spread?.std) && spread?.std !== 0)
        expect(spread).toHaveLength(summary.kinds.noise + summary.kinds.contrast)
        expect(summary.stds.counts.reduce((a, b) => a + b, 0)).toBe(drawn.length)
      }),
    )
  })
})
