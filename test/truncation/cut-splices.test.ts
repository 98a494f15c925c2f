import { describe, expect, it } from 'vitest'
import { audited, qwen } from '../session/dumps.ts'

const document = (i: number) =>
  `\n\n<information>Doc 1: ${['As', 'Perhaps', 'Surely', 'Nevertheless'][i % 4]} the yard was founded by Ines Valdoro in the year 1914, and her sons kept it until the war.</information>\n\n`

/** Rollouts of Search-R1, which searches in its answer, and of which the environment keeps so many tokens of a reply; some end in a reply. */
async function report(limit: number) {
  const { encode } = await qwen()
  const head = [151644, ...encode('user\nWho founded it?'), 151645, ...encode('\n'), 151644, ...encode('assistant\n')]
  const rows = Array.from({ length: 16 }, (_, i) => {
    const call = encode(`<search>founder of yard ${i}</search>`)
    const reply = encode(document(i)).slice(0, limit)
    const answer = [...encode(`It is told in document ${i}. <answer>Ines</answer>`), 151645]
    const parts = [head, call, reply, call, reply, answer]
    return {
      input_ids: parts.flat(),
      loss_mask: parts.flatMap((part) => part.map(() => Number(part === call || part === answer))),
    }
  })
  const { checks, hypotheses, limits, findings } = (
    await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  ).report()
  return {
    failing: checks.filter(({ status }) => status === 'fail').map(({ code, pattern }) => [code, pattern]),
    c08: checks.find(({ code }) => code === 'C08'),
    verdictOf: (id: string) => hypotheses.find((each) => each.id === id)?.verdict,
    limit: limits.max_tool_response_length,
    evidence: findings[0]?.evidence,
  }
}

describe('replies that are spliced into an answer', () => {
  it('and cut with their closing tag are C08, and no text of the model', async () => {
    const { failing, c08, verdictOf, limit, evidence } = await report(20)
    expect(failing).toEqual([['C08', 'systematic']])
    expect(c08?.places).toEqual({ checked: 32, affected: 32 })
    expect(evidence).toMatchObject({ cut: 'right', shown_by: 'open tag', tokens_left: 20, replies_cut_in_turn: 2 })
    expect(limit).toMatchObject({ value: 20, origin: 'inferred' })
    expect([verdictOf('H02'), verdictOf('H04')]).toEqual(['contradicted', 'supported'])
  })

  it('and whole are not', async () => {
    const { failing, c08, verdictOf } = await report(120)
    expect(failing).toEqual([])
    expect(c08?.places).toEqual({ checked: 32, affected: 0 })
    expect(verdictOf('H02')).toBe('contradicted')
  })
})
