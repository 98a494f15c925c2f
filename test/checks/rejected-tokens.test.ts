import { describe, expect, it } from 'vitest'
import { assistant, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen3 = await testTokenizer('qwen3')
const CLOSING_TAG = 151668

/** Tokens of a rollout: a word of its first turn, the end of its last, or the tag that closes the thought of its first. */
type Place = 'word' | 'end' | 'tag'

/** What the mask leaves out, with the log ratio of trainer to sampler there. */
type LeftOut = Partial<Record<Place, number>>

function rowOf(leftOut: LeftOut, record: number) {
  const turns = [
    user(`Was it ${record}?`),
    assistant('<think>\nI have to look it up.\n</think>\n\nI look in the archive of the town.'),
    tool('It was.'),
    assistant('<think>\nThat is what it says.\n</think>\n\nIt was so, says the archive of the town.'),
  ]
  const row = conversation(qwen3, turns, { id: `r${record}` })
  const { input_ids: ids, loss_mask: mask = [] } = row.record
  const at = {
    word: row.layout[1]!.contentStart + 5,
    end: row.layout[3]!.endToken,
    tag: (ids as number[]).indexOf(CLOSING_TAG, row.layout[1]!.contentStart),
  }
  const sampler = mask.map((trained) => (trained === 1 ? -1 : null))
  // From −0.3 to 0.3.
  const trainer = mask.map((trained, i) => (trained === 1 ? -1 + (((i * 7) % 13) - 6) / 20 : null))
  const masked = [...mask]
  for (const [place, ratio] of Object.entries(leftOut)) {
    const token = at[place as Place]
    masked[token] = 0
    trainer[token] = -1 + ratio
  }
  const logprobs = { sampler, trainer }
  return trajectoryOf(
    { ...row, record: { ...row.record, loss_mask: masked, logprobs } },
    { source: 0, record, part: 0 },
  )
}

/** Code, severity and rollout of what M10 and M16 say. */
function told(rows: readonly LeftOut[]) {
  const { byCode } = auditTrajectories(rows.map(rowOf), qwen3)
  return ['M10', 'M16'].flatMap((code) =>
    byCode.get(code)!.findings.map(({ severity, trajectory }) => [code, severity, trajectory]),
  )
}

const times = (count: number, leftOut: LeftOut) => Array.from({ length: count }, () => leftOut)

describe('tokens that are left out where their ratio leaves the range of all that is trained', () => {
  it('are rejected, ends and closing tags among them', () => {
    expect(told([...times(10, { word: -0.8 }), { end: 0.9 }, { tag: -0.7 }, { word: 1, end: -0.8 }])).toEqual([
      ['M10', 'info', 'r10'],
      ['M10', 'info', 'r12'],
      ['M16', 'info', 'r11'],
    ])
  })

  it('say between which ratios those lie that are trained', () => {
    const { byCode } = auditTrajectories([...times(10, { word: -0.8 }), { end: 0.9 }].map(rowOf), qwen3)
    expect(byCode.get('M10')!.findings.map(({ message }) => message)).toEqual([
      'The end token of assistant turn 2 is not trained: its ratio of trainer to sampler is 2.46. 11 tokens that the mask leaves out amid trained turns lie beyond 0.741 to 1.35, between which all trained tokens lie: rejection sampling by token leaves them out on purpose',
    ])
  })

  it('are none where they are few', () => {
    expect(told([...times(8, { word: -0.8 }), { end: 0.9 }])).toEqual([['M10', 'error', 'r8']])
  })

  it('explain no end or tag of a ratio as trained tokens have it', () => {
    const rows = [...times(10, { word: -0.8 }), { end: 0.9 }, { end: 0.1 }, { tag: 0.1 }, { tag: 0.9 }]
    expect(told(rows)).toEqual([
      ['M10', 'info', 'r10'],
      ['M10', 'error', 'r11'],
      ['M16', 'warning', 'r12'],
      ['M16', 'info', 'r13'],
    ])
  })

  it('explain nothing where the mask leaves out more for another reason', () => {
    const rows = [...times(10, { word: -0.8 }), { end: 0.9 }, ...times(12, { word: 0.1, end: 0.1 })]
    expect(told(rows).filter(([, severity]) => severity !== 'error')).toEqual([])
    expect(told(rows)).toHaveLength(13)
  })
})
