import { describe, expect, it } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { nativeSequences } from '../../shared/formats/native-sequences.ts'
import { emptyTrajectory, type Trajectory } from '../../shared/model/trajectory.ts'
import { Session } from '../../shared/session/session.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, type Conversation, conversation, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

const ROW: Trajectory = {
  ...emptyTrajectory({ source: 0, record: 4, part: 0 }, '00'),
  ids: Int32Array.of(10, 11, 12, 20, 21, 30),
  mask: Uint8Array.of(0, 1, 1, 0, 1, 1),
  positionIds: Int32Array.of(0, 1, 2, 0, 1, 0),
  sequenceIds: Int32Array.of(0, 0, 0, 1, 1, 2),
  advantages: Float32Array.of(0, 1, 2, 3, 4, 5),
}

const idsOf = (row: Trajectory) => nativeSequences(row).map(({ ids }) => [...(ids ?? [])])

const numbered = (...numbers: number[]): Trajectory => ({
  ...ROW,
  positionIds: null,
  sequenceIds: Int32Array.from(numbers),
})

describe('a row of several sequences', () => {
  it('is a trajectory for each, whose arrays begin at its start', () => {
    const [first, second, third, ...more] = nativeSequences(ROW)
    expect(more).toEqual([])
    expect(first).toMatchObject({ id: '4', place: { record: 4, part: 0 } })
    expect(second).toMatchObject({ id: '4.1', place: { record: 4, part: 1 }, padding: null })
    expect(second?.ids).toEqual(Int32Array.of(20, 21))
    expect(second?.mask).toEqual(Uint8Array.of(0, 1))
    expect(second?.positionIds).toEqual(Int32Array.of(0, 1))
    expect(second?.advantages).toEqual(Float32Array.of(3, 4))
    expect(third?.ids).toEqual(Int32Array.of(30))
  })

  it.each([
    ['negative numbers', [1, 1, 2, 2, -1, -1]],
    ['zeros behind greater numbers', [1, 1, 2, 2, 0, 0]],
    ['negative numbers behind zeros', [0, 0, 1, 1, -1, -1]],
  ])('has its padding in the last of them: %s', (_, numbers) => {
    const sequences = nativeSequences(numbered(...numbers))
    expect(sequences.map(({ ids }) => ids?.length)).toEqual([2, 4])
    expect(sequences.map(({ padding }) => padding)).toEqual([null, { left: 0, right: 2 }])
  })

  it('loses no token', () => {
    expect(idsOf(ROW).flat()).toEqual([...(ROW.ids ?? [])])
  })
})

describe('a row stays whole', () => {
  it.each<[string, Partial<Trajectory>]>([
    ['that says nothing of sequences', { sequenceIds: null }],
    ['of one sequence', { sequenceIds: Int32Array.of(3, 3, 3, 3, 3, 3) }],
    ['of one sequence and padding', { sequenceIds: Int32Array.of(1, 1, 1, 1, 0, 0) }],
    ['of padding alone', { sequenceIds: Int32Array.of(-1, -1, -1, -1, -1, -1) }],
    ['whose numbers come again', { sequenceIds: Int32Array.of(0, 0, 1, 1, 0, 1) }],
    ['with padding in front', { sequenceIds: Int32Array.of(-1, -1, 0, 0, 1, 1) }],
    ['whose positions run on (S01)', { positionIds: Int32Array.of(0, 1, 2, 3, 4, 5) }],
    [
      'with numbers for some of its tokens alone (S03)',
      {
        sequenceIds: Int32Array.of(0, 0, 1, 1, -1, -1),
        arrays: [{ name: 'sequence_ids', length: 4, expected: 6 }],
      },
    ],
    ['with a conversation', { messages: [] }],
    ['with a reward', { reward: 1 }],
    ['with an advantage', { advantage: 0.5 }],
    ['with a prompt', { promptLength: 2 }],
  ])('%s', (_, more) => {
    const row = { ...ROW, ...more }
    expect(nativeSequences(row)).toEqual([row])
  })
})

const tokenizer = await testTokenizer('qwen2.5')

/** The report of rows, each of several conversations under numbers of their own. */
async function reportOf(rows: readonly (readonly Conversation['record'][])[]) {
  const lines = rows.map((sequences) => {
    const ids = sequences.flatMap(({ input_ids }) => input_ids)
    const mask = sequences.flatMap(({ loss_mask }) => loss_mask ?? [])
    const numbers = sequences.flatMap(({ input_ids }, at) => input_ids.map(() => at))
    const positions = sequences.flatMap(({ input_ids }) => input_ids.map((_, at) => at))
    return `${JSON.stringify({ input_ids: ids, loss_mask: mask, sequence_ids: numbers, position_ids: positions })}\n`
  })
  const session = await Session.open([new MemorySource('packed.jsonl', Buffer.from(lines.join('')))], {}, nodeHost(1))
  await session.done
  return session.report()
}

it.each([0, 1])('packed rows whose sequences are told apart pass S01 (%i of each row further)', async (further) => {
  const rows = [0, 2].map((at) => [0, 1].slice(0, further + 1).map((index) => searchRow(tokenizer, at + index).record))
  const { status, checked, affected } = (await reportOf(rows)).checks.find(({ code }) => code === 'S01')!
  expect({ status, checked, affected }).toEqual({
    status: further === 0 ? 'not-applicable' : 'pass',
    checked: 2 * further,
    affected: 0,
  })
})

it('findings of a sequence count from where it begins', async () => {
  const [first, second] = [0, 1].map((index) => searchRow(tokenizer, index).record)
  const trained = { ...second!, loss_mask: second!.input_ids.map(() => 1) }
  const { findings, sources } = await reportOf([[first!, trained]])
  expect(sources[0]?.trajectories).toBe(2)
  const alone = await reportOf([[trained]])
  const places = (found: typeof findings) => found.filter(({ code }) => code === 'M01').map(({ tokens }) => tokens)
  expect(places(alone.findings).length).toBeGreaterThan(0)
  expect(places(findings)).toEqual(places(alone.findings))
  expect(findings.filter(({ code }) => code === 'M01').map(({ part }) => part)).not.toContain(0)
})

it('single turns that share rows are no run of several turns (H07)', async () => {
  const rows = Array.from(
    { length: 8 },
    (_, at) => conversation(tokenizer, [user(`What is ${at} and ${at}?`), assistant(`It is ${2 * at}.`)]).record,
  )
  const packed = await reportOf([0, 2, 4, 6].map((at) => rows.slice(at, at + 2)))
  const apart = await reportOf(rows.map((row) => [row]))
  const verdictOn = ({ hypotheses }: typeof packed) => hypotheses.find(({ id }) => id === 'H07')?.verdict
  expect(verdictOn(apart)).toBe('not-checkable')
  expect(verdictOn(packed)).toBe('not-checkable')
})
