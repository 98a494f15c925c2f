import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { buildGroups } from '../../shared/checks/grouping/group-views.ts'
import { resolveGroupSize } from '../helpers/at-once.ts'
import { factsOf, groupFacts } from '../helpers/facts.ts'

const BY_KEY = { groupSize: null, groupsByOrder: false }
const BY_ORDER = { groupSize: null, groupsByOrder: true }
const shapes = (groups: ReturnType<typeof buildGroups>) =>
  groups.map(({ id, members, complete }) => [id, members.map((member) => member.id).join(' '), complete])

const placeIn = (source: number) => ({ source, record: 0, part: 0 })

describe('buildGroups', () => {
  it('gathers rows that share a key, wherever they lie', () => {
    const facts = ['a', 'b', 'a', 'b'].map((group, i) => factsOf(i, { group, reward: i }))
    expect(shapes(buildGroups(facts, BY_KEY))).toEqual([
      ['a', '0 2', true],
      ['b', '1 3', true],
    ])
  })

  it('keeps the same key of two steps apart', () => {
    const facts = [1, 1, 2, 2].map((step, i) => factsOf(i, { group: '0', step, reward: 1 }))
    expect(shapes(buildGroups(facts, BY_KEY))).toEqual([
      ['0 (step 1)', '0 1', true],
      ['0 (step 2)', '2 3', true],
    ])
  })

  it('keeps the same key of two files apart where that makes whole groups', () => {
    const facts = [0, 0, 1, 1].map((source, i) =>
      factsOf(i, { group: '0', groupSize: 2, reward: 1, place: { source, record: i, part: 0 } }),
    )
    expect(shapes(buildGroups(facts, BY_KEY))).toEqual([
      ['0 (file 1)', '0 1', true],
      ['0 (file 2)', '2 3', true],
    ])
    const names = ['step_1.jsonl', 'step_2.jsonl']
    expect(buildGroups(facts, { ...BY_KEY, names }).map(({ id }) => id)).toEqual([
      '0 (step_1.jsonl)',
      '0 (step_2.jsonl)',
    ])
  })

  describe('a step that a resumed run did again', () => {
    /** Two rollouts of `a` and two of `b`, and the same again. */
    const twice = (advantages: readonly (number | null)[], prompts = ['p', 'q']) =>
      ['a', 'a', 'b', 'b', 'a', 'a', 'b', 'b'].map((group, i) => {
        const promptHash = (group === 'a' ? prompts[i < 4 ? 0 : 1] : 'b') as string
        const advantage = advantages[i % advantages.length] as number | null
        const place = { source: 0, record: i, part: 0 }
        return factsOf(i, { group, groupSize: 2, step: 3, reward: 1, promptHash, advantage, place })
      })

    it('has its groups apart, each normalised by itself', () => {
      expect(shapes(buildGroups(twice([1, -1, 0.9123, -0.91229], ['p', 'p']), BY_KEY))).toEqual([
        ['a (step 3)', '0 1', true],
        ['a (step 3) (again, 2)', '4 5', true],
        ['b (step 3)', '2 3', true],
        ['b (step 3) (again, 2)', '6 7', true],
      ])
    })

    it.each([
      ['other prompts', [1, -1], ['p', 'q'], [4, 2, 2]],
      ['advantages taken over both', [1, 1, 1, 1, -1, -1, -1, -1], ['p', 'p'], [4, 4]],
      ['no advantages', [null], ['p', 'p'], [4, 4]],
    ] as const)('is one group where there are %s', (_, advantages, prompts, sizes) => {
      const groups = buildGroups(twice(advantages, [...prompts]), BY_KEY)
      expect(groups.map(({ members }) => members.length)).toEqual(sizes)
    })

    it('is one group where its rows follow each other', () => {
      const facts = [1, -1, 1, -1].map((advantage, i) =>
        factsOf(i, { group: 'a', groupSize: 2, promptHash: 'p', advantage, place: { source: 0, record: i, part: 0 } }),
      )
      expect(buildGroups(facts, BY_KEY).map(({ members }) => members.length)).toEqual([4])
    })
  })

  it('joins a group that ranks share between files', () => {
    const facts = [0, 0, 1, 1].map((source, i) =>
      factsOf(i, { group: '0', groupSize: 4, reward: 1, place: { source, record: i, part: 0 } }),
    )
    expect(shapes(buildGroups(facts, BY_KEY))).toEqual([['0', '0 1 2 3', true]])
  })

  it('joins a group whose prompt ranks share, and none that they number each for itself', () => {
    const members = (prompts: readonly string[]) =>
      prompts.map((promptHash, source) =>
        factsOf(source, { group: '0', reward: 1, promptHash, place: placeIn(source) }),
      )
    const sizes = (prompts: readonly string[], ranksOf?: readonly number[]) =>
      buildGroups(members(prompts), { ...BY_KEY, ...(ranksOf && { ranksOf }) }).map(({ members }) => members.length)
    expect(sizes(['p', 'p'], [0, 0])).toEqual([2])
    expect(sizes(['p', 'q'], [0, 0])).toEqual([1, 1])
    expect(sizes(['p', 'p'], [0, 1])).toEqual([1, 1])
    expect(sizes(['p', 'p'])).toEqual([1, 1])
  })

  describe('of files that hold the same keys', () => {
    const REWARDS = [1, 0, 0, 0, 1, 1, 0, 0]
    /** Five groups of eight, alternately in two files, centred over `of` so many rollouts each. */
    const inTwo = (of: 'whole' | 'file' | 'half', more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
      Array.from({ length: 40 }, (_, i) => {
        const [member, source] = [i % 8, i % 2]
        const own = REWARDS.filter((_, at) => of === 'whole' || at % 2 === source)
        const baseline = of === 'half' ? 0.5 : own.reduce((sum, reward) => sum + reward, 0) / own.length
        const reward = REWARDS[member]!
        return factsOf(i, {
          ...{ group: `q${i >> 3}`, step: 1, promptHash: `p${i >> 3}`, place: { source, record: i, part: 0 } },
          ...{ reward, advantage: reward - baseline },
          ...more(i),
        })
      })
    const sizesOf = (facts: TrajectoryFacts[]) =>
      [...new Set(buildGroups(facts, BY_KEY).map(({ members }) => members.length))].join(' ')

    it('joins groups whose advantages are centred over all files, and in none', () => {
      expect(sizesOf(inTwo('whole'))).toBe('8')
      // Of a group without contrast nothing tells it but the others.
      expect(sizesOf(inTwo('whole', (i) => (i < 8 ? { reward: 0, advantage: 0 } : {})))).toBe('8')
    })

    it.each([
      ['they are centred in each file', inTwo('file')],
      ['their baseline is another', inTwo('half')],
      ['one group is centred nowhere', inTwo('whole', (i) => (i === 0 ? { advantage: 5 } : {}))],
      ['one question is another', inTwo('whole', (i) => (i === 1 ? { promptHash: 'other' } : {}))],
      ['the step is not known', inTwo('whole', () => ({ step: null }))],
      ['they are without advantages', inTwo('whole', () => ({ advantage: null }))],
      ['few groups tell it', inTwo('whole').slice(0, 24)],
    ])('keeps them apart where %s', (_, facts) => {
      expect(sizesOf(facts)).toBe('4')
    })
  })

  it('counts a rollout once, however many branches of it are stored', () => {
    const facts = ['r0', 'r0', 'r1', null].map((branchOf, i) => factsOf(i, { group: 'a', branchOf, reward: i }))
    expect(shapes(buildGroups(facts, BY_KEY))).toEqual([['a', '0 2 3', true]])
  })

  it('keeps the same key of two files apart where no size is declared', () => {
    const facts = [0, 1].map((source) => factsOf(source, { group: '7', place: { source, record: 0, part: 0 } }))
    expect(buildGroups(facts, BY_KEY).map(({ members }) => members.length)).toEqual([1, 1])
  })

  it('calls none complete by a size that most groups do not have', () => {
    const sizes = [3, 3, 4, 5, 6]
    const completeOf = (sizes: readonly number[]) =>
      buildGroups(groupFacts(sizes.map((size) => Array<number>(size).fill(1))), BY_KEY).map(({ complete }) => complete)
    expect(completeOf(sizes)).toEqual([false, false, false, false, false])
    expect(completeOf([3, 3, 3, 5, 6])).toEqual([true, true, true, false, false])
  })

  describe('beside a file that asks its questions once', () => {
    /** Groups of these sizes in a file each. */
    const inFiles = (...files: readonly (readonly number[])[]) =>
      files.flatMap((sizes, source) =>
        groupFacts(
          sizes.map((size) => Array<number>(size).fill(1)),
          (_, group) => ({ group: `${source}-${group}`, place: placeIn(source) }),
        ),
      )
    const completeOf = (facts: ReturnType<typeof inFiles>, more = {}) =>
      buildGroups(facts, { ...BY_KEY, ...more }).filter(({ complete }) => complete).length

    it.each([
      [
        'before',
        [
          [1, 1, 1, 1, 1],
          [3, 3],
        ],
      ],
      [
        'behind',
        [
          [3, 3, 2],
          [1, 1, 1, 1, 2],
        ],
      ],
      ['between', [[3], [1, 1], [3, 3], [1, 1, 1, 1, 1]]],
    ])('groups are as large as those of the others, %s it', (_, files) => {
      const facts = inFiles(...files)
      expect(resolveGroupSize(facts, BY_KEY)).toBe(3)
      expect(completeOf(facts)).toBe(files.flat().filter((size) => size === 3).length)
      const once = buildGroups(facts, BY_KEY).filter(({ isAskedOnce }) => isAskedOnce)
      expect(once).toHaveLength(files.flat().filter((size) => size === 1).length)
    })

    it('they are not, where most are single in each file, in one file, or in one folder of files', () => {
      expect(resolveGroupSize(inFiles([1, 1, 1, 3], [1, 1, 3]), BY_KEY)).toBe(1)
      expect(resolveGroupSize(inFiles([1, 1, 1, 1, 1, 3, 3]), BY_KEY)).toBe(1)
      expect(resolveGroupSize(inFiles([1, 1, 1], [3, 3]), { ...BY_KEY, keysOf: [0, 0] })).toBe(1)
    })

    it('none is complete where those of the others have many sizes', () => {
      expect(completeOf(inFiles([1, 1, 1, 1], [2, 3, 3, 4, 5]))).toBe(0)
    })

    it('a size that is declared or given holds of all', () => {
      const declared = inFiles([1, 1, 1], [3, 3, 2]).map((row) => ({ ...row, groupSize: 3 }))
      expect(completeOf(declared)).toBe(2)
      expect(completeOf(inFiles([1, 1, 1], [3, 3, 2]), { groupSize: 2 })).toBe(1)
    })
  })

  it('calls none complete by the size of groups that are stored by call', () => {
    const rows = (roots: readonly (string | undefined)[]) =>
      roots.map((rootHash, i) => {
        const promptHash = rootHash === undefined ? 'p' : `p and call ${i}`
        return factsOf(i, { group: 'a', reward: 1, promptHash, ...(rootHash === undefined ? {} : { rootHash }) })
      })
    const completeOf = (facts: ReturnType<typeof rows>) => buildGroups(facts, BY_KEY).map(({ complete }) => complete)
    expect(completeOf(rows([undefined, 'p', undefined]))).toEqual([false])
    // Examples in the prompt are answered there: no rollout was asked what stands before them.
    expect(completeOf(rows(['q', 'q', 'q']))).toEqual([true])
  })

  it('calls a group complete by the commonest size, and only with every reward', () => {
    const facts = groupFacts([[1, 0], [1, 0], [1]])
    facts.push(factsOf(9, { group: 'x', reward: 1 }), factsOf(10, { group: 'x', reward: Number.NaN }))
    expect(buildGroups(facts, BY_KEY).map(({ complete }) => complete)).toEqual([true, true, false, false])
    expect(resolveGroupSize(facts, BY_KEY)).toBe(2)
  })

  it('measures by the given size before any other', () => {
    const facts = groupFacts(
      [
        [1, 0],
        [1, 0],
        [1, 0, 1],
      ],
      () => ({ groupSize: 2 }),
    )
    expect(buildGroups(facts, { ...BY_KEY, groupSize: 3 }).map(({ complete }) => complete)).toEqual([
      false,
      false,
      true,
    ])
  })

  it('calls no lone rollout a complete group', () => {
    expect(buildGroups(groupFacts([[1], [0]]), BY_KEY).some(({ complete }) => complete)).toBe(false)
  })

  it('counts consecutive rows off where the format says so, and a size is known', () => {
    const facts = Array.from({ length: 5 }, (_, i) => factsOf(i, { reward: 1, groupSize: 2 }))
    expect(shapes(buildGroups(facts, BY_ORDER))).toEqual([
      ['0', '0 1', true],
      ['1', '2 3', true],
      ['2', '4', false],
    ])
    expect(buildGroups(facts, BY_KEY)).toEqual([])
    expect(
      buildGroups(
        facts.map((row) => ({ ...row, groupSize: null })),
        BY_ORDER,
      ),
    ).toEqual([])
  })

  it('takes rows of several steps for one group where keys are used once in a run', () => {
    const facts = [6, 7, 7, 6].map((step, i) => factsOf(i, { reward: i % 2, step, group: 'q' }))
    expect(shapes(buildGroups(facts, { ...BY_KEY, groupsSpanSteps: true }))).toEqual([['q', '0 1 2 3', true]])
    expect(shapes(buildGroups(facts, BY_KEY)).map(([, members]) => members)).toEqual(['0 3', '1 2'])
  })

  it('puts together what stands in files of one rollout each, and begins anew with another folder of them', () => {
    const facts = [0, 1, 2, 3].map((source) => factsOf(source, { reward: 1, group: 'q', place: placeIn(source) }))
    expect(shapes(buildGroups(facts, { ...BY_KEY, keysOf: [0, 0, 2, 2] })).map(([, members]) => members)).toEqual([
      '0 1',
      '2 3',
    ])
    expect(buildGroups(facts, BY_KEY)).toHaveLength(4)
  })

  it('begins a new group with every file', () => {
    const facts = [0, 0, 0, 1, 1].map((source, i) => factsOf(i, { reward: 1, place: { source, record: i, part: 0 } }))
    expect(shapes(buildGroups(facts, { groupSize: 2, groupsByOrder: true })).map(([, members]) => members)).toEqual([
      '0 1',
      '2',
      '3 4',
    ])
  })
})

describe('a size that one row of a group declares', () => {
  it('is that of the group only where it has no more rollouts', () => {
    const rows = (size: number) =>
      Array.from({ length: 16 }, (_, i) =>
        factsOf(i, { group: `g${i >> 3}`, reward: i % 2, groupSize: i === 3 ? size : null }),
      )
    const completeOf = (size: number) => buildGroups(rows(size), BY_KEY).map(({ complete }) => complete)
    expect([completeOf(5), completeOf(8), completeOf(16)]).toEqual([
      [true, true],
      [true, true],
      [false, true],
    ])
    expect(resolveGroupSize(rows(5), BY_KEY)).toBe(8)
  })

  it('is that of all where the row that declares one of them could not be read', () => {
    const rows = Array.from({ length: 32 }, (_, i) =>
      factsOf(i, { reward: i % 2, groupSize: i % 8 === 0 ? 8 : null }),
    ).filter(({ id }) => id !== '24')
    expect(resolveGroupSize(rows, BY_KEY)).toBe(8)
    const groups = buildGroups(rows, { groupSize: null, groupsByOrder: true })
    expect(groups.map(({ members, complete }) => [members.length, complete])).toEqual([
      [8, true],
      [8, true],
      [8, true],
      [7, false],
    ])
    // One row of many speaks for nobody else.
    const slip = rows.map((row) => ({ ...row, groupSize: row.id === '3' ? 5 : null }))
    expect(resolveGroupSize(slip, { groupSize: null, groupsByOrder: true })).toBe(null)
  })
})
