import { describe, expect, it } from 'vitest'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

/** A rollout whose ids hold the first text, and whose messages hold the second, the same one where it is left out, or are not stored. */
type Told = readonly [ids: string, message?: string | null]

/** Records that T09 names in one group of these rollouts. */
async function named(rollouts: readonly Told[]) {
  const tokenizer = await qwen()
  const rows = rollouts.map(([ids, message = ids], member) => {
    const asked = [user('Where does the river rise?'), assistant(`I have read ${member} times that it rises here.`)]
    const row = conversation(tokenizer, [system(ids), ...asked], { group: 'g', reward: member % 2, messages: true })
    const { messages = [] } = row.record as { messages?: readonly { role: string; content: string }[] }
    const others = messages.filter(({ role }) => role !== 'system')
    const told = message === null ? undefined : [{ role: 'system', content: message }, ...others]
    return { ...row, record: { ...row.record, messages: told } }
  })
  const report = (await audited(lines(rows))).report()
  return report.findings.filter(({ code }) => code === 'T09').map(({ record }) => record)
}

const alone = (...texts: string[]): Told[] => texts.map((text) => [text, null])

const TOOL = (most: number) =>
  `You may call functions.\n<tools>\n{"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {"top": {"type": "integer", "maximum": ${most}}}}}}\n</tools>`

const BLOCK = '\n\n# Rules\n\nAnswer in one sentence.'

describe('what is the own of each rollout in the system texts of a group', () => {
  it.each<[string, readonly Told[]]>([
    [
      'a clock',
      alone('Now: 2026-11-29T15:11:02Z. Help.', 'Now: 2026-11-29T15:12:40Z. Help.', 'Now: 2026-11-29T15:13:09Z. Help.'),
    ],
    [
      'the number of a player',
      alone('You are player 0 in poker.', 'You are player 1 in poker.', 'You are player 0 in poker.'),
    ],
    ['a path', alone('Work in /sandbox/b26jbp.', 'Work in /sandbox/g701wf.', 'Work in /sandbox/2pd442.')],
    [
      'words that the messages have as well',
      [['You are Ada, a buyer.'], ['You are Tom, a seller.'], ['You are Ada, a buyer.']],
    ],
    [
      'the same behind it as well',
      [
        [`You are Ada.${BLOCK}`, 'You are Ada.'],
        [`You are Tom.${BLOCK}`, 'You are Tom.'],
        [`You are Eve.${BLOCK}`, 'You are Eve.'],
      ],
    ],
    ['messages of some alone', [['Help the user.'], ['Help the user.', null], ['Help the user.']]],
  ])('is no fault: %s', async (_, rollouts) => {
    expect(await named(rollouts)).toEqual([])
  })

  it.each<[string, readonly Told[]]>([
    ['another word', alone('Now: 15:11. Help the user.', 'Now: 15:12. Help the user.', 'Now: 15:13. Help nobody.')],
    ['words left out', alone('Now: 15:11. Help the user.', 'Now: 15:12. Help the user.', 'Now: 15:13.')],
    ['a number in a tool', alone(TOOL(5), TOOL(5), TOOL(9))],
    [
      'a text that is put in beside the message',
      [
        ['You are Ada.', 'You are Ada.'],
        ['You are Tom.', 'You are Tom.'],
        [`You are Eve.${BLOCK}`, 'You are Eve.'],
      ],
    ],
    [
      'a message of which the end is dropped',
      [
        ['Be kind to Ada. Answer in one sentence.'],
        ['Be kind to Tom. Answer in one sentence.'],
        ['Be kind to Eve.', 'Be kind to Eve. Answer in one sentence.'],
      ],
    ],
  ])('leaves this told: %s', async (_, rollouts) => {
    expect(await named(rollouts)).toEqual([2])
  })
})
