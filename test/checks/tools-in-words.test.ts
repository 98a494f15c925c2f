import { expect, it } from 'vitest'
import { withoutToolBlock } from '../../shared/checks/texts/tools-in-text.ts'
import {
  assistant,
  call,
  conversation,
  SEARCH_TOOL,
  system,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

const NAMED = 'Use the search tool to find passages before you answer.'

interface Prompt {
  readonly text?: string
  readonly hasSchema: boolean
  /** Default true. */
  readonly calls?: boolean
  /** Default true. */
  readonly isAnswered?: boolean
}

/** Records that T07 names, and how often T09 and A05 tell of any, in groups of four; no record has a schema. */
async function told(prompts: readonly Prompt[]) {
  const tokenizer = await qwen()
  const rows = prompts.map(({ text = NAMED, hasSchema, calls = true, isAnswered = true }, i) =>
    conversation(
      tokenizer,
      [
        system(hasSchema ? withToolSchema(text) : text),
        user(`Where does river ${Math.floor(i / 4)} rise?`),
        ...(calls ? [assistant(call(tokenizer, 'search', { query: `river ${i}` }))] : []),
        ...(calls && isAnswered ? [tool(`It rises ${i} miles away.`)] : []),
        ...(calls && !isAnswered ? [] : [assistant(`In the hills, ${i} miles away.`)]),
      ],
      { id: `row-${i}`, group: `g${Math.floor(i / 4)}`, reward: i % 2 },
    ),
  )
  const { findings } = (await audited(lines(rows))).report()
  return {
    missing: findings.filter(({ code }) => code === 'T07').map(({ record }) => record),
    others: findings.filter(({ code }) => code === 'T09' || code === 'A05').length,
  }
}

const run = (lost: readonly number[], prompt: Partial<Prompt> = {}) =>
  Array.from(
    { length: 8 },
    (_, i): Prompt => (lost.includes(i) ? { hasSchema: false, ...prompt } : { hasSchema: true }),
  )

it('prompts that only name the tool lost its schema where others of the same system text have it', async () => {
  expect(await told(run([4, 5, 6, 7]))).toEqual({ missing: [4, 5, 6, 7], others: 0 })
  expect(await told(run([2]))).toEqual({ missing: [2], others: 0 })
  expect(await told(run([4, 5, 6, 7]).map((prompt, i) => ({ ...prompt, calls: i !== 6 })))).toMatchObject({
    missing: [4, 5, 7],
  })
})

it.each<[string, readonly Prompt[]]>([
  ['all prompts name it in words', run([0, 1, 2, 3, 4, 5, 6, 7])],
  [
    'the environment that names it has a text of its own',
    run([4, 5, 6, 7], { text: 'You have a tool called search.' }),
  ],
  [
    'the text says how it is called',
    run([4, 5, 6, 7]).map((prompt) => ({ ...prompt, text: `${NAMED} Write search(query).` })),
  ],
  ['tools vary by question, and without them the model answers', run([4, 5, 6, 7], { calls: false })],
  [
    'tools vary by question, and without them the model mostly answers',
    run([4, 5, 6, 7]).map((prompt, i) => ({ ...prompt, calls: i < 5 })),
  ],
  ['no tool answers', run([4, 5, 6, 7], { isAnswered: false })],
  ['a single prompt has the schema', run([0, 1, 2, 3, 4, 5, 6])],
])('says nothing where %s', async (_, prompts) => {
  expect((await told(prompts)).missing).toEqual([])
})

const SCHEMA = JSON.stringify(SEARCH_TOOL, null, 4)

it.each([
  [`${NAMED}\n\n# Tools\n\nYou may call one.\n<tools>\n${JSON.stringify(SEARCH_TOOL)}\n</tools>`, NAMED],
  [
    `Today Date: 26 Jul 2024\n\nYou have access to the following functions. To call a function, respond with JSON.\n\n${SCHEMA}\n\n${SCHEMA}\n\n${NAMED}`,
    `Today Date: 26 Jul 2024\n\n${NAMED}`,
  ],
  [
    `${NAMED}\n\nYou have access to the following functions. None.`,
    `${NAMED}\n\nYou have access to the following functions. None.`,
  ],
  ['Answer with # Tools in mind.', 'Answer with # Tools in mind.'],
])('a system text is read without the block that the template writes for tools', (text, without) => {
  expect(withoutToolBlock(text)).toBe(without)
})
