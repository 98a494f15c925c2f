import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import type { AnswerPlace } from '../../shared/checks/texts/answer-place.ts'
import { decodeSpan } from '../../shared/tokens/text.ts'
import { auditTrajectories } from '../checks/audit.ts'
import { findUnproved } from '../helpers/at-once.ts'
import { assistant, call, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, lines } from '../session/dumps.ts'
import { testHost } from '../session/test-host.ts'

const rows = (answerPlace: AnswerPlace, rewards: readonly number[], from: number) =>
  rewards.map((reward, i) => factsOf(from + i, { answerPlace, reward }))
const times = (count: number, value: number) => new Array<number>(count).fill(value)
const dumpWith = (places: Partial<Record<AnswerPlace, readonly number[]>>) => ({
  ...dumpOf(Object.entries(places).flatMap(([place, rewards], k) => rows(place as AnswerPlace, rewards, k * 100))),
  streams: new Set(['rewards'] as const),
})
const found = (code: string, dump: ReturnType<typeof dumpOf>) => runOver(code, dump).findings.length

describe('a reward that follows replies', () => {
  it('is one finding for each rollout that got it, with the counts of all kinds', () => {
    const { findings, tally } = runOver(
      'A11',
      dumpWith({ environment: [...times(11, 0.9), 0], nowhere: times(8, 0.1) }),
    )
    expect(findings).toHaveLength(11)
    expect(tally).toMatchObject({ checked: 12, affected: 11, affectedTokens: 11 * 60 })
    expect(findings[0]).toMatchObject({
      severity: 'error',
      scope: 'trajectory',
      message: 'The reward is 0.9, and only a reply of the environment holds the answer: the model has no word of it',
      evidence: {
        reward: 0.9,
        answer_in_a_reply_alone: { rollouts: 12, rewarded: 11 },
        answer_nowhere: { rollouts: 8, rewarded: 0 },
        answer_of_the_model: { rollouts: 0, rewarded: 0 },
      },
    })
  })

  it.each<[string, Partial<Record<AnswerPlace, readonly number[]>>]>([
    ['the reward is low there, too', { environment: times(12, 0), nowhere: times(8, 0) }],
    [
      'the reward is low there and high elsewhere',
      { environment: times(12, 0), nowhere: times(8, 0), model: times(6, 1) },
    ],
    [
      'some of them are not rewarded: somebody reads what the model says',
      { environment: [...times(9, 1), ...times(3, 0)], nowhere: times(8, 0) },
    ],
    [
      'rollouts without the answer are rewarded as well',
      { environment: times(12, 1), nowhere: [...times(6, 0), ...times(2, 1)] },
    ],
    ['all are rewarded', { environment: times(12, 1), nowhere: times(8, 1) }],
    ['they are few', { environment: times(4, 1), nowhere: times(8, 0) }],
    ['nothing is there to hold them against', { environment: times(12, 1), nowhere: times(4, 0) }],
    ['the model has words of the answer', { 'in-part': times(12, 1), nowhere: times(8, 0) }],
    [
      'most say the answer themselves',
      { environment: times(8, 1), model: [...times(5, 1), ...times(5, 0.6)], nowhere: times(8, 0) },
    ],
    ['there are no numbers', { environment: times(12, Number.NaN), nowhere: times(8, Number.POSITIVE_INFINITY) }],
  ])('is not said where %s', (_, places) => {
    expect(found('A11', dumpWith(places))).toBe(0)
  })

  it('is told by M18 alone where the model’s own answers show what is rewarded', () => {
    const both = dumpWith({ model: times(6, 1), environment: times(12, 1), nowhere: times(8, 0) })
    expect([found('A11', both), found('M18', both)]).toEqual([0, 12])
    const silent = dumpWith({ model: times(4, 1), environment: times(12, 1), nowhere: times(8, 0) })
    expect([found('A11', silent), found('M18', silent)]).toEqual([12, 0])
    // The model's answers are paid by more than their words.
    const mixed = dumpWith({
      model: [...times(5, 1), ...times(2, 0.4)],
      environment: times(12, 1),
      nowhere: times(8, 0),
    })
    expect([found('A11', mixed), found('M18', mixed)]).toEqual([12, 0])
  })
})

