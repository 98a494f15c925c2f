import C11 from '../../fixtures/checks/C11.ts'
import { searchRow } from '../../fixtures/checks/fixture.ts'
import { factsOf } from '../../helpers/facts.ts'
import { onFacts, onFixture, onRows, verdict } from '../outcomes.ts'
import { type Flips, flip } from './flip.ts'

const rows = <T>(count: number, of: (i: number) => T) => Array.from({ length: count }, (_, i) => of(i))

/** Three of a hundred rollouts end in the open at one length. */
const pile = [
  ...rows(97, (i) => factsOf(i, { realLength: 120 + i, promptLength: 40 + (i % 7) })),
  ...rows(3, (i) => factsOf(97 + i, { realLength: 500, promptLength: 90 + i, endReason: 'cut-prose' })),
]

/** The same with four that end in the open just before. */
const thickPile = [
  ...rows(40, (i) => factsOf(i, { realLength: 120 + i, promptLength: 40 + (i % 7) })),
  ...rows(8, (i) =>
    factsOf(40 + i, { realLength: i < 4 ? 500 : 490 + i, promptLength: 90 + i, endReason: 'cut-prose' }),
  ),
]

/** A third of the rollouts ends 25 tokens below the limit of 200. */
const nearby = rows(60, (i) => factsOf(i, { realLength: i < 20 ? 175 : 120 }))

/** Rollouts that end with id 7 and are flagged as truncated, and some that end so and are not. */
const flagged = (cut: number, whole: number) => [
  ...rows(cut, (i) => factsOf(i, { lastToken: 7, isTruncated: true })),
  ...rows(whole, (i) => factsOf(cut + i, { lastToken: 7, isTruncated: false })),
]

/** Beside eight that have it, so many rollouts without an end token, of which so many end with one id; no two are equally long. */
const unended = (open: number, alike: number) =>
  rows(open + 8, (i) => {
    const row = factsOf(i, { realLength: 200 + 7 * i, assistantLengths: [30 + 3 * i], trained: 30, reward: 1 })
    return i < open ? { ...row, endReason: 'cut-prose' as const, lastToken: i < alike ? 29 : i } : row
  })

/** Three cut rollouts have −1, as two of twelve that ended; the others fail at 0 or succeed. */
const punished = [
  ...rows(3, (i) => factsOf(i, { reward: -1, endReason: 'cut-prose', finishReason: 'length' })),
  ...rows(12, (i) => factsOf(3 + i, { reward: i < 2 ? -1 : i < 8 ? 0 : 1 })),
]

const LAST = 'Nobody had thought of looking there before. I take it from the register that he was born in Quillfort.'

/** The messages hold one answer more, which ends as the last visible one does. */
const rewritten = onRows('C12', {
  family: 'qwen2.5',
  rows: (tokenizer) => [
    searchRow(
      tokenizer,
      0,
      { answer: { text: 'It is plain that he was born in Quillfort.' } },
      {
        reward: 0.8,
        more: {
          messages: [
            { role: 'user', content: 'Where was he born?' },
            { role: 'assistant', content: 'I look it up.' },
            { role: 'tool', content: 'Found.' },
            { role: 'assistant', content: 'It is plain that he was born in Quillfort.' },
            { role: 'user', content: 'Are you sure?' },
            { role: 'assistant', content: LAST },
          ],
        },
      },
    ),
  ],
})

/** Two of 18 rollouts are of prompts that the dataset does not have. */
const others = onRows('C11', { ...C11.trips, dataset: C11.trips.dataset.slice(2) })

/** Limits, cuts, and what was lost with them. */
export const LIMIT_FLIPS: Flips = {
  'pile-up-rollouts': flip(verdict('H04', pile.slice(60)), 4, 'inconclusive', 'not-checkable'),
  'pile-up-share': flip(verdict('H04', pile), 0.03, 'not-checkable', 'inconclusive'),
  'pile-up-chance': flip(verdict('H04', thickPile), 0.1, 'not-checkable', 'supported'),
  'pile-up-tokens': flip(verdict('H04', pile.slice(60)), 5000, 'inconclusive', 'not-checkable'),
  'near-limit-tokens': flip(verdict('H04', nearby, { limits: { max_seq_len: 200 } }), 30, 'contradicted', 'supported'),
  'closed-share-for-contrast': flip(onFixture('C03.trips'), 1, 1, 'silent'),
  'answer-tail-characters': flip(rewritten, 20, 1, 'silent'),
  'stop-string-rollouts': flip(onFacts('C03', unended(4, 4)), 5, 'silent', 4),
  'stop-string-share': flip(onFacts('C03', unended(8, 4)), 0.6, 4, 8),
  'flagged-rollouts': flip(onFacts('C05', flagged(3, 0)), 4, 3, 'silent'),
  'flagged-share': flip(onFacts('C05', flagged(9, 1)), 0.9, 'silent', 9),
  'tools-preamble-tokens': flip(onFixture('C10.trips'), 2, 1, 'silent'),
  'cut-rollouts': flip(onFixture('C06.trips'), 4, 3, 'silent'),
  'penalty-among-closed': flip(onFacts('C06', punished), 0.1, 3, 'silent'),
  'dataset-match-share': flip(others, 0.8, 'not-checkable', 1),
  'dropped-chance': flip(onFixture('C11.trips'), 1e-6, 1, 'silent'),
}
