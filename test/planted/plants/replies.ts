import { contentOf, findText } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { decoded, type PlantedRollout, type TurnPlace, turnsBy } from '../rollout.ts'

type ReplyUnit = 'tokens' | 'characters'

/** What the template wrote around the text of a reply, and how it wrote the text. */
interface ReplyText {
  readonly before: string
  readonly text: string
  readonly after: string
  readonly isQuoted: boolean
}

function replyText(rollout: PlantedRollout, { contentStart, contentEnd }: TurnPlace): ReplyText | null {
  const ids = rollout.tokens.slice(contentStart, contentEnd).map(({ id }) => id)
  const rendered = decoded(rollout.family, ids)
  if (rollout.family.name === 'llama3') {
    const isQuoted = /^"[\s\S]*"$/.test(rendered)
    return { before: '', text: isQuoted ? JSON.parse(rendered) : rendered, after: '', isQuoted }
  }
  const [, before, text, after] = /^(\s*<tool_response>\n)([\s\S]*?)(\n<\/tool_response>)$/.exec(rendered) ?? []
  return text === undefined ? null : { before: before as string, text, after: after as string, isQuoted: false }
}

/** The pieces that a limit counts. */
function piecesOf(rollout: PlantedRollout, text: string, unit: ReplyUnit): string[] {
  const { family } = rollout
  return unit === 'characters' ? [...text] : family.tokenizer.encode(text).map((id) => decoded(family, [id]))
}

function kept(pieces: readonly string[], limit: number, side: 'left' | 'right' | 'middle'): string {
  const half = limit / 2
  const left = { left: 0, right: limit, middle: half }[side]
  const right = limit - left
  return [...pieces.slice(0, left), ...(right === 0 ? [] : pieces.slice(-right))].join('')
}

/** Cuts every reply to one length, in the ids and in the messages, and gives the rollouts that have one which was longer. */
function cutRepliesOf(rollouts: readonly PlantedRollout[], side: 'left' | 'right' | 'middle', unit: ReplyUnit) {
  const sizes = rollouts.flatMap((rollout) =>
    turnsBy(rollout, 'tool').map((turn) => piecesOf(rollout, replyText(rollout, turn)?.text ?? '', unit).length),
  )
  // One reply in three is longer; those of nearly the same length are made shorter, since they would be counted with what was cut.
  const limit = 2 * Math.floor((sizes.sort((a, b) => a - b)[Math.floor(sizes.length * 0.7)] as number) / 2)
  return rollouts.filter((rollout) => {
    let cut = false
    for (const turn of turnsBy(rollout, 'tool').toReversed()) {
      const reply = replyText(rollout, turn)
      const pieces = piecesOf(rollout, reply?.text ?? '', unit)
      if (reply === null || pieces.length < limit - 1) continue
      const isCut = pieces.length > limit + 1
      const text = isCut ? kept(pieces, limit, side) : kept(pieces, limit - 14, 'right')
      const written = reply.isQuoted ? JSON.stringify(text) : text
      const like = rollout.tokens[turn.contentStart] as PlantedRollout['tokens'][number]
      const ids = rollout.family.encodeRendered(`${reply.before}${written}${reply.after}`)
      rollout.tokens.splice(
        turn.contentStart,
        turn.contentEnd - turn.contentStart,
        ...ids.map((id) => ({ ...like, id })),
      )
      rollout.messages = rollout.messages.map((message) =>
        message.role === 'tool' && message.content === reply.text ? { ...message, content: text } : message,
      )
      // A token that was cut off from its word may be encoded otherwise, and a newline becomes one with that of the tag, or with a tag that is spelt.
      const isMerged = /\n$/.test(text) || (/^\n/.test(text) && rollout.family.name === 'qwen2.5')
      cut ||= isCut && !isMerged && piecesOf(rollout, text, unit).length === limit
    }
    return cut
  })
}

/** What the environment, or a limit, takes out of replies. */
export const REPLY_PLANTS: readonly Plant[] = [
  {
    code: 'C08',
    title: 'the environment cuts the middle out of replies',
    needs: [],
    rollout: (rollout) => {
      const reply = turnsBy(rollout, 'tool').find(({ contentStart, contentEnd }) => contentEnd - contentStart > 80)
      if (reply === undefined) return null
      const from = reply.contentStart + 30
      const to = reply.contentEnd - 30
      const like = rollout.tokens[from]
      const mark = rollout.family.encodeRendered('...(truncated)...')
      rollout.tokens.splice(from, to - from, ...mark.map((id) => ({ ...(like as NonNullable<typeof like>), id })))
      return []
    },
    alongside: { C09: 'a supporting document is among what was cut' },
  },
  ...(
    [
      ['right', 'tokens'],
      ['right', 'characters'],
      ['left', 'characters'],
      ['middle', 'characters'],
    ] as const
  ).map(
    ([side, unit]): Plant => ({
      code: 'C08',
      title: `the environment keeps so many ${unit} of every reply, and marks no cut (${side})`,
      needs: [],
      patterns: ['sporadic'],
      // In Llama’s replies a limit in tokens cannot be told from the ids: the template quotes what was counted before.
      ...(unit === 'tokens' ? { families: ['qwen2.5', 'qwen3'] } : {}),
      dump: ({ rollouts }) => cutRepliesOf(rollouts, side, unit),
      alongside: {
        C09: 'a supporting document is among what was cut',
        A11: 'the answer is no longer in what the model read',
        M18: 'the answer is no longer in what the model read',
      },
    }),
  ),
  {
    code: 'C09',
    title: 'a supporting document that was retrieved is cut from the trained ids',
    needs: ['documents', 'messages'],
    rollout: (rollout) => {
      const { tokens, documents } = rollout
      for (const reply of turnsBy(rollout, 'tool')) {
        for (const document of documents.filter(({ supporting }) => supporting)) {
          const opening = document.text
            .slice(0, 24)
            .replace(/[^ -~]/g, '.')
            .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
          const find = (turn: TurnPlace) => findText(rollout, contentOf(turn), new RegExp(opening))
          const place = find(reply)
          // One that was found twice is still there after the cut.
          if (place === null || turnsBy(rollout, 'tool').filter((turn) => find(turn) !== null).length > 1) continue
          // The reply ends where the document begins; its tags stay.
          const end = reply.contentEnd - (rollout.family.name === 'llama3' ? 1 : 8)
          if (end - place.end < 24) continue
          tokens.splice(place.end, end - place.end)
          return []
        }
      }
      return null
    },
    alongside: { C08: 'the reply is shorter than its message' },
  },
]