describe('a reward of some without a word of the answer', () => {
  const untold = (places: Partial<Record<AnswerPlace, readonly number[]>>) => {
    const dump = dumpWith(places)
    const { tally } = runOver('A11', dump)
    expect(tally.affected).toBe(0)
    return findUnproved(checkByCode('A11')!, tally, dump)
  }

  it('is no proof that all are sound, be they few or beside others that go without', () => {
    expect(untold({ environment: [...times(2, 1), ...times(28, 0)], nowhere: times(8, 0), model: times(28, 1) })).toBe(
      '2 of 30 rollouts of which a reply of the environment alone holds the expected answer have a high reward: nothing tells whether it was given for that reply, or for other words that are right as well',
    )
    expect(untold({ environment: [...times(9, 1), ...times(3, 0)], nowhere: times(8, 0) })).toMatch(/^9 of 12 /)
    expect(untold({ environment: times(1, 1), nowhere: times(8, 0) })).toMatch(/^1 of 1 rollout .* has a high reward/)
  })

  it('is none where all rollouts have one reward, whatever it is', () => {
    expect(untold({ environment: times(12, 1), model: times(8, 1) })).toBe(
      'all 20 rollouts with an expected answer have reward 1, 12 of them with the answer in a reply of the environment alone: nothing tells what a reward is given for that all have',
    )
    expect(untold({ environment: times(1, 0), nowhere: times(8, 0) })).toMatch(/^all 9 rollouts .* have reward 0, 1 /)
  })

  it.each<[string, Partial<Record<AnswerPlace, readonly number[]>>]>([
    ['has it', { environment: times(30, 0), nowhere: times(8, 0), model: times(28, 1) }],
    ['has more than a little', { environment: times(30, 0.1), nowhere: times(8, 0), model: times(28, 1) }],
    ['has no word of the answer', { 'in-part': times(12, 1), nowhere: times(8, 0), model: times(4, 1) }],
    ['has its answer in a reply alone', { nowhere: times(12, 1), model: times(8, 1) }],
    ['is another than those that M18 tells', { model: times(6, 1), environment: times(12, 1), nowhere: times(8, 0) }],
  ])('leaves them sound where none %s', (_, places) => {
    expect(untold(places)).toBeNull()
  })
})

describe('where an answer stands', async () => {
  const tokenizer = await testTokenizer('qwen2.5')
  const placeOf = (answer: string, reply: string, said: string) => {
    const row = conversation(
      tokenizer,
      [user(`What is it? Is it ${answer}?`), assistant('I look it up.'), tool(reply), assistant(said)],
      { answer },
    )
    const { views } = auditTrajectories([trajectoryOf(row, { source: 0, record: 0, part: 0 })], tokenizer)
    const { facts, ids } = views[0] as (typeof views)[number]
    const at = facts.answerAt
    if (facts.answerPlace === 'in-part' || facts.answerPlace === 'environment') {
      const held = decodeSpan(tokenizer.table, ids, at?.[0], at?.[1])
      expect(held.toLowerCase()).toContain(answer.toLowerCase())
      // No token more than it takes, and in the reply, not in the question.
      expect(held.length).toBeLessThan(answer.length + 8)
      expect(at?.[0]).toBeGreaterThan(row.layout[2]?.contentStart as number)
    } else expect(at).toBeUndefined()
    return facts.answerPlace
  }

  it.each([
    ['Maud Ester', 'It is Maud Ester.', 'It is Maud Ester.', 'model'],
    ['Maud Ester', 'Nothing.', 'It is maud ester!', 'model'],
    ['Maud Ester', 'It is Maud Ester.', 'It was Ms Ester.', 'in-part'],
    ['the Arn', 'It is the Arn.', 'It is the river ARN.', 'in-part'],
    ['Maud Ester', 'It is Maud Ester.', 'Done.', 'environment'],
    ['Maud Ester', 'Nothing.', 'Done, Ester.', 'nowhere'],
    ['yes', 'yes', 'Done.', null],
    ['True', 'True', 'Done.', null],
    ['unknown', 'unknown', 'Done.', null],
    ['42', '42', 'Done.', null],
    ['7', '7', 'Done.', null],
    ['99.5', 'It was 99.5.', 'Done.', null],
    ['-12', 'It was -12.', 'Done.', null],
    ['1894', 'In 1894.', 'Done.', 'environment'],
    ['1,894', 'It was 1,894.', 'Done.', 'in-part'],
    ['1,5', '1,5', 'Done.', null],
  ])('%s in "%s", and the model says "%s": %s', (answer, reply, said, place) => {
    expect(placeOf(answer, reply, said)).toBe(place)
  })
})

