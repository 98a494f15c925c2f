import { expect, it } from 'vitest'
import { audited, qwen } from './dumps.ts'

/** The end of the text, which a base model samples and with which rows are padded. */
const TEXT_END = 151643
const [TURN_START, TURN_END] = [151644, 151645]

/** Answers of a base model: `trained` of the ends of the text behind each have loss. */
async function report(trained: number) {
  const { encode } = await qwen()
  const rows = Array.from({ length: 16 }, (_, i) => {
    const question = [TURN_START, ...encode(`user\nHow much is ${i} and 9?`), TURN_END, ...encode('\n')]
    const prompt = [...question, TURN_START, ...encode('assistant\n')]
    const answer = encode(`It is ${i + 9}.`)
    const pads = 4 + (i % 3)
    const flags = (count: number, flag: number) => Array<number>(count).fill(flag)
    return {
      input_ids: [...prompt, ...answer, ...flags(pads, TEXT_END)],
      loss_mask: [...flags(prompt.length, 0), ...flags(answer.length + trained, 1), ...flags(pads - trained, 0)],
    }
  })
  const { checks, hypotheses } = (await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))).report()
  return {
    failing: checks.filter(({ status, code }) => status === 'fail' && code.startsWith('M')).map(({ code }) => code),
    verdict: hypotheses.find(({ id }) => id === 'H02')?.verdict,
  }
}

it('the first pad behind an open answer, if it alone has loss, is the end that the model sampled', async () => {
  expect(await report(1)).toEqual({ failing: [], verdict: 'contradicted' })
  expect(await report(3)).toEqual({ failing: ['M12'], verdict: 'supported' })
})
