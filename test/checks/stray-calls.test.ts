import { expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { type SearchChanges, searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, type Conversation, call, conversation, system, user } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

interface Run {
  readonly rollouts?: number
  /** So many of them call `python`, the others answer. */
  readonly calls: number
  /** What a user says behind the call. */
  readonly reply?: string
  /** Of rollouts that do not call. */
  readonly system?: string
  /** One rollout more, that searches. */
  readonly more?: { readonly changes: SearchChanges; readonly tools?: readonly unknown[] }
}

/** Rollouts of a run without tools. */
const run =
  ({ rollouts = 40, calls, reply, system: other, more }: Run) =>
  (tokenizer: Tokenizer): Conversation[] => {
    const rows = Array.from({ length: rollouts }, (_, i) => {
      const isCall = i < calls
      const turns = [
        system(isCall ? 'Reason step by step.' : (other ?? 'Reason step by step.')),
        user(`What is ${i} + ${i}?`),
        assistant(isCall ? call(tokenizer, 'python', { code: `${i} + ${i}` }) : `It is ${2 * i}.`),
        ...(isCall && reply !== undefined ? [user(reply), assistant(`It is ${2 * i}.`)] : []),
      ]
      return conversation(tokenizer, turns, { id: `row-${i}` })
    })
    return more === undefined ? rows : [...rows, searchRow(tokenizer, 0, more.changes, { tools: more.tools })]
  }

/** Findings of T07, rollouts that have it and rollouts that it looked at; `supported` where H02 is. */
const told = async (dump: Run) => {
  const { checks, findings, hypotheses } = (await audited(lines(run(dump)(await qwen())))).report()
  const check = checks.find(({ code }) => code === 'T07')
  const masking = hypotheses.find(({ id }) => id === 'H02')?.verdict
  const found = findings.filter(({ code }) => code === 'T07').length
  return [found, check?.affected, check?.checked, ...(masking === 'supported' ? [masking] : [])]
}

const REFUSAL = 'There are no tools in this task. Answer directly.'

it.each([
  undefined,
  REFUSAL,
])('few calls of a run that shows no tools are inventions of the model: %s', async (reply) => {
  expect(await told({ calls: 1, reply })).toEqual([0, 0, 0])
  expect(await told({ calls: 3, reply })).toEqual([0, 0, 0])
})

it('says why the few are no fault', async () => {
  const { checks } = (await audited(lines(run({ calls: 2 })(await qwen())))).report()
  expect(checks.find(({ code }) => code === 'T07')).toMatchObject({
    status: 'not-applicable',
    reason: expect.stringContaining('2 of 40 rollouts call one that nothing in the dump knows'),
  })
})

it('many are of a prompt that lost its tools', async () => {
  expect(await told({ calls: 4 })).toEqual([4, 4, 4, 'supported'])
  expect(await told({ calls: 40, reply: REFUSAL })).toEqual([40, 40, 40, 'supported'])
  expect(await told({ rollouts: 1, calls: 1 })).toEqual([1, 1, 1])
})

it('few are faults where another system text speaks of tools', async () => {
  expect(await told({ calls: 1, system: 'You have a tool that runs Python.' })).toEqual([1, 1, 1])
  expect(await told({ calls: 1, system: 'Be brief.' })).toEqual([0, 0, 0])
})

it('few are faults where another rollout has tools, and one that a tool answers always is', async () => {
  expect(
    await told({ calls: 1, more: { changes: {}, tools: [{ type: 'function', function: { name: 'search' } }] } }),
  ).toEqual([1, 1, 2])
  expect(await told({ calls: 0, more: { changes: { system: { text: 'Be brief.' } } } })).toEqual([1, 1, 1])
})
