import { describe, expect, it } from 'vitest'
import { assistant, conversation, SEARCH_TOOL, system, user, withToolSchema } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

const { function: inner } = SEARCH_TOOL as { function: Record<string, unknown> }
const SAME_TOOL = { function: Object.fromEntries(Object.entries(inner).reverse()), type: 'function' }
const OTHER_TOOL = { ...SEARCH_TOOL, function: { ...inner, description: 'Finds people, and nothing else.' } }

/** What H08 measures of a run with a tool in its prompts beside one with another, question by question. */
async function measured(
  tool: unknown,
  other: unknown,
  kept: { tools: boolean; messages: boolean } = { tools: true, messages: true },
  said = 'Answer with the help of the search.',
): Promise<Record<string, unknown>> {
  const tokenizer = await qwen()
  const run = async (each: unknown, reward: number, text = 'Answer with the help of the search.') => {
    const rows = ['Arn', 'Teal', 'Ouse'].map((river) =>
      conversation(
        tokenizer,
        [
          system(withToolSchema(text, [each])),
          user(`Where does the ${river} rise?`),
          assistant(`In the hills, ${reward} miles away.`),
        ],
        { ...(kept.tools ? { tools: [each] } : {}), messages: kept.messages, reward },
      ),
    )
    return lines(rows)
  }
  const second = await audited(await run(other, 0, said))
  const report = (await audited(await run(tool, 1), {}, undefined, { against: second.secondRun() })).report()
  const because = report.hypotheses.find(({ id }) => id === 'H08')?.because ?? []
  return Object.fromEntries(
    because.map(({ measure, value }) => [measure.replace('share of paired questions whose ', ''), value]),
  )
}

it('tools whose keys stand in another order are another rendering of the same tools and the same system text', async () => {
  expect(await measured(SEARCH_TOOL, SAME_TOOL)).toMatchObject({
    'tools differ': 0,
    'system text differs': 0,
    'prompt ids differ though tools and system text agree': 1,
  })
})

it('a tool that is described otherwise is told as one, and as no other system text', async () => {
  expect(await measured(SEARCH_TOOL, OTHER_TOOL)).toMatchObject({ 'tools differ': 1, 'system text differs': 0 })
})

describe.each([
  { tools: false, messages: false },
  { tools: false, messages: true },
])('tools that no record lists, messages: $messages', (kept) => {
  it('are read off the system text: another tool is no other system text', async () => {
    expect(await measured(SEARCH_TOOL, OTHER_TOOL, kept)).toMatchObject({ 'tools differ': 1, 'system text differs': 0 })
    expect(await measured(SEARCH_TOOL, SAME_TOOL, kept)).toMatchObject({ 'tools differ': 0, 'system text differs': 0 })
  })

  it('differ beside a system text that differs, too', async () => {
    const said = 'Answer in one word.'
    expect(await measured(SEARCH_TOOL, OTHER_TOOL, kept, said)).toMatchObject({
      'tools differ': 1,
      'system text differs': 1,
    })
    expect(await measured(SEARCH_TOOL, SEARCH_TOOL, kept, said)).toMatchObject({
      'tools differ': 0,
      'system text differs': 1,
    })
  })

  it('are none where the text shows a call, or any other JSON', async () => {
    const example = { name: 'search', arguments: { query: 'Arn' } }
    expect(await measured(example, { ...example, name: 'find' }, kept)).not.toHaveProperty('tools differ')
  })
})
