import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { audited, qwen } from '../session/dumps.ts'
import { FIXTURES } from './fixture-files.ts'
import { readSource } from './read-source.ts'

const PAD = 151643
const WIDTH = 160

const QUESTION =
  'Here are the notes of the keeper, day by day. On Monday the gate was shut at noon, and the level of the lake rose by four centimetres. On Tuesday two of the pumps were mended by the men of the valley. How high does the dam stand above the river, in metres?'

const framed = (question: string) => `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`

/** Rows of a batch of verl whose prompts hold the messages that are stored for them (`raw_prompt`), or without what `cut` takes from the ids. */
async function batch({
  cut = (ids) => ids,
  raw = [{ role: 'user', content: QUESTION }],
  more = {},
}: {
  cut?: (ids: readonly number[]) => readonly number[]
  raw?: unknown
  more?: object
}) {
  const tokenizer = await qwen()
  const rows = Array.from({ length: 8 }, (_, row) => {
    const prompt = cut([...tokenizer.encode(framed(QUESTION), { specials: true })])
    const response = [...tokenizer.encode(`It stands ${60 + row} metres high.<|im_end|>`, { specials: true })]
    const flags = (length: number, value: number) => Array<number>(length).fill(value)
    const [left, right] = [WIDTH - prompt.length, 40 - response.length]
    return {
      prompts: [...flags(left, PAD), ...prompt],
      responses: [...response, ...flags(right, PAD)],
      attention_mask: [...flags(left, 0), ...flags(prompt.length + response.length, 1), ...flags(right, 0)],
      response_mask: [...flags(response.length, 1), ...flags(right, 0)],
      rm_scores: [...flags(response.length - 1, 0), row % 2, ...flags(right, 0)],
      uid: `u${row >> 2}`,
      raw_prompt: raw,
      ...more,
    }
  })
  return (await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))).report()
}

type Report = Awaited<ReturnType<typeof batch>>
const failing = ({ checks }: Report) => checks.filter(({ status }) => status === 'fail').map(({ code }) => code)
const withoutMiddle = (ids: readonly number[]) => [...ids.slice(0, 30), ...ids.slice(-30)]

describe('the messages of the prompt alone, beside the rows of a batch of verl', () => {
  it('show that the middle of the question is cut', async () => {
    const report = await batch({ cut: withoutMiddle })
    expect(report.sources[0]?.format?.id).toBe('verl-batch')
    expect(failing(report)).toEqual(['C02'])
    expect(report.findings.find(({ code }) => code === 'C02')?.evidence).toMatchObject({ cut: 'middle' })
  })

  it('name nothing where the prompt holds them, and are no conversation', async () => {
    const report = await batch({})
    expect(failing(report)).toEqual([])
    expect(report.sources[0]?.missing).toContain('messages')
  })

  it.each([
    ['of another prompt', [{ role: 'user', content: QUESTION.toUpperCase() }]],
    [
      'with another system message',
      [
        { role: 'system', content: QUESTION },
        { role: 'user', content: '?' },
      ],
    ],
    ['that are no messages', 'How high is the dam?'],
  ])('name nothing %s', async (_, raw) => {
    expect(failing(await batch({ cut: withoutMiddle, raw }))).toEqual([])
  })

  it('say nothing of the rows that a rollout has beside its first: their prompts are others', async () => {
    const rows = await batch({ cut: withoutMiddle, more: { traj_uid: 't' } })
    expect(failing(rows)).not.toContain('C02')
  })

  it('are those of the first sequence that a session puts out', async () => {
    const bytes = readFileSync(new URL('verl-batch/2026-08/tq_batch.pt', FIXTURES))
    const { trajectories } = await readSource(memorySource(bytes))
    expect(trajectories.some(({ branch }) => branch !== '0')).toBe(true)
    for (const { asked, branch } of trajectories) {
      expect(asked?.map(({ content }) => content)).toEqual(branch === '0' ? ['How high is the dam?'] : undefined)
    }
  })
})
