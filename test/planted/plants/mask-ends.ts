import { countedPadding, type DumpPlan } from '../dump.ts'
import { realEnd, remask, train } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, type PlantedToken, turnsBy } from '../rollout.ts'
import type { FormatName } from '../writers/registry.ts'
import { assistant, IN_NODES, MASK, QWEN, SUPPORTED } from './mask.ts'

const PADDED = { padding: 'right' } as const satisfies DumpPlan
const UNPADDED = { padding: 'none' } as const satisfies DumpPlan
const PADDED_LEFT = { padding: 'left' } as const satisfies DumpPlan
/** Fewer than three end tokens in a row may as well be ends of turns, and do not show what a row is padded with. */
const ALL_PADDED = { padding: 'right', spare: 3 } as const satisfies DumpPlan

/** Tokens may be as sure as ends are, but never quite: 0 would be what some formats write where nothing was sampled. */
export function surelySampled(rollout: PlantedRollout, at: number): void {
  const token = rollout.tokens[at]
  if (token && token.sampler === 0) token.sampler = -0.0004
}

/** In the leanest form of the native format nothing says who wrote the end of a turn. */
const unlessLean = (format: FormatName) => (format === 'native-lean' ? 'warning' : 'error')

/** Ends of turns and of rows: what closes them, what fills them up, where they are cut. */
export const MASK_END_PLANTS: readonly Plant[] = [
  {
    code: 'M10',
    title: 'end tokens that were sampled are not trained',
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    severity: unlessLean,
    rollout: (rollout) =>
      assistant(rollout).map(({ endToken }) => {
        surelySampled(rollout, endToken)
        return train(rollout, endToken, endToken + 1, false)
      }),
  },
  {
    code: 'M10',
    title: 'end tokens are not trained, of turns whose first token was certain',
    needs: MASK,
    alsoIn: ['slime-rollout', 'verifiers-v1'],
    perTurn: true,
    severity: unlessLean,
    rollout: (rollout) =>
      assistant(rollout).map(({ contentStart, endToken }) => {
        const first = rollout.tokens[contentStart] as PlantedToken
        // What thoughts and calls begin with has a logprob of exactly 0.0, as what was not sampled has.
        if (first.sampled) Object.assign(first, { sampler: 0, trainer: -1e-5 })
        surelySampled(rollout, contentStart + 1)
        surelySampled(rollout, endToken)
        return train(rollout, endToken, endToken + 1, false)
      }),
  },
  {
    code: 'M10',
    title: 'end tokens are not trained, nor is the token before each of them',
    needs: ['mask', 'sampler'],
    perTurn: true,
    rollout: (rollout) => {
      const turns = assistant(rollout).filter(({ contentStart, endToken }) => endToken - contentStart > 2)
      return turns.map(({ endToken }) => {
        for (const at of [endToken - 1, endToken]) surelySampled(rollout, at)
        return train(rollout, endToken - 1, endToken + 1, false)
      })
    },
  },
  {
    code: 'M11',
    title: 'the newline after the model’s turns is trained',
    families: QWEN,
    needs: MASK,
    alsoIn: IN_NODES,
    perTurn: true,
    rollout: (rollout) =>
      assistant(rollout)
        .slice(0, -1)
        .map(({ endToken, end }) => train(rollout, endToken + 1, end)),
  },
  {
    code: 'M12',
    title: 'padding on the right is trained',
    needs: ['mask', 'padding'],
    plan: PADDED,
    rollout: (rollout) => {
      const end = realEnd(rollout)
      return end === rollout.tokens.length ? null : [train(rollout, end, rollout.tokens.length)]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M12',
    title: 'padding on the left is trained',
    needs: ['mask', 'padding'],
    notIn: ['nemo-rl'],
    plan: PADDED_LEFT,
    rollout: (rollout) => {
      const start = rollout.tokens.findIndex(({ part }) => part !== 'padding')
      return start === 0 ? null : [train(rollout, 0, start)]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M12',
    title: 'a single token of the padding is trained',
    needs: ['mask', 'padding'],
    plan: PADDED,
    rollout: (rollout, { random }) => {
      const end = realEnd(rollout)
      if (end === rollout.tokens.length) return null
      const at = random.integer(end, rollout.tokens.length - 1)
      return [train(rollout, at, at + 1)]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M12',
    title: 'padding is trained that the declared length of the row takes in',
    needs: ['mask', 'environment-end'],
    alsoIn: ['slime-train', 'slime-rollout'],
    plan: UNPADDED,
    // The other rows have no padding to be trained, but for the format that fills up every row to the longest.
    patternOfTwo: (format) => (format === 'nemo-rl' ? 'sporadic' : 'systematic'),
    rollout: (rollout, { random }) => {
      const start = rollout.tokens.length
      rollout.tokens.push(...countedPadding(rollout, random.integer(3, 40)))
      return [train(rollout, start, rollout.tokens.length)]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M13',
    title: 'end tokens are masked because they have the id of the padding',
    needs: ['mask', 'padding'],
    plan: ALL_PADDED,
    // A mask by ids finds the ends of all rows that are padded alike: two that have it are padded otherwise, and all that are so have it.
    patternOfTwo: 'systematic',
    rollout: (rollout) => {
      const { family, tokens } = rollout
      for (const { endToken } of assistant(rollout)) surelySampled(rollout, endToken)
      for (let at = realEnd(rollout); at < tokens.length; at++) tokens[at]!.id = family.end
      return [remask(rollout, (index, was) => was[index] === true && tokens[index]?.id !== family.end)]
    },
    alongside: { M10: 'it is the same end tokens that are not trained; M13 says why' },
    verdicts: SUPPORTED,
  },
  {
    code: 'M14',
    title: 'the framework closed the last turn, and trains the token that it appended',
    needs: ['mask', 'sampler', 'trainer'],
    rollout: (rollout) => {
      const at = assistant(rollout).at(-1)?.endToken ?? 0
      const token = rollout.tokens[at]
      if (token === undefined) return null
      token.sampled = false
      token.sampler = 0
      token.trainer = -7.25
      token.reference = -7.25
      return [{ start: at, end: at + 1 }]
    },
    alongside: { L05: 'the same 0 is a placeholder among the logprobs' },
  },
  {
    code: 'M17',
    title: 'rows are cut inside a reply, and their last token is trained',
    needs: ['mask', 'environment-end'],
    plan: { padding: 'none' },
    // Only rows that end in a reply can have it, and all of those do.
    patternOfTwo: 'systematic',
    rollout: (rollout, { random }) => {
      const reply = turnsBy(rollout, 'tool').at(-1)
      if (reply === undefined) return null
      const end = random.integer(reply.contentStart + 12, reply.contentEnd - 12)
      rollout.tokens.splice(end)
      endedAtReply(rollout)
      return [train(rollout, end - 1, end)]
    },
    alongside: {
      A01: 'cut rollouts find the same and answer nothing',
      A10: 'none of them is rewarded',
      C08: 'the reply is cut',
      C09: 'what the reply said is lost',
    },
  },
]

/** The conversation ended with the reply in which the row was cut: no answer, and no reward for one. */
function endedAtReply(rollout: PlantedRollout): void {
  const { messages, rewards } = rollout
  rollout.messages = messages.slice(0, messages.findLastIndex(({ role }) => role === 'tool') + 1)
  rollout.truncated = true
  rollout.finishReason = 'length'
  for (const name of Object.keys(rewards)) rewards[name] = 0
  rollout.reward = 0
}
