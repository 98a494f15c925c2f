import { type DumpPlan, SINGLE_TURN } from '../dump.ts'
import { realEnd, remask, train } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { assistant, IN_NODES, MASK, OPEN_THOUGHT, SUPPORTED } from './mask.ts'
import { surelySampled } from './mask-ends.ts'

/** Turns begin with words: a think tag that all of them begin with, and that no mask trains, may be the prompt's. */
const WITHOUT_THOUGHT: DumpPlan = {
  change: (conversation) => ({
    ...conversation,
    turns: conversation.turns.map((turn) => ({ ...turn, thought: null })),
  }),
}

/** Masks that lie beside the tokens they are of: late, or early. */
export const MASK_SHIFT_PLANTS: readonly Plant[] = [
  {
    code: 'M06',
    title: 'the mask comes one token late',
    needs: MASK,
    rollout: (rollout) => [remask(rollout, (index, was) => was[index - 1] ?? false)],
    verdicts: SUPPORTED,
  },
  {
    code: 'M06',
    title: 'the masks of replies come one token late, as a whole, and the first of the next message is trained',
    plan: WITHOUT_THOUGHT,
    needs: MASK,
    notIn: ['native', 'native-lean', 'nemo-rl', 'atropos', 'verifiers-legacy', 'nemo-gym', 'prime-rl-export'],
    alsoIn: IN_NODES,
    rollout: (rollout) => {
      const firsts = new Set(assistant(rollout).map(({ contentStart }) => rollout.tokens[contentStart]?.id))
      return firsts.size === 1 ? null : [remask(rollout, (index, was) => was[index - 1] ?? false)]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M06',
    title: 'the mask comes two tokens early',
    needs: MASK,
    alsoIn: IN_NODES,
    rollout: (rollout) => [remask(rollout, (index, was) => was[index + 2] ?? false)],
    verdicts: SUPPORTED,
  },
  {
    code: 'M06',
    title: 'the mask comes two or three tokens early, over an open thought of the generation prompt',
    needs: MASK,
    plan: OPEN_THOUGHT,
    rollout: (rollout) => {
      const [turn] = assistant(rollout)
      const early = (turn?.contentStart ?? 0) - (turn?.headerEnd ?? 0)
      return [remask(rollout, (index, was) => was[index + early] ?? false)]
    },
    alongside: {
      L05: 'the thought that was put there is trained with what the format writes where nothing was sampled',
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M06',
    title: 'the mask comes one token early',
    needs: MASK,
    alsoIn: IN_NODES,
    // Where the format does not settle it, a mask that is everywhere one early may as well be aligned to targets.
    notIn: ['native', 'native-lean'],
    rollout: (rollout) => [remask(rollout, (index, was) => was[index + 1] ?? false)],
    verdicts: SUPPORTED,
  },
  {
    code: 'M06',
    title: 'the mask comes one token early in two rollouts',
    needs: MASK,
    alsoIn: IN_NODES,
    patterns: ['sporadic'],
    rollout: (rollout) => [remask(rollout, (index, was) => was[index + 1] ?? false)],
  },
  {
    code: 'M06',
    title: 'the mask comes further off than by an index, as where a header was not counted, or counted twice',
    needs: MASK,
    rollout: (rollout, { random }) => {
      // Four early or late is the empty thought of Qwen3 (M07).
      const lag = random.integer(rollout.family.name === 'qwen3' ? 5 : 4, 8) * random.pick([-1, 1])
      return [remask(rollout, (index, was) => was[index - lag] ?? false)]
    },
    alongside: { L05: 'what was put in is trained with what the format writes where nothing was sampled' },
    verdicts: SUPPORTED,
  },
  {
    code: 'M06',
    title: 'the mask of the only turn comes two or three tokens late, and ends with the row',
    needs: ['mask', 'sampler'],
    plan: { ...SINGLE_TURN, ...WITHOUT_THOUGHT },
    rollout: (rollout, { random }) => {
      const late = random.integer(2, 3)
      const [turn] = assistant(rollout)
      // A beginning of which nothing says that it was sampled may be the prompt's.
      const own = rollout.tokens.slice(turn?.contentStart, (turn?.contentStart ?? 0) + late)
      if (!own.some(({ sampler }) => sampler < 0)) return null
      const end = realEnd(rollout)
      return [remask(rollout, (index, was) => index < end && was[index - late] === true)]
    },
    verdicts: SUPPORTED,
  },
  {
    code: 'M06',
    title: 'the mask of each turn from the second on begins one or two tokens late',
    needs: ['mask', 'sampler'],
    plan: WITHOUT_THOUGHT,
    // Of the rollouts some have too few turns.
    patterns: ['sporadic'],
    perTurn: true,
    rollout: (rollout, { random }) => {
      const late = random.integer(1, 2)
      const turns = assistant(rollout).slice(1)
      if (turns.length < 2 || turns.some(({ contentStart, contentEnd }) => contentEnd - contentStart <= late))
        return null
      return turns.map(({ contentStart: start }) => {
        for (let at = start; at < start + late; at++) surelySampled(rollout, at)
        return train(rollout, start, start + late, false)
      })
    },
  },
]
