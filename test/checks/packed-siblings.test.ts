import { expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, type Conversation, conversation, system, user } from '../helpers/conversation.ts'
import { type Edit, resultOf } from './findings-of.ts'

interface Row {
  /** The positions begin anew where the system turn is there again. */
  readonly restarts: boolean
  /** The newline that the template writes between turns stands before that turn. */
  readonly newline?: boolean
  readonly system?: string
  readonly more?: ReturnType<Edit>
}

const again = (row: Conversation) => row.layout[3]!.start

/** What S01 says of rows of two conversations that begin with one system turn. */
function packing(rows: readonly Row[]) {
  const made = (tokenizer: Tokenizer) =>
    rows.map(({ newline = false, system: text = 'Be brief.' }, at) =>
      conversation(tokenizer, [
        system(text),
        user(`Is ${at} red?`),
        assistant('Yes.', { separator: newline }),
        system(text),
        user(`Is ${at} blue?`),
        assistant('No.'),
      ]),
    )
  return resultOf('S01', 'qwen2.5', made, ({ ids }, row, index) => {
    const { restarts, more } = rows[index]!
    const start = again(row)
    return { positionIds: Int32Array.from(ids!, (_, i) => (restarts && i >= start ? i - start : i)), ...more }
  })
}

const sound: Row = { restarts: true }
const running: Row = { restarts: false }

it('a packed row whose positions run on is told by those of its file that restart at the same turn', async () => {
  const { findings, tally } = await packing([sound, running, sound, sound])
  expect(findings).toMatchObject([
    {
      record: 1,
      severity: 'error',
      message: expect.stringMatching(
        /^The position ids run on over 1 document start: token (\d+) begins a document at position \1, and in 3 other rows they restart at this system turn$/,
      ),
    },
  ])
  expect(findings[0]?.evidence.document_starts).toEqual([findings[0]?.tokens?.[0]])
  expect([tally.checked, tally.affected, tally.placesAffected]).toEqual([4, 1, 1])
})

it.each<[string, readonly Row[]]>([
  ['no row restarts', [running, running, running]],
  ['as many run on as restart', [sound, running, sound, running]],
  ['the template’s newline stands before its turn alone', [sound, { ...running, newline: true }, sound, sound]],
  ['others restart at another system turn', [sound, { ...running, system: 'Be kind.' }, sound, sound]],
  ['the length of its prompt is stored', [sound, { ...running, more: { promptLength: 9 } }, sound, sound]],
  [
    'the others are those of another file',
    [sound, { ...running, more: { place: { source: 1, record: 0, part: 0 } } }, sound, sound],
  ],
  ['it has the messages of one conversation', [sound, { ...running, more: { messages: [] } }, sound, sound]],
])('a row whose system turn is there again is not packed where %s', async (_, rows) => {
  expect((await packing(rows)).findings).toEqual([])
})