describe('an answer that the model says nothing after', async () => {
  const tokenizer = await testTokenizer('qwen2.5')
  const query = assistant(call(tokenizer, 'run_sql', { sql: 'SELECT name FROM founders' }))
  const submit = assistant(call(tokenizer, 'submit_sql', { sql: 'SELECT name FROM founders' }))

  it.each([
    ['ends the rollout, as what its code prints', [assistant('print(founder)'), tool('Maud Ester')], 'in-part'],
    ['is what a query gives that it then submits', [query, tool('Maud Ester'), submit], 'in-part'],
    ['and then says otherwise is another text', [query, tool('Maud Ester'), assistant('Nobody.')], 'environment'],
    [
      'and then says otherwise, after a call',
      [query, tool('Maud Ester'), submit, tool('Sent.'), assistant('Nobody.')],
      'environment',
    ],
  ])('%s', (_, turns, place) => {
    const row = conversation(tokenizer, [user('Who founded it?'), ...turns], { answer: 'Maud Ester' })
    const { views } = auditTrajectories([trajectoryOf(row, { source: 0, record: 0, part: 0 })], tokenizer)
    expect(views[0]?.facts.answerPlace).toBe(place)
  })
})

describe('an answer that is handed in by a call', async () => {
  const tokenizer = await testTokenizer('qwen2.5')
  const look = assistant(call(tokenizer, 'search', { query: 'founders' }))
  const hands = (name: string, args: Record<string, unknown>) => assistant(call(tokenizer, name, args))
  const found = tool('It was founded by Maud Ester.')

  it.each([
    ['is the model’s', [look, found, hands('submit', { answer: 'Maud Ester' })], 'model'],
    [
      'is the model’s in other letters',
      [look, found, hands('finish', { final_answer: 'MAUD ESTER', sure: true })],
      'model',
    ],
    [
      'is the model’s, which nobody told it',
      [look, tool('Nothing.'), hands('finish', { answer: 'Maud Ester' })],
      'model',
    ],
    ['is another', [look, found, hands('finish', { answer: 'Otto Quill' })], 'environment'],
    ['is another, by its tool alone', [look, found, hands('final_answer', { text: 'Otto Quill' })], 'environment'],
    [
      'is another, and the environment takes it',
      [look, found, hands('submit', { answer: 'Quill' }), tool('Done.')],
      'environment',
    ],
    [
      'is another, of which nobody spoke',
      [look, tool('Nothing.'), hands('submit', { answer: 'Otto Quill' })],
      'nowhere',
    ],
    ['is in other words', [look, found, hands('submit', { answer: 'Ms Ester' })], 'in-part'],
    [
      'is another, and the environment then names the right one',
      [look, tool('Nothing.'), hands('submit', { answer: 'Quill' }), found],
      'in-part',
    ],
    [
      'is another than it said before',
      [look, found, assistant('Maud Ester?'), user('So?'), hands('submit', { answer: 'Quill' })],
      null,
    ],
    ['is a query', [look, found, hands('submit', { sql: 'SELECT name FROM founders' })], 'in-part'],
    ['is none', [look, found, hands('finish', {})], 'in-part'],
    [
      'is spelt so that it cannot be read',
      [look, found, assistant('<tool_call>\n{"name": "finish", "answer"\n</tool_call>')],
      'in-part',
    ],
  ])('%s', (_, turns, place) => {
    const row = conversation(tokenizer, [user('Who was it?'), ...turns], { answer: 'Maud Ester' })
    const { views } = auditTrajectories([trajectoryOf(row, { source: 0, record: 0, part: 0 })], tokenizer)
    expect(views[0]?.facts.answerPlace).toBe(place)
  })
})

