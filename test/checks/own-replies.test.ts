import { describe, expect, it } from 'vitest'
import { audited, qwen } from '../session/dumps.ts'

interface Piece {
  readonly text: string
  readonly train: boolean
}

const wrote = (text: string): Piece => ({ text, train: true })
const added = (text: string): Piece => ({ text, train: false })

/** M codes and the verdict on H02 of rows in which everything stands in one answer, tools and their replies with it. */
async function judge(pieces: readonly Piece[], { trainsEnd = true } = {}) {
  const { encode } = await qwen()
  const prompt = encode('Question: who founded it? Search between tags.\nAnswer: ')
  const rows = Array.from({ length: 8 }, (_, i) => {
    const answer = { text: ` I take attempt ${i}. <answer>Ines</answer>`, train: trainsEnd }
    const parts = [...pieces, answer].map(({ text, train }) => {
      const ids = encode(text)
      return { ids, mask: ids.map(() => Number(train)) }
    })
    const [start, end] = [encode('user\n'), 151645]
    const head = [151644, ...start, ...prompt, end, ...encode('\n'), 151644, ...encode('assistant\n')]
    return {
      input_ids: [...head, ...parts.flatMap(({ ids }) => ids), end],
      loss_mask: [...head.map(() => 0), ...parts.flatMap(({ mask }) => mask)].concat(Number(trainsEnd)),
    }
  })
  const { checks, hypotheses } = (await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))).report()
  return {
    failing: checks.filter(({ status, code }) => status === 'fail' && code.startsWith('M')).map(({ code }) => code),
    verdict: hypotheses.find(({ id }) => id === 'H02')?.verdict,
  }
}

const REPLY = '<information>Doc 1: The yard was founded by Ines Valdoro in the year 1914.</information>'
const call = wrote('Let me look it up. <search>who founded the yard</search>')

describe('a reply with loss inside an answer', () => {
  const made = wrote(`So I recall that ${REPLY} is what it says.`)

  it('was made up where it follows no call and the replies to calls are masked', async () => {
    expect(await judge([call, added(REPLY), made])).toEqual({ failing: [], verdict: 'contradicted' })
  })

  it('is the tool’s where it follows a call, and where no other reply tells', async () => {
    expect(await judge([call, added(REPLY), call, wrote(REPLY)])).toEqual({ failing: ['M01'], verdict: 'supported' })
    expect(await judge([made])).toEqual({ failing: ['M01'], verdict: 'supported' })
  })
})

describe('a mask of the response that is turned around where replies are spliced into the answer', () => {
  const masked = { ...call, train: false }

  it('is M02, and no replies that are trained beside', async () => {
    const twice = await judge([masked, wrote(REPLY), masked, wrote(REPLY)], { trainsEnd: false })
    expect(twice).toEqual({ failing: ['M02'], verdict: 'supported' })
    expect((await judge([masked, wrote(REPLY)], { trainsEnd: false })).failing).toEqual(['M02'])
  })

  it('is not where some of the model’s words are trained as well', async () => {
    expect((await judge([masked, wrote(REPLY), call, wrote(REPLY)])).failing).not.toContain('M02')
    expect((await judge([call, wrote(REPLY), call, wrote(REPLY)])).failing).toEqual(['M01'])
  })
})
