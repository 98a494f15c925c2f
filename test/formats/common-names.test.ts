import { beforeAll, describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { audited, cleanRollout, qwen } from '../session/dumps.ts'

const PAD = 151643
const END = 151645
const NEWLINE = 198

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

interface Pair {
  readonly prompt: readonly number[]
  readonly completion: readonly number[]
  readonly trained: readonly number[]
}

/** Clean rollouts with a search, as a prompt and what came after it. */
function pairs(count = 4): Pair[] {
  return Array.from({ length: count }, (_, seed) => {
    const { input_ids: ids, loss_mask: mask } = cleanRollout(tokenizer, 10 ** seed).record
    const prompt = (mask as number[]).indexOf(1)
    return { prompt: ids.slice(0, prompt), completion: ids.slice(prompt), trained: (mask as number[]).slice(prompt) }
  })
}

/** The rows of a batch of TRL: prompts padded on the left, completions on the right, `tool_mask` with 1. */
function batchOf(rows: readonly Pair[], pad = PAD) {
  const widest = (lists: readonly (readonly number[])[]) => Math.max(...lists.map(({ length }) => length))
  const left = widest(rows.map(({ prompt }) => prompt))
  const right = widest(rows.map(({ completion }) => completion))
  const fill = (length: number, value: number) => Array<number>(length).fill(value)
  return rows.map(({ prompt, completion, trained }, row) => ({
    prompt_ids: [...fill(left - prompt.length, pad), ...prompt],
    prompt_mask: [...fill(left - prompt.length, 0), ...fill(prompt.length, 1)],
    completion_ids: [...completion, ...fill(right - completion.length, pad)],
    completion_mask: [...fill(completion.length, 1), ...fill(right - completion.length, 0)],
    tool_mask: [...trained, ...fill(right - completion.length, 1)],
    advantages: [1, -1, 0.5, -0.5][row],
    reward: row % 2,
  }))
}

async function reportOf(rows: readonly object[]) {
  return (await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))).report()
}

async function failing(rows: readonly object[]) {
  const { checks } = await reportOf(rows)
  return checks.filter(({ status }) => status === 'fail').map(({ code }) => code)
}

describe('a batch of TRL, row by row', () => {
  it('is clean: its prompt mask is what is attended, and tool replies are left out by a mask of their own', async () => {
    const report = await reportOf(batchOf(pairs()))
    expect(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)).toEqual([])
    const { by_part: parts, tokens } = report.totals
    expect([parts.user?.trained, parts.system?.trained, parts.tool?.trained]).toEqual([0, 0, 0])
    expect(tokens.trained).toBe(pairs().flatMap(({ trained }) => trained.filter((flag) => flag === 1)).length)
    expect(report.sources[0]?.missing).not.toContain('advantages')
  })

  it('has M05 where the tool replies are in both masks', async () => {
    const rows = batchOf(pairs()).map((row) => ({ ...row, tool_mask: row.tool_mask.map(() => 1) }))
    expect(await failing(rows)).toEqual(['M05'])
  })

  it('is clean where the end of turns pads, once as well', async () => {
    const rows = pairs()
    const widest = Math.max(...rows.map(({ prompt }) => prompt.length))
    const END = 151645
    expect(rows.map(({ prompt }) => widest - prompt.length)).toContain(1)
    expect(await failing(batchOf(rows, END))).toEqual([])
    // A mask of all that is not the padding's id leaves the real ends out as well; the longest row, without padding, shows the effect alone.
    const masked = batchOf(rows, END).map((row) => ({
      ...row,
      completion_mask: row.completion_ids.map((id, i) => (id === END ? 0 : (row.completion_mask[i] as number))),
    }))
    expect(await failing(masked)).toEqual(['M10', 'M13'])
  })

  it('is known by its padding alone, or by its advantage alone', async () => {
    const bare = ({ advantages: _, tool_mask: __, ...row }: ReturnType<typeof batchOf>[number], { trained }: Pair) => ({
      ...row,
      completion_mask: row.completion_mask.map((flag, i) => (flag === 1 ? (trained[i] as number) : 0)),
    })
    const rows = pairs()
    const padded = batchOf(rows).map((row, i) => bare(row, rows[i] as Pair))
    expect(await failing(padded.filter(({ prompt_mask: mask }) => mask.includes(0)))).toEqual([])
    // The longest prompt of a batch has no padding, and by itself would look like a mask of the loss.
    expect(padded.some(({ prompt_mask: mask }) => !mask.includes(0))).toBe(true)
    expect(await failing(padded)).toEqual([])
    const alone = batchOf(rows).flatMap((_, i) => {
      const one = batchOf([rows[i] as Pair])[0] as ReturnType<typeof batchOf>[number]
      return [{ ...bare(one, rows[i] as Pair), advantages: i - 1.5 }]
    })
    expect(await failing(alone)).toEqual([])
  })
})

