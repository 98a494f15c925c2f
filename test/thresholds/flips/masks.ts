import type { DumpView } from '../../../shared/checks/check.ts'
import { ratioBand } from '../../../shared/checks/mask/rejected-tokens.ts'
import { maskLag } from '../../../shared/checks/oracles/alignment.ts'
import { patternOf } from '../../../shared/checks/reporting/systematic.ts'
import { createTally } from '../../../shared/checks/reporting/tally.ts'
import { findCut } from '../../../shared/checks/truncation/cut-text.ts'
import { atOnce } from '../../../shared/model/steps.ts'
import { resolveThresholds } from '../../../shared/model/thresholds/registry.ts'
import { whereFaultsStand } from '../../../shared/session/concluding/where-faults-stand.ts'
import { searchRow, searchRows } from '../../fixtures/checks/fixture.ts'
import M07 from '../../fixtures/checks/M07.ts'
import { assistant, conversation, system, user } from '../../helpers/conversation.ts'
import { factsOf } from '../../helpers/facts.ts'
import { resultOf } from '../../hypotheses/input.ts'
import { type Outcome, onFacts, onFixture, onRecord, onRows, patternOn } from '../outcomes.ts'
import { type Flips, flip } from './flip.ts'

/** Two of a hundred edges are of a kind that is always faulty. */
const oddEdges: Outcome = (set) =>
  patternOf(
    {
      ...createTally(),
      ...{ checked: 90, affected: 2, placesChecked: 100, placesAffected: 2 },
      byBoundary: { 'user>assistant': { checked: 98, affected: 0 }, 'other>assistant': { checked: 2, affected: 2 } },
    },
    resolveThresholds(set),
  )

/** The fault stands in all twelve third turns of twenty rollouts, and in no other. */
const thirdTurns: Outcome = (set) =>
  patternOf(
    {
      ...createTally(),
      ...{ checked: 20, affected: 12, placesChecked: 52, placesAffected: 12 },
      ...{ byTurn: { 3: 12 }, byTurnChecked: { 1: 20, 2: 20, 3: 12 } },
    },
    resolveThresholds(set),
  )

/** Sixteen of thirty-two rollouts call twice in one turn, and all of them have the fault at one of their two places. */
const callsTwice: Outcome = (set) => {
  const facts = Array.from({ length: 32 }, (_, record) =>
    factsOf(record, { assistantTurns: 2, ...(record < 16 ? { parallelCalls: true } : {}) }),
  )
  const places = { checked: 64, affected: 16 }
  const check = resultOf('M10', { affected: 16, checked: 32, pattern: 'sporadic', places, by_turn: { 1: 16 } })
  const faults = new Map([['M10', Uint8Array.from(facts, ({ parallelCalls }) => (parallelCalls ? 1 : 0))]])
  return atOnce(whereFaultsStand([check], faults, facts, resolveThresholds(set)))[0]?.pattern ?? null
}

/** Ten spans of four tokens, eight of which the mask has one token late and two longer. */
const lag: Outcome = (set) => {
  const length = 100
  const expected = Uint8Array.from({ length }, (_, i) => (i % 10 < 4 ? 1 : 0))
  const mask = Uint8Array.from({ length }, (_, i) => {
    const at = i % 10
    return (i < 80 ? at >= 1 && at < 5 : at >= 3 && at < 8) ? 1 : 0
  })
  return maskLag(mask, expected, length, resolveThresholds(set)).lag
}

/** Turns of eighteen tokens lie four and eight early, and a token of the prompt is trained besides. */
const earlyTurns = onRows('M07', {
  ...M07.trips,
  rows: (tokenizer) =>
    M07.trips.rows(tokenizer).map((row) => {
      row.record.loss_mask![1] = 1
      return row
    }),
})

/** Of ten rollouts whose model gives the answer two were judged to be wrong. */
const rewardedWords = [
  ...Array.from({ length: 10 }, (_, i) => factsOf(i, { answerPlace: 'model', reward: i < 8 ? 1 : 0 })),
  ...Array.from({ length: 6 }, (_, i) => factsOf(10 + i, { answerPlace: 'environment', reward: 1 })),
  ...Array.from({ length: 6 }, (_, i) => factsOf(16 + i, { answerPlace: 'nowhere', reward: 0 })),
]

/** Three of forty rollouts call a tool of which nothing in the run knows. */
const strayCalls = Array.from({ length: 40 }, (_, i) =>
  factsOf(i, i < 3 ? { strayCall: { prompt: [0, 20], call: [20, 30], called: 'python' } } : {}),
)

