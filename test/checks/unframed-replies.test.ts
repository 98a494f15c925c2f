import { describe, expect, it } from 'vitest'
import type { CheckResult } from '../../shared/model/report.ts'
import { audited, qwen } from '../session/dumps.ts'

interface Piece {
  readonly text: string
  readonly train: boolean
  /** Logprob of its tokens; null where the dump has none. */
  readonly logprob: number | null
}

const wrote = (text: string): Piece => ({ text, train: true, logprob: -0.3 })
const added = (text: string): Piece => ({ text, train: false, logprob: null })
const trained = (piece: Piece): Piece => ({ ...piece, train: true })

const TEXT_END = 151643
const QUESTION =
  'Answer the question. You can search by <search> query </search>, and the results come back between <information> and </information>. Question: who founded the yard?\n'

/** M01 of rollouts of a base model: a question, its own words and what is between tags, without a template. */
async function judge(
  pieces: readonly Piece[],
  { prompt = added(QUESTION), logprobs = false } = {},
): Promise<CheckResult> {
  const { encode } = await qwen()
  const rows = Array.from({ length: 8 }, (_, i) => {
    const all = [prompt, ...pieces, wrote(` That settles attempt ${i}. <answer>Ines</answer>`)]
    const parts = all.map(({ text, train, logprob }) => {
      const ids = encode(text)
      return { ids, mask: ids.map(() => Number(train)), logprobs: ids.map(() => logprob) }
    })
    return {
      input_ids: [...parts.flatMap(({ ids }) => ids), TEXT_END],
      loss_mask: [...parts.flatMap(({ mask }) => mask), 1],
      prompt_length: parts[0]?.ids.length,
      ...(logprobs ? { logprobs: { sampler: [...parts.flatMap((part) => part.logprobs), -0.1] } } : {}),
    }
  })
  const dump = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const { checks } = (await audited(dump, { tokenizer: 'qwen2.5' })).report()
  return checks.find(({ code }) => code === 'M01') as CheckResult
}

const REPLY = '\n\n<information>Doc 1: The yard was founded by Ines Valdoro in the year 1914.</information>\n\n'
const call = wrote('<think>Let me look it up.</think>\n<search>who founded the yard</search>')

describe('a reply between tags in a row without turns', () => {
  it('is no text of the model where it follows a call', async () => {
    expect(await judge([call, trained(added(REPLY))])).toMatchObject({
      status: 'fail',
      affected: 8,
      pattern: 'systematic',
    })
    expect(await judge([call, trained(added(REPLY))], { logprobs: true })).toMatchObject({
      status: 'fail',
      affected: 8,
    })
    expect(await judge([call, added(REPLY), call, trained(added(REPLY))])).toMatchObject({
      status: 'fail',
      places: { checked: 16, affected: 8 },
    })
  })

  it('is masked where it is right, and counts once', async () => {
    expect(await judge([call, added(REPLY)])).toMatchObject({ status: 'pass', checked: 8, places: { checked: 8 } })
  })

  it('is the model’s where it follows no call, or where the dump says that it was sampled', async () => {
    const madeUp = wrote(`I recall that ${REPLY} is what it says.`)
    expect((await judge([call, added(REPLY), madeUp])).status).toBe('pass')
    expect((await judge([call, wrote(REPLY)], { logprobs: true })).status).toBe('pass')
  })

  it('is told by the mask where a forward pass scored the prompt as well', async () => {
    const scored = { prompt: { ...added(QUESTION), logprob: -1.5 }, logprobs: true }
    expect((await judge([call, wrote(REPLY)], scored)).status).toBe('fail')
  })

  it('says nothing by a mask that lies one token off', async () => {
    const off = { ...added('>'), train: true }
    const late = [call, { ...added('\n\n<information'), train: true }, off, added('Doc 1: Ines.</information>\n\n')]
    expect((await judge(late)).status).toBe('pass')
  })

  it('is told with the prompt where all of the row is trained', async () => {
    const whole = await judge([call, trained(added(REPLY))], { prompt: trained(added(QUESTION)) })
    expect(whole).toMatchObject({ status: 'fail', checked: 8, affected: 8, places: { checked: 8 } })
  })
})