describe('a second run', () => {
  interface Answered {
    readonly question: string
    readonly answer: string
    readonly reward: number
  }
  const runOf = (answers: readonly Answered[]): TrajectoryFacts[] =>
    answers.map(({ question, answer, reward }, i) =>
      factsOf(i, { reward, pairing: { question, answer, system: null, tools: null } }),
    )
  const compare = (own: readonly Answered[], other: readonly Answered[]) =>
    runOver('A11', { ...dumpOf(runOf(own)), against: dumpOf(runOf(other)) })
  const questions = (count: number, reward: (i: number) => number, answer = (i: number) => `answer ${i}`) =>
    Array.from({ length: count }, (_, i) => ({ question: `question ${i}`, answer: answer(i), reward: reward(i) }))

  it('that scores the same words otherwise is told at each rollout', () => {
    const { findings, tally } = compare(
      questions(20, (i) => (i % 2 === 0 ? 1 : 0)),
      questions(20, (i) => (i % 4 === 0 ? 1 : 0)),
    )
    expect(findings.map(({ record }) => record)).toEqual([2, 6, 10, 14, 18])
    expect(tally).toMatchObject({ checked: 20, affected: 5 })
    expect(findings[0]).toMatchObject({
      message: 'The reward is 1, and 0 in the second run for the same words',
      evidence: { answers_in_the_same_words: 20, scored_otherwise: 5, mean_reward_in_second_run: 0 },
    })
  })

  it('is told where it rewards nothing, or everything', () => {
    const half = questions(20, (i) => i % 2)
    expect(
      compare(
        half,
        questions(20, () => 0),
      ).findings,
    ).toHaveLength(10)
    expect(
      compare(
        half,
        questions(20, () => 1),
      ).findings,
    ).toHaveLength(10)
    expect(
      compare(
        questions(20, () => 1),
        half,
      ).findings,
    ).toHaveLength(10)
  })

  it.each<[string, readonly Answered[], readonly Answered[]]>([
    ['scores them alike', questions(20, (i) => i % 2), questions(20, (i) => i % 2)],
    ['has another scale', questions(20, (i) => i % 2), questions(20, (i) => 100 * (i % 2))],
    ['takes something off for format', questions(20, (i) => i % 2), questions(20, (i) => (i % 2) - 0.2)],
    [
      'answers otherwise',
      questions(20, (i) => i % 2),
      questions(
        20,
        () => 0,
        (i) => `other ${i}`,
      ),
    ],
    [
      'has other questions',
      questions(20, (i) => i % 2),
      questions(20, () => 0).map((each) => ({ ...each, question: `other ${each.question}` })),
    ],
    ['differs on few', questions(40, (i) => i % 2), questions(40, (i) => (i < 6 ? 0 : i % 2))],
    ['differs in both directions', questions(20, (i) => i % 2), questions(20, (i) => (i < 10 ? 1 - (i % 2) : i % 2))],
    [
      'says the same of tasks whose outcome lies elsewhere',
      Array.from({ length: 48 }, (_, i) => ({
        question: `task ${i >> 2}`,
        answer: 'done',
        reward: i < 24 ? 1 : i % 2,
      })),
      questions(
        12,
        () => 0,
        () => 'done',
      ).map((each, i) => ({ ...each, question: `task ${i}` })),
    ],
  ])('is no fault where it %s', (_, own, other) => {
    expect(compare(own, other).findings).toEqual([])
  })

  it('is asked for where the dump has no answers either', () => {
    expect(runOver('A11', dumpOf([factsOf(0, { reward: 1 })])).abstained).toEqual({
      status: 'not-checkable',
      reason: 'the dump does not carry token ids, loss mask, tokenizer, answer, and no second run is given (--against)',
    })
  })
})

it('a second run that is read beside a dump is asked, too', async () => {
  const tokenizer = await testTokenizer('qwen2.5')
  const run = (reward: (i: number) => number) =>
    lines(
      Array.from({ length: 12 }, (_, i) =>
        conversation(tokenizer, [user(`Which river is ${i}?`), assistant(`It is river ${i}, I believe.`)], {
          id: `rollout-${i}`,
          reward: reward(i),
          messages: true,
        }),
      ),
    )
  const options = { tokenizer: 'qwen2.5', checks: ['A11'] }
  const second = await audited(
    run((i) => (i % 4 === 0 ? 1 : 0)),
    options,
  )
  const against = await audited(
    run((i) => (i % 2 === 0 ? 1 : 0)),
    options,
    testHost(),
    { against: second.secondRun() },
  )
  expect(against.report().findings.map(({ code, record }) => [code, record])).toEqual([
    ['A11', 2],
    ['A11', 6],
    ['A11', 10],
  ])
})
