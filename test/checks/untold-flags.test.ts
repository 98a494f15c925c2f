import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { untoldFlags } from '../../shared/checks/truncation/open-flags.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import { turnsBy } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'

/** What C05 says of 24 rollouts that are flagged as whole without a finish reason, of which some lose the end of their last turn and `short` tokens before it. */
async function told(isOpen: (index: number) => boolean, short: (index: number) => number, last: string | null = null) {
  let index = 0
  const dump = await cleanDump('open flags', 'qwen2.5', {
    groups: 3,
    limits: false,
    finish: (rollout) => {
      Object.assign(rollout, { finishReason: null })
      const at = index++
      if (!isOpen(at)) return
      const before = turnsBy(rollout, 'assistant').at(-1)!.endToken - short(at)
      const [behind] = rollout.tokens.splice(before)
      const { tokenizer } = rollout.family
      for (const id of last === null ? [] : tokenizer.encode(last)) rollout.tokens.push({ ...behind!, id })
    },
  })
  const audited = await audit(dump, native)
  return {
    faults: faultsOf(audited)
      .filter(({ code }) => code === 'C05')
      .map(({ severity, message }) => `${severity}: ${message}`),
    result: audited.report.checks.find(({ code }) => code === 'C05'),
  }
}

it('a rollout that is flagged as whole and alone lacks the end token is a warning', async () => {
  const { faults } = await told(
    (index) => index === 5,
    () => 4,
  )
  expect(faults).toEqual([expect.stringMatching(/^warning: .* not flagged .* as 23 of 24 rollouts/)])
})

it('a quarter of them that do not end alike pass nothing', async () => {
  const { faults, result } = await told(
    (index) => index % 4 === 0,
    (index) => 2 + (index % 5),
  )
  expect(faults).toEqual([])
  expect(result).toMatchObject({
    status: 'not-checkable',
    reason: expect.stringMatching(/^[3-6] of 2\d rollouts that are not flagged/),
  })
})

it.each([
  [
    [11, 11, 12],
    '3 of 60 rollouts that are not flagged as truncated have no end token, and 1 of them ends as no other does: ',
  ],
  [
    [11, 12, 13],
    '3 of 60 rollouts that are not flagged as truncated have no end token, and no two of them end alike: ',
  ],
  [[11], '1 of 58 rollouts that are not flagged as truncated has no end token: '],
])('says how alike those of the last tokens %j end', (lastTokens, reason) => {
  const closed = Array.from({ length: 57 }, (_, i) =>
    factsOf(i, { isTruncated: false, endsClosed: true, lastToken: 7 }),
  )
  const open = lastTokens.map((lastToken, i) =>
    factsOf(57 + i, { isTruncated: false, endReason: 'cut-reply', endsClosed: false, lastToken }),
  )
  expect(atOnce(untoldFlags(dumpOf([...closed, ...open])))).toContain(reason)
})

it('all that end in the same word ended on a string', async () => {
  const { faults, result } = await told(
    (index) => index % 4 === 0,
    () => 0,
  )
  expect(faults).toEqual([])
  expect(result).toMatchObject({ status: 'pass' })
})

it('one that ends with a tag may have been stopped on it', async () => {
  const { faults, result } = await told(
    (index) => index === 5,
    () => 4,
    '</answer>',
  )
  expect(faults).toEqual([])
  expect(result).toMatchObject({ status: 'pass' })
})

it('where no row has an end token, the writer leaves them out', async () => {
  const { faults, result } = await told(
    () => true,
    (index) => index % 5,
  )
  expect(faults).toEqual([])
  expect(result).toMatchObject({ status: 'pass' })
})

/** 57 rollouts that close their answers, and one that does not. */
const oneOf = (open: Partial<TrajectoryFacts>, closed: Partial<TrajectoryFacts> = {}) =>
  [
    ...Array.from({ length: 57 }, (_, i) =>
      factsOf(i, { isTruncated: false, endsClosed: true, lastToken: 7, ...closed }),
    ),
    factsOf(57, { isTruncated: false, endReason: 'cut-prose', endsClosed: false, lastToken: 11, ...open }),
  ] as const
const found = (facts: readonly TrajectoryFacts[]) => runOver('C05', dumpOf(facts)).findings.length

it('no other rollout tells of one that is of an environment of its own, or of a prompt that is stopped on a string', () => {
  expect(found(oneOf({}))).toBe(1)
  expect(found(oneOf({ environment: 'lines' }, { environment: 'search' }))).toBe(0)
  expect(found(oneOf({ group: 'a' }, { group: 'b' }))).toBe(0)
  expect(found(oneOf({ group: 'a' }, { group: 'a' }))).toBe(1)
})

it('one that breaks off in a reply, amid a call, or for a reason that is told is no exception', () => {
  expect(found(oneOf({ endReason: 'cut-reply' }))).toBe(0)
  expect(found(oneOf({ endReason: 'cut-call' }))).toBe(0)
  expect(found(oneOf({ finishReason: 'aborted' }))).toBe(0)
  expect(found(oneOf({ finishReason: 'no_tools_called' }))).toBe(1)
  expect(found(oneOf({ isTruncated: null }))).toBe(0)
})
