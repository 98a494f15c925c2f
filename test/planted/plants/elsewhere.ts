import type { PlannedConversation } from '../conversation.ts'
import type { DumpPlan } from '../dump.ts'
import { inGroups, SINGLE_TURN } from '../dump.ts'
import { contentOf, findText, train } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, type PlantedToken, turnsBy } from '../rollout.ts'
import { found, sampledIn, sampledSpan, scattered, unsettle } from './logprob-changes.ts'
import { assistant, MASK, planOf } from './mask.ts'
import { flagged, stopLastTurn } from './truncation.ts'

/** Faults that other plants put into one family or one format alone, in those that write them otherwise. */
const QWEN = ['qwen2.5', 'qwen3'] as const
const LLAMA = ['llama3'] as const
const SPELT = ['qwen2.5', 'llama3'] as const
const OPEN_THOUGHT: DumpPlan = planOf('an open thought is prefilled and spelt')
const OTHER_PROMPT = {
  A05: 'the prompts of its group differ',
  T09: 'the system texts of its group differ',
}
/** Three newlines in one token of Llama’s vocabulary. */
const THREE_NEWLINES = '\n\n\n'

/** As where the template takes thoughts out of history. */
function thoughtAtTheEnd(conversation: PlannedConversation): PlannedConversation {
  const { turns } = conversation
  return {
    ...conversation,
    turns: turns.map((turn, index) => (index === turns.length - 1 ? turn : { ...turn, thought: null })),
  }
}

function insert(rollout: PlantedRollout, at: number, ids: readonly number[]): void {
  const like = rollout.tokens[at - 1] as PlantedToken
  rollout.tokens.splice(at, 0, ...ids.map((id): PlantedToken => ({ ...like, id, sampled: false, trained: false })))
  if (at < rollout.promptLength) rollout.promptLength += ids.length
}