/** Of four prompts that only name a tool one calls it; two others of the text have its schema. */
const namedTools = Array.from({ length: 6 }, (_, i) =>
  factsOf(i, {
    ...(i < 4 ? { systemHash: 'words' } : { systemHash: 'more', besideSchema: 'words search' }),
    ...(i === 0 ? { namedTool: { prompt: [0, 20], call: [20, 30], called: 'search' } } : {}),
  }),
)

/** Three of twenty rollouts have neither loss nor logprobs on their ends. */
const silentEnds = Array.from({ length: 20 }, (_, i) =>
  factsOf(i, { endBehind: 29, ...(i < 3 ? { silentEnds: [40] } : {}) }),
)

/** Of twenty rollouts an end has neither loss nor a logprob, and of one an end with a logprob has no loss; of the ends in the loss so many have none either. */
const zeroEnds = (trainedZero: number) =>
  Array.from({ length: 21 }, (_, i) =>
    factsOf(i, {
      endLogprobs: { maskedZero: i < 20 ? 1 : 0, maskedScored: i < 20 ? 0 : 1, trainedZero, trainedScored: 1 },
      ...(i < 20 ? { zeroEnds: [{ index: 2, turn: 1, token: 40, id: 151645, boundary: 'assistant>tool' }] } : {}),
    }),
  )

/** Twelve tokens without loss have a ratio that no trained one has. */
const rejectedTokens: Outcome = (set) => {
  const facts = Array.from({ length: 12 }, (_, i) =>
    factsOf(i, {
      ratioRange: { least: -0.3, greatest: 0.3 },
      leftOutRatios: { tokens: 1, sum: -0.8, below: -0.8, above: null },
    }),
  )
  const dump = { facts, settings: { thresholds: resolveThresholds(set) } } as unknown as DumpView
  return atOnce(ratioBand(dump)) === null ? 'not told' : 'rejected'
}

/** A hundred rollouts whose 600 sampled tokens are all split as the tokenizer does. */
const encodedAgain = Array.from({ length: 100 }, (_, i) => factsOf(i, { drift: { tokens: 600, splits: 0 } }))

const WORDS = 'The quay of the old port is long and Boats came and went all day while nobody looked at the sea'
const cut =
  (visible: number, whole: number): Outcome =>
  (set) =>
    findCut(WORDS.slice(0, visible), WORDS.slice(0, whole), resolveThresholds(set))?.side ?? 'whole'

const QUESTION =
  'Who directed the film Night Harbour, which was shot in the old port in the spring of 1961, and when did it open?'

/** The question lacks its last words, 40 characters. */
const cutQuestion = onRows('C02', {
  family: 'qwen2.5',
  rows: (tokenizer) => [
    conversation(tokenizer, [system('Answer.'), user(QUESTION.slice(0, -40)), assistant('It is Ines Valdoro.')], {
      more: {
        messages: [
          { role: 'system', content: 'Answer.' },
          { role: 'user', content: QUESTION },
          { role: 'assistant', content: 'It is Ines Valdoro.' },
        ],
      },
    }),
  ],
})

/** The system turn of the ids has the first twelve characters of the message, and other words after them. */
const editedSystem = onRows('T09', {
  family: 'qwen2.5',
  rows: (tokenizer) => [
    conversation(tokenizer, [system('Answer with care.'), user('Who made it?'), assistant('Ines Valdoro did.')], {
      more: {
        messages: [
          { role: 'system', content: 'Answer with the help of the documents that the tool returns.' },
          { role: 'user', content: 'Who made it?' },
          { role: 'assistant', content: 'Ines Valdoro did.' },
        ],
      },
    }),
  ],
})

const CALL = '{"name": "search", "parameters": {"query": "I look up the film"}}'

/** The first words of the prose are in the call, too. */
const proseBesideCall = onRows('T13', {
  family: 'llama3',
  rows: (tokenizer) => [
    searchRow(
      tokenizer,
      0,
      { call: { text: CALL } },
      {
        more: {
          messages: [
            { role: 'user', content: 'Which year?' },
            {
              role: 'assistant',
              content: 'I look up the film in the documents, since nobody remembers it.',
              toolCalls: [{ id: 'call_0', name: 'search', arguments: '{"query": "I look up the film"}' }],
            },
            { role: 'tool', content: 'A film of 1961.' },
            { role: 'assistant', content: 'The document says it. <answer>Ines Valdoro</answer>' },
          ],
        },
      },
    ),
  ],
})

