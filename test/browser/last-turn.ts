import { conversation } from '../helpers/conversation.ts'
import { qwen, turnsOf } from '../session/dumps.ts'

/**
 * A file of Atropos, whose format says that only the last turn is trained: groups of rollouts whose masks do just that.
 *
 * @param endsWithReply the last turn is what the tool answered, as where the environment ends a rollout
 */
export async function lastTurnGroups(groups: number, size: number, endsWithReply = false): Promise<string> {
  const tokenizer = await qwen()
  const rows = Array.from({ length: groups }, (_, group) => {
    const members = Array.from({ length: size }, (_, member) => {
      const turns = turnsOf(tokenizer, group * size + member, { tool: { train: endsWithReply } })
      if (endsWithReply) turns.pop()
      const last = turns.length - 1
      return conversation(
        tokenizer,
        turns.map((turn, at) => (at === last ? turn : { ...turn, train: false })),
      ).record
    })
    return {
      tokens: members.map(({ input_ids }) => input_ids),
      masks: members.map(({ input_ids, loss_mask }) => input_ids.map((id, at) => (loss_mask?.[at] === 1 ? id : -100))),
      scores: members.map((_, member) => (member % 2 === 0 ? -0.360741 : 0.639259)),
    }
  })
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}