describe('the logprobs of a batch of TRL', () => {
  /** 0.0 where the engine sampled nothing; trainer and reference score whatever stands there, the padding too. */
  const scored = (change: (row: number, token: number, trainer: number) => number = (_, __, trainer) => trainer) => {
    const rows = pairs()
    return batchOf(rows).map((row, index) => {
      const trained = (rows[index] as Pair).trained
      const trainer = row.completion_ids.map((id, i) => -((id % 13) + 1) / 40 - (i % 5) / 100)
      return {
        ...row,
        sampling_per_token_logps: trainer.map((value, i) => (trained[i] === 1 ? value + ((i % 3) - 1) / 100 : 0)),
        old_per_token_logps: trainer.map((value, i) => change(index, i, value)),
        ref_per_token_logps: trainer.map((value, i) => value - (i % 4) / 50),
      }
    })
  }

  it('are those of sampler, trainer and reference, each of the completion token at its place', async () => {
    const report = await reportOf(scored())
    expect(report.sources[0]?.missing).not.toEqual(expect.arrayContaining(['logprobs.trainer']))
    expect(report.sources[0]?.drift).toEqual([])
    const status = (code: string) => report.checks.find((check) => check.code === code)?.status
    expect(['L01', 'L05', 'L06'].map(status)).toEqual(['pass', 'pass', 'pass'])
    expect(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)).toEqual([])
    expect(report.hypotheses.find(({ id }) => id === 'H03')?.verdict).not.toBe('not-checkable')
  })

  it('do not say that a newline was sampled which has the 0.0 of what was not', async () => {
    const rows = scored()
    const ends = (pairs()[0] as Pair).completion.indexOf(NEWLINE, (pairs()[0] as Pair).completion.indexOf(END))
    ;(rows[0]!.tool_mask as number[])[ends] = 1
    expect(rows[0]!.sampling_per_token_logps[ends]).toBe(0)
    const found = (await reportOf(rows)).findings.filter(({ code }) => code === 'M11')
    expect(found).toMatchObject([{ record: 0, tokens: [rows[0]!.prompt_ids.length + ends, expect.anything()] }])
  })

  it('tell an engine that disagrees from one that does not, and say nothing of what the masks leave out', async () => {
    const trained = pairs().map((row) => row.trained)
    const away = scored((row, token, value) => value - (trained[row]?.[token] === 1 ? ((token * 7) % 10) / 12 : 40))
    expect(await failing(away)).toEqual(expect.arrayContaining(['L01']))
    expect(await failing(scored((row, token, value) => (trained[row]?.[token] === 1 ? value : -40)))).toEqual([])
  })
})

it('a prompt mask that is 1 throughout, beside nothing of TRL, is the loss mask of the prompt', async () => {
  const rows = pairs().map(({ prompt, completion, trained }) => ({
    prompt_ids: prompt,
    prompt_mask: prompt.map(() => 1),
    completion_ids: completion,
    completion_mask: trained,
    reward: 1,
  }))
  expect(await failing(rows)).toContain('M01')
})

describe('logprobs that nothing says whose they are', () => {
  const rows = () =>
    pairs().map(({ prompt, completion, trained }) => ({
      input_ids: [...prompt, ...completion],
      loss_mask: [...prompt.map(() => 0), ...trained],
      logprobs: [...prompt, ...completion].map(() => -0.5),
      attention_mask: [...prompt, ...completion].map(() => true),
      rewards: 1,
    }))

  it('are left alone and named, and fit their row', async () => {
    const report = await reportOf(rows())
    expect(report.checks.filter(({ code }) => code === 'S03').map(({ status }) => status)).toEqual(['pass'])
    expect(report.sources[0]?.drift).toEqual(['unknown field `logprobs` in 4 records'])
    expect(report.sources[0]?.missing).toEqual(expect.arrayContaining(['logprobs.sampler', 'logprobs.trainer']))
  })

  it('take nothing from a reward that is a number under the name of its parts', async () => {
    expect((await reportOf(rows())).sources[0]?.missing).not.toContain('rewards')
  })
})