/** The first answer stands behind empty tags; its message has a thought. */
const emptyThought = onRows('T10', {
  family: 'qwen3',
  rows: (tokenizer) => {
    const turns = [
      user('Who directed the film Night Harbour?'),
      assistant('<think>\n</think>\n\nIt was Ines Valdoro, I am sure.'),
      user('And in which year?'),
      assistant('In 1961.'),
    ]
    const thought = '<think>\nThe film is of 1961, so I look for a director of that time.\n</think>\n\n'
    const contents = [turns[0]!.text, `${thought}It was Ines Valdoro, I am sure.`, turns[2]!.text, 'In 1961.']
    const messages = turns.map(({ role }, i) => ({ role, content: contents[i] as string }))
    return [conversation(tokenizer, turns, { more: { messages } })]
  },
})

/** A third of the document is left: the beginning, and from its end the last words. */
const DOCUMENT =
  'Night Harbour is a film of 1961 by Ines Valdoro, who had worked in the old port. It was shot there in spring.'
const halfADocument = onRows('C09', {
  family: 'qwen2.5',
  rows: searchRows(
    { reply: { text: `${DOCUMENT.slice(0, 50)} ${DOCUMENT.slice(-20)}` } },
    {
      more: {
        documents: [{ id: 'd1', text: DOCUMENT, supporting: true }],
        messages: [
          { role: 'user', content: 'Who?' },
          { role: 'assistant', content: 'I look it up.' },
          { role: 'tool', content: DOCUMENT },
          { role: 'assistant', content: 'Ines Valdoro.' },
        ],
      },
    },
    1,
  ),
})

/** Patterns, shapes of masks, and texts that are compared. */
export const MASK_FLIPS: Flips = {
  'systematic-share': flip(patternOn('L08'), 0.4, 'sporadic', 'systematic'),
  'systematic-units': flip(patternOn('M02'), 4, 'systematic', 'sporadic'),
  'systematic-kind-share': flip(oddEdges, 0.02, 'sporadic', 'systematic'),
  'systematic-subset-units': flip(thirdTurns, 13, 'systematic', 'sporadic'),
  'systematic-condition-chance': flip(callsTwice, 1e-9, 'systematic', 'sporadic'),
  'convention-share': flip(onFixture('M06.trips'), 0, 3, 'not-checkable'),
  'edges-at-lag': flip(lag, 0.75, 0, 1),
  'complement-agrees': flip(onFixture('M02.trips'), 1, 3, 'silent'),
  'mask-agrees': flip(onFixture('M02.trips'), 0, 3, 'silent'),
  'turn-lag-overlap': flip(earlyTurns, 0.4, 3, 'silent'),
  'thought-beside-share': flip(onFixture('M16.trips'), 1, 6, 'silent'),
  'answer-characters': flip(onFixture('M18.trips'), 40, 6, 'silent'),
  'answer-contrast-rollouts': flip(onFixture('M18.trips'), 10, 6, 'silent'),
  'answer-follows-share': flip(onFacts('M18', rewardedWords), 0.8, 'not-checkable', 6),
  'appended-ends': flip(onFacts('M10', zeroEnds(1)), 5, 20, 'silent'),
  'zero-ends-share': flip(onFacts('M10', zeroEnds(0)), 0.99, 'silent', 20),
  'rejected-tokens': flip(rejectedTokens, 13, 'rejected', 'not told'),
  'silent-ends-share': flip(onFacts('M10', silentEnds), 0.1, 3, 'silent'),
  'largest-vocabulary': flip(
    onRecord('T17', { input_ids: [1, 300_000, 2], loss_mask: [0, 1, 1] }),
    262_144,
    'not-checkable',
    1,
  ),
  'largest-loss-weight': flip(onRecord('S03', { input_ids: [1, 2, 3], loss_mask: [0, 150, 150] }), 200, 1, 'pass'),
  'drift-tokens': flip(onFacts('T02', encodedAgain), 60_001, 1, 'not-checkable'),
  'cut-visible-characters': flip(cut(50, 90), 60, 'right', 'whole'),
  'cut-lost-characters': flip(cut(60, 90), 60, 'right', 'whole'),
  'cut-shorter-characters': flip(cutQuestion, 60, 1, 'silent'),
  'document-edge-characters': flip(halfADocument, 15, 1, 'silent'),
  'system-opening-characters': flip(editedSystem, 12, 1, 'silent'),
  'looked-up-characters': flip(proseBesideCall, 15, 1, 'silent'),
  'stray-call-share': flip(onFacts('T07', strayCalls), 0.05, 'not-applicable', 3),
  'named-call-share': flip(onFacts('T07', namedTools), 0.25, 'silent', 1),
  'thought-tokens': flip(emptyThought, 1, 1, 'silent'),
  'control-context-characters': flip(onFixture('T15.trips'), 2, 3, 'silent'),
}
