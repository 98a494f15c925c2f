import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf, groupFacts } from '../helpers/facts.ts'

describe('S04', () => {
  it('counts the copies, not the original, and says where that is', () => {
    const facts = [0, 1, 2].map((i) => factsOf(i, { idsHash: i === 1 ? 'b' : 'a', group: 'g' }))
    const { tally, findings } = runOver('S04', dumpOf(facts))
    expect(tally).toMatchObject({ checked: 3, affected: 1 })
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({ record: 2, severity: 'info', evidence: { copy_of: '0', same_group: true } })
  })

  it('tells a copy within a group that nothing but the order of rows makes one from a copy beyond it', () => {
    const facts = ['a', 'a', 'b', 'a'].map((idsHash, i) => factsOf(i, { idsHash, reward: i }))
    const { findings } = runOver('S04', dumpOf(facts, { groupsByOrder: true, options: { groupSize: 2 } }))
    expect(findings.map(({ record, evidence, message }) => [record, evidence.same_group, message])).toEqual([
      [1, true, 'All 200 ids are those of rollout 0, of the same group'],
      [3, false, 'All 200 ids are those of rollout 0'],
    ])
  })

  it('takes rows of nothing but padding for no copies', () => {
    const padded = [0, 1].map((i) => factsOf(i, { idsHash: 'none', realLength: 0 }))
    expect(runOver('S04', dumpOf(padded)).tally).toMatchObject({ checked: 0, affected: 0 })
  })

  it('looks at no row without ids', () => {
    expect(runOver('S04', dumpOf([factsOf(0, { idsHash: null }), factsOf(1, { idsHash: null })])).tally.checked).toBe(0)
  })
})

