import { closeSync, openSync, writeSync } from 'node:fs'
import { pythonJson } from '../../samples/python-json.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { generator } from './dump.ts'
import { rolloutTexts, wordsOf } from './rollout-text.ts'

const GROUP_SIZE = 8
/** Characters for one group: so many that none is used twice. */
const PROSE = 80_000
const SYSTEM =
  'You answer questions with the help of a search engine. Call it as often as you need, then give the answer between <answer> and </answer>.'
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'search',
      description: 'Search the encyclopedia',
      parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    },
  },
]

/**
 * Writes a dump as a GRPO run on search tasks leaves it, of about `bytes` bytes: groups of eight rollouts of one question, four to eight
 * turns of reasoning, call and three documents, the replies drawn from what belongs to the question; ids, mask,
 * the logprobs of both engines, messages, documents, rewards and advantages. All of it is right, and no text comes twice but those
 * that a group shares.
 */
export function writeRolloutDump(path: string, bytes: number, tokenizer: Tokenizer): void {
  const random = generator(19)
  const words = wordsOf(tokenizer)
  const file = openSync(path, 'w')
  let written = 0
  for (let group = 0; written < bytes; group++) {
    for (const record of groupOf(group, tokenizer, words, random)) {
      written += writeSync(file, `${JSON.stringify(record)}\n`)
    }
  }
  closeSync(file)
}

function groupOf(group: number, tokenizer: Tokenizer, words: readonly string[], random: () => number) {
  const below = (limit: number) => Math.floor(random() * limit)
  const prose = rolloutTexts(PROSE, words, group + 1)
    .join('\n')
    .replaceAll(/<[^>]*>/g, ' ')
  let read = 0
  const passage = (characters: number) => {
    if (read + characters > prose.length) read = 0
    read += characters
    return prose.slice(read - characters, read).trim()
  }
  const documents = Array.from({ length: 12 }, (_, id) => ({
    id: String(id),
    title: passage(20),
    text: wholeCharacters(passage(600 + below(600))),
    supporting: id < 2,
  }))
  const question = `${wholeCharacters(passage(120))}?`
  const answer = words[below(words.length)] as string
  const rewards = Array.from({ length: GROUP_SIZE }, () => below(4) / 4 + below(10) / 40)
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / GROUP_SIZE
  return rewards.map((reward, index) => {
    const rollout = new Rollout(tokenizer, random)
    rollout.say('system', systemTurn(), SYSTEM)
    rollout.say('user', question, question)
    const turns = 3 + below(5)
    for (let turn = 0; turn < turns; turn++) {
      const thought = wholeCharacters(passage(300 + below(500)))
      const call = { name: 'search', arguments: { query: wholeCharacters(passage(30)) } }
      rollout.call(thought, call, `${group}-${index}-${turn}`)
      const reply = [0, 1, 2].map((at) =>
        JSON.stringify(documents[turn === 0 && at < 2 ? at : below(documents.length)]),
      )
      rollout.reply(reply.join('\n'))
    }
    const said = `${wholeCharacters(passage(400))}\n<answer>${answer}</answer>`
    rollout.say('assistant', said, said)
    return {
      id: `${group}-${index}`,
      group_id: String(group),
      group_size: GROUP_SIZE,
      step: group >> 2,
      model: 'Qwen/Qwen2.5-7B-Instruct',
      temperature: 1,
      finish_reason: 'stop',
      is_truncated: false,
      reward,
      advantage: reward - mean,
      prompt_length: rollout.promptLength,
      input_ids: rollout.ids,
      loss_mask: rollout.mask,
      logprobs: { sampler: rollout.sampler, trainer: rollout.trainer },
      messages: rollout.messages,
      tools: TOOLS,
      documents,
      answer,
    }
  })
}

/** As Qwen2.5's template spells it. */
function systemTurn(): string {
  return `${SYSTEM}\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n${TOOLS.map(pythonJson).join('\n')}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`
}

/** A passage may begin or end inside a pair of surrogates. */
function wholeCharacters(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '')
}

class Rollout {
  readonly ids: number[] = []
  readonly mask: number[] = []
  readonly sampler: (number | null)[] = []
  readonly trainer: (number | null)[] = []
  readonly messages: Record<string, unknown>[] = []
  promptLength = 0

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly random: () => number,
  ) {}

  say(role: 'system' | 'user' | 'assistant', spelt: string, content: string): void {
    this.messages.push({ role, content })
    this.turn(role, spelt)
  }

  call(thought: string, call: { name: string; arguments: object }, id: string): void {
    const spelt = `${thought}\n<tool_call>\n${pythonJson(call)}\n</tool_call>`
    const made = { name: call.name, arguments: JSON.stringify(call.arguments) }
    this.messages.push({ role: 'assistant', content: thought, tool_calls: [{ id, type: 'function', function: made }] })
    this.turn('assistant', spelt)
  }

  reply(content: string): void {
    this.messages.push({ role: 'tool', content })
    this.turn('user', `<tool_response>\n${content}\n</tool_response>`)
  }

  private turn(role: string, content: string): void {
    const trained = role === 'assistant'
    this.add(`<|im_start|>${role}\n`, false)
    if (trained && this.promptLength === 0) this.promptLength = this.ids.length
    this.add(`${content}<|im_end|>`, trained)
    this.add('\n', false)
  }

  private add(text: string, trained: boolean): void {
    for (const id of this.tokenizer.encode(text, { specials: true })) {
      this.ids.push(id)
      this.mask.push(trained ? 1 : 0)
      const own = this.random() < 0.2 ? 0 : -Math.round(2_000 * this.random() ** 4) / 1_000
      this.sampler.push(trained ? own : null)
      this.trainer.push(trained ? Math.min(0, Math.round((own + 0.01 * (this.random() - 0.5)) * 1e6) / 1e6) : null)
    }
  }
}