export const ELSEWHERE_PLANTS: readonly Plant[] = [
  {
    code: 'T08',
    title: 'an empty list of tools was rendered as a block of tools',
    families: QWEN,
    needs: [],
    plan: SINGLE_TURN,
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'system')
      if (turn === undefined) return null
      const block =
        '\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:'
      insert(rollout, turn.contentEnd, rollout.family.encodeRendered(rollout.family.protect(block)))
      return []
    },
    alongside: OTHER_PROMPT,
  },
  {
    code: 'T12',
    title: 'the arguments of Llama’s call were encoded twice',
    families: LLAMA,
    needs: ['mask', 'messages', 'sampler'],
    notIn: ['verifiers-legacy', 'nemo-gym'],
    rollout: (rollout) => {
      const [turn] = turnsBy(rollout, 'assistant')
      const called = turn && findText(rollout, contentOf(turn), /\{"name"[\s\S]*\}/)
      const query = rollout.conversation.turns[0]?.calls[0]?.arguments
      if (!called || query === undefined) return null
      const again = `{"name": "retrieve", "parameters": ${JSON.stringify(JSON.stringify(query))}}`
      const like = rollout.tokens[called.start] as PlantedToken
      const ids = rollout.family.encodeRendered(again)
      const score = { sampled: false, trained: true, sampler: Number.NaN, trainer: -0.5, reference: -0.5 }
      rollout.tokens.splice(called.start, called.end - called.start, ...ids.map((id) => ({ ...like, ...score, id })))
      return [{ start: called.start, end: called.start + ids.length }]
    },
  },
  {
    code: 'T17',
    title: 'an id that no vocabulary has stands in the model’s text',
    families: ['qwen3', 'llama3'],
    needs: [],
    rollout: (rollout) => {
      const turn = turnsBy(rollout, 'assistant').at(-1)
      const token = turn && rollout.tokens[turn.contentStart + 2]
      if (!token) return null
      token.id = 160_000
      return []
    },
  },
  {
    code: 'T18',
    title: 'the newlines of Llama’s header and the first one of the answer are one token',
    families: LLAMA,
    needs: [],
    perTurn: true,
    rollout: (rollout) => {
      const [id, ...more] = rollout.family.tokenizer.encode(THREE_NEWLINES)
      if (id === undefined || more.length > 0) throw new Error('three newlines are several tokens')
      const turns = assistant(rollout).slice(1)
      for (const { headerEnd } of turns) (rollout.tokens[headerEnd - 1] as PlantedToken).id = id
      return turns.length > 0 ? turns.map(({ headerEnd }) => ({ start: headerEnd - 1, end: headerEnd })) : null
    },
  },
  {
    code: 'M09',
    title: 'the open thought that the generation prompt spells is trained',
    families: SPELT,
    needs: ['mask', 'sampler'],
    // They hold 0 where nothing was sampled, which a sampled tag may have as well.
    notIn: ['nemo-rl', 'prime-rl-export'],
    plan: OPEN_THOUGHT,
    perTurn: true,
    rollout: (rollout) =>
      assistant(rollout).map(({ headerEnd, contentStart }) => train(rollout, headerEnd, contentStart)),
  },
  {
    code: 'M16',
    title: 'the thought of the last turn, the only one that has any, is masked',
    needs: MASK,
    perTurn: true,
    plan: { change: thoughtAtTheEnd },
    rollout: (rollout) => {
      const thoughts = assistant(rollout).flatMap(
        (turn) => findText(rollout, contentOf(turn), /<think>[\s\S]*?<\/think>/) ?? [],
      )
      return thoughts.length === 0 ? null : thoughts.map(({ start, end }) => train(rollout, start, end, false))
    },
  },
  {
    code: 'A05',
    title: 'two rollouts stand in each other’s groups',
    needs: ['advantages', 'groups'],
    // Its groups are told by their order alone.
    notIn: ['nemo-rl'],
    plan: { scheme: 'centred' },
    patterns: ['sporadic'],
    dump: ({ rollouts }) => {
      const groups = inGroups(rollouts)
      const [one, other] = [groups[0]?.[3], groups[1]?.[2]] as [PlantedRollout, PlantedRollout]
      const [here, there] = [rollouts.indexOf(one), rollouts.indexOf(other)]
      ;[one.group, other.group] = [other.group, one.group]
      // The members of a group stand together where a record holds a group.
      ;[rollouts[here], rollouts[there]] = [other, one]
      return [...(groups[0] as PlantedRollout[]), ...(groups[1] as PlantedRollout[])]
    },
    alongside: { T09: 'another question may have another system text' },
  },
  {
    code: 'C05',
    title: 'a finish reason of length is beside a flag that says whole',
    needs: ['finish', 'messages'],
    // Its one word on the end of a rollout is the flag.
    notIn: ['verifiers-legacy', 'nemo-gym'],
    patterns: ['sporadic'],
    rollout: (rollout) => {
      if (stopLastTurn(rollout) === null) return null
      flagged(rollout, false)
      return []
    },
    alongside: { C03: 'the cut rollout is trained', C12: 'what was scored is not in the ids' },
  },
  {
    code: 'C05',
    title: 'the limit that a person declares is reached, and the flag says that the rollout is whole',
    needs: ['finish', 'messages'],
    patterns: ['sporadic'],
    plan: { endless: 6, build: { maxTokens: 256 } },
    options: { limits: { max_completion_length: 256 } },
    dump: ({ rollouts }) => {
      const cut = rollouts.filter(({ truncated }) => truncated)
      for (const rollout of cut) {
        rollout.truncated = false
        rollout.finishReason = 'stop'
      }
      return cut
    },
    alongside: {
      M04: 'rows that are masked because they were cut train nothing',
      C13: 'the limit holds for each turn, and rollouts go on beyond it',
      C03: 'where no mask is written, all that was sampled is trained',
    },
  },
  {
    code: 'C13',
    title: 'the limit of a completion, as a person declares it, holds for each turn',
    needs: ['finish'],
    patterns: ['sporadic'],
    plan: { endless: 6, build: { maxTokens: 256 } },
    options: { limits: { max_completion_length: 256 } },
    dump: ({ rollouts }) =>
      rollouts.filter((rollout) => assistant(rollout).length > 1 && sampledIn(rollout).length > 256),
    alongside: { M04: 'rows that are masked because they were cut train nothing', C03: 'cut rollouts may be trained' },
  },
  {
    code: 'C07',
    title: 'the limit fell into a call, where the format says no more of the end than a flag',
    needs: ['finish', 'messages'],
    rollout: (rollout) => {
      const [turn] = assistant(rollout)
      const pattern = rollout.family.name === 'llama3' ? /\{"name"[\s\S]*\}/ : /<tool_call>[\s\S]*?<\/tool_call>/
      const call = turn && findText(rollout, contentOf(turn), pattern)
      if (!call) return null
      const end = call.start + Math.floor((call.end - call.start) / 2)
      rollout.tokens.splice(end)
      const at = rollout.messages.findIndex(({ role }) => role === 'assistant')
      const { content = '' } = rollout.messages[at] ?? {}
      rollout.messages.splice(at, rollout.messages.length, { role: 'assistant', content })
      flagged(rollout, true)
      return []
    },
    alongside: {
      C03: 'the cut rollout is trained and keeps its reward',
      A06: 'what is left is the same',
      S04: 'what is left is the same',
      C12: 'what was scored is not in the ids',
    },
  },
  {
    code: 'C12',
    title: 'the reward was earned by an answer that was cut from the ids of calls',
    needs: ['mask', 'messages', 'answer'],
    patterns: ['sporadic'],
    rollout: (rollout) => {
      const turn = assistant(rollout).at(-1)
      if (turn === undefined || rollout.reward <= 0) return null
      const answer = findText(rollout, contentOf(turn), /<answer>/)
      if (answer === null) return null
      rollout.tokens.splice(answer.start)
      flagged(rollout, true)
      return []
    },
    alongside: { C03: 'the cut rollout is trained and keeps its reward' },
  },
  {
    code: 'L08',
    title: 'the gap of sampler and trainer grows with the step that the export names',
    needs: ['mask', 'sampler', 'trainer'],
    // A row of NeMo-RL does not say its step.
    notIn: ['nemo-rl'],
    patterns: ['sporadic'],
    dump: ({ rollouts }, { random }) => {
      const groups = inGroups(rollouts)
      for (const [step, members] of groups.entries()) {
        for (const member of members) {
          member.step = 100 + step
          unsettle(sampledIn(member), 0.12 * step, random)
        }
      }
      return groups.slice(groups.length / 2).flat()
    },
    alongside: { L01: 'in the later steps the gap is beyond what engines leave' },
    verdicts: { 'H06-lora': 'supported' },
  },
  {
    code: 'L12',
    title: 'a few tokens of a mixture of experts of another name went to other experts',
    families: SPELT,
    needs: ['mask', 'sampler', 'trainer', 'more'],
    plan: {
      finish: (rollout) => {
        rollout.model =
          rollout.family.name === 'llama3' ? 'meta-llama/Llama-4-Scout-17B-16E' : 'Qwen/Qwen2-57B-A14B-Instruct'
      },
    },
    rollout: (rollout, { random }) => {
      const moved = scattered(rollout, 4, random)
      if (moved === null) return null
      for (const [index, token] of moved.entries()) {
        const far = 1.2 + random.next()
        token.sampler = index % 2 === 0 ? -0.2 : -0.2 - far
        found(token, index % 2 === 0 ? -0.2 - far : -0.2)
      }
      return [sampledSpan(rollout)]
    },
  },
]