describe('A05', () => {
  it('looks at very many rows of one group size without comparing all with all', () => {
    // No group sums to 0, every two of them do, and they are too few to call that the window in use: all shifts are tried.
    const facts = groupFacts(
      Array.from({ length: 6 }, () => Array<number>(30_000).fill(0)),
      (_, group, member) => ({ advantage: member > 0 ? 0 : group % 2 === 0 ? 1 : -1 }),
    )
    expect(runOver('A05', dumpOf(facts)).tally.checked).toBe(6)
  })

  const rewards = Array.from({ length: 6 }, (_, group) => [1, 2, 3, 4].map((at) => Math.sin(group * 4 + at) ** 2))
  const prompt = (at: number) => `p${at}`

  it('names groups that are counted off two rows late', () => {
    const facts = groupFacts(rewards, (_, group, member) => ({ promptHash: prompt((group * 4 + member + 2) >> 2) }))
    expect(runOver('A05', dumpOf(facts)).tally).toMatchObject({ checked: 6, affected: 6 })
  })

  it('sees from advantages alone over which rows the mean was taken', () => {
    const flat = rewards.flat()
    const advantages = flat.map((reward, row) => {
      const start = row < 2 ? 0 : row - ((row - 2) % 4)
      const window = flat.slice(row < 2 ? 0 : start, row < 2 ? 2 : start + 4)
      return reward - window.reduce((sum, value) => sum + value, 0) / window.length
    })
    const facts = groupFacts(rewards, (_, group, member) => ({ advantage: advantages[group * 4 + member] as number }))
    const { tally, findings } = runOver('A05', dumpOf(facts))
    expect(tally).toMatchObject({ checked: 6, affected: 6 })
    expect(findings[0]?.evidence.window_whose_advantages_sum_to_0).toEqual({ size: 4, shift: 2 })
  })

  it('is silent where the mean was taken over every two groups, as over a step or a batch, and not where it was taken over torn ones', () => {
    const many = Array.from({ length: 12 }, (_, group) => [1, 2, 3, 4].map((at) => Math.sin(group * 4 + at) ** 2))
    const flat = many.flat()
    const over = (shift: number) =>
      runOver(
        'A05',
        dumpOf(
          groupFacts(many, (_, group, member) => {
            const row = group * 4 + member
            const start = row < shift ? 0 : row - ((row - shift) % 8)
            const window = flat.slice(start, row < shift ? shift : start + 8)
            return {
              advantage: (flat[row] as number) - window.reduce((sum, value) => sum + value, 0) / window.length,
            }
          }),
        ),
      ).tally.affected
    expect([over(0), over(4), over(2)]).toEqual([0, 0, 12])
  })

  it('is silent where variants of a prompt are dealt out among all groups', () => {
    const facts = groupFacts(rewards, (_, group, member) => ({ promptHash: prompt((group + member) % 2) }))
    expect(runOver('A05', dumpOf(facts)).tally).toMatchObject({ checked: 6, affected: 0 })
  })

  describe('of another prompt than the rest of their group', () => {
    const withOne = (more: Partial<TrajectoryFacts>, rest: Partial<TrajectoryFacts> = {}) =>
      groupFacts(rewards, (_, group, member) => ({
        promptHash: prompt(group),
        ...rest,
        ...(group === 2 && member === 3 ? { promptHash: 'other', ...more } : {}),
      }))
    const asked = (question: string) => ({
      question: null,
      questionIds: question,
      system: null,
      tools: null,
      answer: null,
    })
    const byIds = (question: string) => ({ question, system: null, tools: null, answer: null })
    const told = (ids: string) => ({ ...asked(ids), question: 'Who is it?' })
    const today = { promptDate: '26 Jul 2024', systemHash: 's', pairing: asked('q') }

    const lineForTools = { systemHash: 'line and s', systemWithoutTools: 's', pairing: byIds('tools and q') }
    const withLineForTools = (more: Partial<TrajectoryFacts>) =>
      withOne(more).map((facts) => (facts.promptHash === 'other' ? facts : { ...facts, ...lineForTools }))

    it.each<[string, TrajectoryFacts[]]>([
      ['a rollout', withOne({})],
      [
        'a rollout of another day with another question',
        withOne({ promptDate: '27 Jul 2024', pairing: asked('r') }, today),
      ],
      ['a rollout of the same day', withOne({}, today)],
      [
        'a rollout with another system text and another question',
        withOne({ systemHash: 't', pairing: asked('r') }, today),
      ],
      ['a rollout without a system turn', withOne({ systemHash: null }, today)],
      ['a rollout with two begin-of-sequence tokens and another question', withOne({ oneBosHash: 'another' })],
      [
        'a rollout that lacks the tools and asks in other words',
        withOne(
          { toolsMissing: true, pairing: { ...asked('q'), question: 'Where is it?' } },
          { ...today, pairing: told('tools and q') },
        ),
      ],
      [
        'a rollout whose tools are described otherwise and that asks in other words',
        withOne(
          { toolsDiffer: true, pairing: { ...asked('q'), question: 'Where is it?' } },
          { ...today, pairing: told('tools and q') },
        ),
      ],
      [
        'a rollout with an empty list of tools that asks in other words',
        withOne(
          { emptyTools: true, pairing: { ...asked('q'), question: 'Where is it?' } },
          { ...today, pairing: told('tools and q') },
        ),
      ],
      [
        'a rollout that lacks the tools of the system turn and asks something else',
        withOne({ systemHash: 't', toolsMissing: true, pairing: byIds('r') }, { ...today, pairing: byIds('q') }),
      ],
      [
        'a rollout that lacks the tools and has another system text beside the line for them',
        withLineForTools({ systemHash: 't', toolsMissing: true, pairing: byIds('q') }),
      ],
    ])('is %s', (_, facts) => {
      expect(runOver('A05', dumpOf(facts)).tally).toMatchObject({ checked: 6, affected: 1 })
    })

    it.each<[string, TrajectoryFacts[]]>([
      ['whose prompt has a turn that is not closed (C02)', withOne({ promptOpen: true })],
      [
        'that is whole beside three whose prompts were cut alike (C02)',
        withOne({}).map((facts) => (facts.promptHash === prompt(2) ? { ...facts, promptOpen: true } : facts)),
      ],
      ['whose begin-of-sequence token is there twice (T01)', withOne({ oneBosHash: prompt(2) })],
      [
        'that lacks the tools, which its template writes into the turn of the question (T07)',
        withOne({ toolsMissing: true, pairing: byIds('q') }, { ...today, pairing: byIds('tools and q') }),
      ],
      [
        'whose tools, which its template writes into the turn of the question, are described otherwise (T07)',
        withOne(
          { systemHash: 's', toolsDiffer: true, pairing: told('other tools and q') },
          { ...today, pairing: told('tools and q') },
        ),
      ],
      [
        'whose template writes an empty list of tools into the turn of the question (T08)',
        withOne({ emptyTools: true, pairing: byIds('q') }, { ...today, pairing: byIds('tools and q') }),
      ],
      [
        'that lacks the tools, and with them a line of the system turn that its template writes for tools alone (T07)',
        withLineForTools({ systemHash: 's', toolsMissing: true, pairing: byIds('q') }),
      ],
      ['whose template wrote another day (T14)', withOne({ promptDate: '27 Jul 2024' }, today)],
      ['that has another system text before the same question (T09)', withOne({ systemHash: 't' }, today)],
      [
        'that lacks the tools, which its template writes before the same words of the question (T07)',
        withOne({ systemHash: 't', pairing: told('q') }, { systemHash: 's', pairing: told('tools and q') }),
      ],
    ])('is none %s', (_, facts) => {
      expect(runOver('A05', dumpOf(facts)).tally).toMatchObject({ checked: 6, affected: 0 })
    })

    it('is none where each of the group is asked what another agent wrote, or the agent is not trained', () => {
      const judges = (more: (member: number) => Partial<TrajectoryFacts>) => [
        ...groupFacts(rewards, (_, group) => ({ promptHash: prompt(group) })),
        ...rewards[0]!.map((reward, member) => factsOf(100 + member, { group: 'judge', reward, ...more(member) })),
      ]
      const affected = (more: (member: number) => Partial<TrajectoryFacts>) =>
        runOver('A05', dumpOf(judges(more))).tally.affected
      expect(affected((member) => ({ promptHash: `of ${member}` }))).toBe(0)
      // Mostly of one prompt, and some of the group that stands before it.
      const strange = (member: number) => ({ promptHash: member < 3 ? 'judge' : 'of 3' })
      expect(affected(strange)).toBe(1)
      expect(affected((member) => ({ ...strange(member), excluded: true }))).toBe(0)
    })
  })

  it('names a group with more rollouts than were generated, unless the prompt came back whole', () => {
    const many = (count: number) => [
      ...groupFacts(
        [
          [1, 0],
          [0, 1],
        ],
        () => ({ groupSize: 2 }),
      ),
      ...Array.from({ length: count }, (_, i) => factsOf(10 + i, { group: 'big', groupSize: 2, reward: i % 2 })),
    ]
    expect(runOver('A05', dumpOf(many(3))).tally).toMatchObject({ checked: 3, affected: 1 })
    expect(runOver('A05', dumpOf(many(4))).tally.affected).toBe(0)
    // A size that a person gives holds as one that the rows store does.
    const unsized = (count: number) =>
      dumpOf(
        many(count).map((row) => ({ ...row, groupSize: null })),
        { options: { groupSize: 2 } },
      )
    expect(runOver('A05', unsized(3)).tally).toMatchObject({ affected: 1 })
    expect(runOver('A05', unsized(4)).tally.affected).toBe(0)
  })

  it('names a group of two questions, each with as many rollouts as other groups have', () => {
    const keyed = (promptOf: (group: number, member: number) => string) =>
      dumpOf(
        groupFacts(
          [8, 4, 4, 4].map((size) => Array.from({ length: size }, (_, member) => member % 2)),
          (_, group, member) => ({ promptHash: promptOf(group, member) }),
        ),
      )
    const { tally, findings } = runOver(
      'A05',
      keyed((group, member) => `${group}-${group === 0 && member > 3}`),
    )
    expect(tally.affected).toBe(1)
    expect(findings[0]?.message).toBe('4 of 8 rollouts of group g0 have another prompt than the rest')
    // The same question twice, some rows of another prompt, and prompts that differ in every group are other things.
    expect(
      runOver(
        'A05',
        keyed((group) => `${group}`),
      ).tally.affected,
    ).toBe(0)
    const uneven = keyed((group, member) => `${group}-${group === 0 && member > 4}`)
    expect(runOver('A05', uneven).tally.affected).toBe(0)
    const apart = keyed((group, member) => (group === 0 ? `0-${member > 3}` : `${group}-${member}`))
    expect(runOver('A05', apart).tally.affected).toBe(0)
  })

  it('takes a group for as large as its own line is, however many others hold, unless a person says how many there are', () => {
    const sizes = [5, 7, 5, 4]
    const rewards = sizes.map((size) => Array.from({ length: size }, (_, member) => member % 2))
    const facts = groupFacts(rewards, (_, group) => ({ groupSize: sizes[group] as number }))
    expect(runOver('A05', dumpOf(facts)).tally).toMatchObject({ checked: 4, affected: 0 })
    expect(runOver('A05', dumpOf(facts, { options: { groupSize: 5 } })).tally).toMatchObject({ affected: 1 })
    const declared = facts.map((row) => ({ ...row, groupSize: 5 }))
    expect(runOver('A05', dumpOf(declared)).tally).toMatchObject({ affected: 1 })
  })
})

