import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { auditTrajectories } from '../checks/audit.ts'
import { type Scores, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { type Conversation, trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

/** Tokens of the last turn that the model wrote, its end token too. */
function lastTurn({ layout }: Conversation): readonly number[] {
  const { contentStart, endToken } = layout.at(-1)!
  return Array.from({ length: endToken + 1 - contentStart }, (_, i) => contentStart + i)
}

async function findings(
  code: string,
  edit: (scores: Scores, row: Conversation) => void,
  mark: (trajectory: Trajectory, row: Conversation) => Trajectory = (trajectory) => trajectory,
) {
  const tokenizer = await testTokenizer('qwen2.5')
  const rows = scoredRows((scores, row, index) => index === 1 && edit(scores, row))(tokenizer)
  const trajectories = rows.map((row, record) => mark(trajectoryOf(row, { source: 0, record, part: 0 }), row))
  return (await auditTrajectories(trajectories, tokenizer)).byCode.get(code)?.findings ?? []
}

describe('a whole trained turn without a logprob of the trainer', () => {
  it.each([
    ['null', null],
    ['NaN', Number.NaN],
  ])('is L05 where it is %s and the trainer scored another turn', async (_, value) => {
    const found = await findings('L05', ({ trainer }, row) => {
      for (const token of lastTurn(row)) trainer[token] = value
    })
    expect(found).toMatchObject([{ record: 1, evidence: { of: ['trainer'] } }])
  })

  it('is nothing where the format says that none is due', async () => {
    const marked = (trajectory: Trajectory, row: Conversation): Trajectory => {
      const trainer = new Uint8Array(trajectory.ids?.length ?? 0)
      for (const token of lastTurn(row)) trainer[token] = 1
      return { ...trajectory, noneDue: { trainer, advantages: null } }
    }
    const blank = ({ trainer }: Scores, row: Conversation) => {
      for (const token of lastTurn(row)) trainer[token] = null
    }
    expect(await findings('L05', blank, marked)).toEqual([])
    // The mark is no excuse for what it does not name.
    const first = ({ trainer, sampled }: Scores) => {
      trainer[sampled[5]!] = null
    }
    expect(await findings('L05', first, marked)).toHaveLength(1)
  })
})

it('a mask that is inverted (M02) leaves no logprob on what it trains, which is not L05 as well', async () => {
  const inverted = (trajectory: Trajectory): Trajectory => ({
    ...trajectory,
    mask: trajectory.place.record === 1 ? (trajectory.mask?.map((trained) => 1 - trained) ?? null) : trajectory.mask,
  })
  // Shares are written as everywhere else: 100 %, not 100.0 %.
  expect(await findings('M02', () => {}, inverted)).toEqual([
    expect.objectContaining({ message: expect.stringContaining('agrees with the turns on 100 % of the tokens') }),
  ])
  expect(await findings('L05', () => {}, inverted)).toEqual([])
  // What neither of the two has scored anywhere is missing, whatever the mask is.
  const unscored = ({ trainer, sampled }: Scores) => {
    for (const token of sampled) trainer[token] = null
  }
  expect(await findings('L05', unscored)).toHaveLength(1)
})

describe('an advantage on tokens of a prime-rl export', () => {
  /** Three rows of one turn each: a prompt, an observation and a reply, of which cross entropy trains the observation. */
  async function failing(advantage: (token: number, row: number) => number | null, withOthers = true) {
    const { tokenizer, rows } = await exported()
    const lines = rows.map(({ ids, reply, observation }, row) => ({
      schema_version: 1,
      step: 3,
      export_sequence_idx: row,
      micro_step: row,
      token_ids: ids,
      loss_mask: ids.map((_, i) => i >= reply),
      advantages: ids.map((_, i) => advantage(i - reply, row)),
      inference_logprobs: ids.map((_, i) => (i >= reply ? -0.4 - (i % 7) / 50 : 0)),
      trainer_logprobs: ids.map((_, i) => (i >= reply ? -0.4 - (i % 7) / 50 : 0)),
      ...(withOthers ? { ce_weights: ids.map((_, i) => (i >= observation && i < reply - 3 ? 0.1 : 0)) } : {}),
    }))
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const report = (await audited(text, { tokenizer: tokenizer.id, intend: ['M01'] })).report()
    expect(report.sources[0]?.format?.id).toBe('prime-rl-export')
    return report.findings.filter(({ code }) => code === 'S03').map(({ record }) => record)
  }

  async function exported() {
    const tokenizer = await testTokenizer('qwen2.5')
    const encode = (text: string) => [...tokenizer.encode(text, { specials: true })]
    const rows = ['North', 'South', 'East'].map((place) => {
      const before = encode('<|im_start|>user\n')
      const prompt = [...before, ...encode(`Which river flows ${place}?<|im_end|>\n<|im_start|>assistant\n`)]
      const answer = encode(`The river that flows ${place} rises in the hills and is long, says the map.<|im_end|>`)
      return { ids: [...prompt, ...answer], observation: before.length, reply: prompt.length }
    })
    return { tokenizer, rows }
  }

  it('is S03 where it is NaN on a token that the policy gradient trains, whatever trains others', async () => {
    expect(await failing((token, row) => (token < 0 ? 0 : row === 1 && token === 4 ? null : 0.5))).toEqual([1])
    expect(await failing((token, row) => (token < 0 ? 0 : row === 1 && token === 4 ? null : 0.5), false)).toEqual([1])
  })

  it('is none on tokens that another component trains, and those lack none', async () => {
    expect(await failing((token) => (token < 0 ? 0 : 0.5))).toEqual([])
    expect(await failing((token) => (token < 0 ? null : 0.5))).toEqual([])
  })
})