describe('A06', () => {
  const long = { assistantLengths: [400], trained: 400, weight: 400 }
  const alike = (count: number, prefixHashes: readonly string[]) =>
    dumpOf(
      groupFacts([[1, 0, 0.5, 0.2]], (_, __, member) => ({
        ...long,
        temperature: 0.7,
        prefixHashes: member < count ? prefixHashes : [`a${member}`, `b${member}`],
      })),
    )

  it('notes that most of a group begin alike for long, with their temperature', () => {
    const { findings, tally } = runOver('A06', alike(3, ['a', 'b']))
    expect(tally).toMatchObject({ checked: 1, affected: 1, affectedTokens: 0 })
    expect(findings[0]).toMatchObject({
      severity: 'info',
      message: '3 of 4 rollouts of group g0 begin with the same 256 sampled tokens or more',
      evidence: { shared_prefix: { tokens: 256, rollouts: 3 }, temperature: [0.7], copies: [] },
    })
  })

  it.each([
    ['half of the group', alike(2, ['a', 'b'])],
    ['a short beginning', alike(4, ['a'])],
  ])('does not note %s', (_, dump) => {
    expect(runOver('A06', dump).tally.affected).toBe(0)
  })

  it('tells the beginning that copies share', () => {
    const facts = groupFacts([[1, 1, 0]], (_, __, member) => ({
      ...long,
      idsHash: member < 2 ? 'same' : 'other',
      prefixHashes: member < 2 ? ['a', 'b'] : ['a', 'c'],
    }))
    expect(runOver('A06', dumpOf(facts)).findings[0]).toMatchObject({
      severity: 'warning',
      evidence: { shared_prefix: { tokens: 256, rollouts: 2 }, temperature: null },
    })
  })

  it('leaves short answers alone, which are equal by chance', () => {
    const equal = (length: number) =>
      runOver('A06', dumpOf(groupFacts([[1, 0]], () => ({ idsHash: 'a', assistantLengths: [length] })))).tally
    expect(equal(6)).toMatchObject({ checked: 1, affected: 0 })
    expect(equal(60)).toMatchObject({ checked: 1, affected: 1, affectedTokens: 60 })
  })
})

describe('T09', () => {
  const systems = (odd: Partial<TrajectoryFacts>) =>
    groupFacts([[1, 0, 1, 0]], (_, __, member) => ({
      systemHash: 'asked',
      toolsMissing: false,
      ...(member === 2 ? { systemHash: 'other', ...odd } : {}),
    }))

  it('names the rollout of a group that has another system text', () => {
    const { findings } = runOver('T09', dumpOf(systems({})))
    expect(findings.map(({ record }) => record)).toEqual([2])
  })

  it('leaves those to their own messages whose text is not the one they have, and what is right beside them', () => {
    const members = (replaced: (member: number) => boolean) =>
      groupFacts([[1, 0, 1, 0]], (_, __, member) =>
        replaced(member) ? { systemHash: 'default', systemReplaced: true } : { systemHash: 'asked' },
      )
    for (const replaced of [1, 2, 3]) {
      const { findings, tally } = runOver('T09', dumpOf(members((member) => member < replaced)))
      expect(findings).toEqual([])
      expect(tally.affected).toBe(0)
    }
  })

  it.each<[string, Partial<TrajectoryFacts>]>([
    ['T07 whose text is another for want of the tools', { toolsMissing: true }],
    ['T07 whose text describes the tools otherwise', { toolsDiffer: true }],
    ['T08 whose text announces tools that are not there', { emptyTools: true }],
  ])('leaves one to %s', (_, odd) => {
    expect(runOver('T09', dumpOf(systems(odd))).findings).toEqual([])
    // Where all rollouts of the group do so, their texts differ in something else.
    const all = systems({}).map((row) => ({ ...row, ...odd }))
    expect(runOver('T09', dumpOf(all)).findings.map(({ record }) => record)).toEqual([2])
  })
})

describe('A12', () => {
  const stated = (uneven: (member: number) => boolean) =>
    groupFacts([[1, 0, 1, 0, 1, 0, 1, 0]], (_, __, member) => ({
      advantage: 0.5,
      maxAdvantage: 0.5,
      trained: 40,
      ...(uneven(member) ? { advantageChangesAt: 12 } : {}),
    }))

  it('names a rollout whose tokens have several advantages though it states one', () => {
    const { findings, tally } = runOver('A12', dumpOf(stated((member) => member === 3)))
    expect(tally).toMatchObject({ checked: 8, affected: 1 })
    expect(findings[0]).toMatchObject({ record: 3, tokens: [11, 13] })
  })

  it('takes the stated ones for a summary where the tokens of most rollouts have their own', () => {
    expect(runOver('A12', dumpOf(stated(() => true))).tally.checked).toBe(0)
  })

  it('looks at rollouts that had a reward to hand out, where it asks whether most hand theirs out by turn', () => {
    expect(runOver('A12', dumpOf(stated((member) => member % 2 === 0 && member > 0))).tally.checked).toBe(0)
    expect(runOver('A12', dumpOf(stated((member) => member % 2 === 1))).tally.affected).toBe(4)
  })
})
