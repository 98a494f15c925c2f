import { copyOf, inGroups } from '../dump.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, type PlantedToken, turnsBy } from '../rollout.ts'
import { numberOf } from '../writers/writer.ts'
import { planOf } from './mask.ts'

/** Positions as the forward pass of padded rows counts them, when it does not look at the mask. */
const countedFromStart = ({ tokens }: PlantedRollout) => tokens.map((_, index) => index)

/** Logprobs of one side without the first two, so that each lies two tokens early and the last two are missing. */
const withoutFirstTwo: Plant['rollout'] = (rollout, { random }) => {
  const short = random.pick(['sampler', 'trainer'] as const)
  const values = (stream: 'sampler' | 'trainer' | 'reference') =>
    rollout.tokens.map((token) => (Number.isNaN(token[stream]) ? null : token[stream]))
  const all = { sampler: values('sampler'), trainer: values('trainer'), reference: values('reference') }
  rollout.more = { ...rollout.more, logprobs: { ...all, [short]: all[short].slice(2) } }
  return []
}

export const LAYOUT_PLANTS: readonly Plant[] = [
  {
    code: 'S01',
    title: 'the positions of a second sequence in the row run on',
    // Writers of rollouts write each sequence by itself: rows of several documents with positions are those of packed SFT data sets.
    needs: ['more'],
    plan: { padding: 'none' },
    patternOfTwo: 'systematic',
    rollout: (rollout) => {
      // The row goes on with a copy of its own turns, as those of another document; what is said beside the ids is said of neither.
      const { length } = rollout.tokens
      const turns = rollout.kinds.length
      rollout.tokens.push(
        ...rollout.tokens.map((token) => ({ ...token, turn: token.turn < 0 ? -1 : token.turn + turns })),
      )
      rollout.kinds.push(...rollout.kinds)
      rollout.more = {
        messages: null,
        documents: null,
        limits: null,
        sequence_ids: rollout.tokens.map((_, index) => (index < length ? 0 : 1)),
        position_ids: countedFromStart(rollout),
      }
      return []
    },
    alongside: {
      T01: 'the begin-of-text token of the second document stands in the middle of the row',
      T09: 'nothing but the ids says that the second system turn is that of another document',
      T04: 'the row of the first document need not end with a newline',
      S06: 'two documents in a row are two branches',
    },
  },
  {
    code: 'S02',
    title: 'positions count the padding on the left',
    needs: ['more', 'padding'],
    alsoIn: ['verl-batch'],
    plan: { padding: 'left', spare: 3 },
    // verl writes positions of every row, the native format of those that a plant gave some.
    patternOfTwo: (format) => (format === 'verl-batch' ? 'sporadic' : 'systematic'),
    rollout: (rollout) => {
      if (rollout.tokens[0]?.part !== 'padding') return null
      rollout.more = { ...rollout.more, position_ids: countedFromStart(rollout) }
      return []
    },
  },
  {
    code: 'S02',
    title: 'positions begin anew where the first response does',
    needs: ['more', 'mask', 'prompt-length'],
    plan: { padding: 'none' },
    patternOfTwo: 'systematic',
    rollout: (rollout) => {
      const start = rollout.promptLength
      const positions = rollout.tokens.map((_, index) => (index < start ? index : index - start))
      rollout.more = { ...rollout.more, position_ids: positions }
      return [{ start, end: start + 1 }]
    },
  },
  {
    code: 'S02',
    title: 'positions are counted over the loss mask, and no attention mask is stored',
    needs: ['more', 'mask', 'prompt-length'],
    plan: { padding: 'none' },
    patternOfTwo: 'systematic',
    rollout: (rollout) => {
      let trained = 0
      const positions = rollout.tokens.map((token) => Math.max(0, (trained += token.trained ? 1 : 0) - 1))
      rollout.more = { ...rollout.more, position_ids: positions }
      return [{ start: 0, end: rollout.promptLength }]
    },
  },
  {
    code: 'S03',
    title: 'the mask is three shorter than the ids',
    needs: ['more', 'mask'],
    alsoIn: ['nemo-rl', 'prime-rl-export'],
    rollout: (rollout) => {
      const mask = rollout.tokens.map(({ trained }) => (trained ? 1 : 0))
      rollout.more = { ...rollout.more, loss_mask: mask.slice(0, -3) }
      return []
    },
    alongside: { T03: 'a mask of another length was built for other ids' },
  },
  {
    code: 'S03',
    title: 'logprobs lack the first two tokens',
    needs: ['more', 'sampler', 'trainer'],
    rollout: withoutFirstTwo,
    alongside: { T03: 'logprobs of another length were built for other ids' },
  },
  {
    code: 'S03',
    title: 'logprobs lack the first two tokens, and an empty thought is prefilled',
    families: ['qwen3'],
    plan: planOf('an empty thought is prefilled'),
    needs: ['more', 'sampler', 'trainer'],
    rollout: withoutFirstTwo,
    alongside: { T03: 'logprobs of another length were built for other ids' },
  },
  {
    code: 'S03',
    title: 'the advantage of a rollout is no finite number',
    needs: ['more', 'mask', 'advantages'],
    // Where no advantage is a number, no group can be computed anew.
    patterns: ['sporadic'],
    rollout: (rollout, { random }) => {
      const value = random.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      rollout.more = { ...rollout.more, advantage: numberOf(value) }
      return []
    },
    alongside: { A03: 'an infinite advantage exceeds what any rewards of the group give' },
  },
  {
    code: 'S03',
    title: 'a trained token has an advantage of NaN',
    needs: ['mask', 'token-advantages'],
    patterns: ['sporadic'],
    keepAdvantages: true,
    rollout: (rollout, { random }) => {
      const trained = [...rollout.tokens.keys()].filter((token) => rollout.tokens[token]?.trained)
      const start = trained[random.integer(0, trained.length - 4)] as number
      ;(rollout.tokens[start] as PlantedToken).advantage = Number.NaN
      return [{ start, end: start + 1 }]
    },
  },
  {
    code: 'S04',
    title: 'two rollouts were written twice',
    needs: [],
    patterns: ['sporadic'],
    dump: (dump) => {
      for (const members of inGroups(dump.rollouts).slice(0, 2)) {
        const [first, second] = members as [PlantedRollout, PlantedRollout]
        const again = copyOf(first)
        again.id = second.id
        dump.rollouts[dump.rollouts.indexOf(second)] = again
      }
      return null
    },
    alongside: { A06: 'the two completions are the same' },
  },
  {
    code: 'S04',
    title: 'the buffer gave one rollout again and again',
    needs: [],
    // The first one is where it should be: a twentieth of the rows, or less, must be original.
    plan: { groups: 4 },
    patterns: ['systematic'],
    dump: (dump) => {
      const original = dump.rollouts[0] as PlantedRollout
      for (const [index, { id, step, group }] of dump.rollouts.entries())
        dump.rollouts[index] = { ...copyOf(original), id, step, group }
      return dump.rollouts.slice(1)
    },
    alongside: {
      A01: 'it is rewarded as it was',
      A06: 'all completions are the same',
      A10: 'it is rewarded as it was',
    },
  },
  {
    code: 'S05',
    title: 'the prompt length was measured without the end of the generation prompt',
    needs: ['more', 'prompt-length'],
    alsoIn: ['slime-rollout'],
    // Padding on the left leaves open from where a length that fits nowhere was counted.
    plan: { padding: 'right' },
    rollout: (rollout) => {
      rollout.promptLength -= 2
      return [{ start: rollout.promptLength - 2, end: rollout.promptLength + 2 }]
    },
  },
  {
    code: 'S05',
    title: 'the prompt length was measured without any generation prompt',
    needs: ['more', 'prompt-length'],
    alsoIn: ['slime-rollout'],
    plan: { padding: 'right' },
    rollout: (rollout) => {
      const [first] = turnsBy(rollout, 'assistant')
      if (first === undefined) return null
      rollout.promptLength = first.start
      return [{ start: first.start, end: first.start + 1 }]
    },
  },
  {
    code: 'S05',
    title: 'the prompt length was measured without the end of the question',
    needs: ['more', 'prompt-length'],
    alsoIn: ['slime-rollout'],
    plan: { padding: 'right' },
    rollout: (rollout) => {
      const [first] = turnsBy(rollout, 'assistant')
      const asked = turnsBy(rollout, 'user')[0]
      if (first === undefined || asked === undefined || asked.end > first.start) return null
      const lost = first.contentStart - asked.contentEnd + 4
      rollout.promptLength -= lost
      return [{ start: rollout.promptLength, end: rollout.promptLength + 1 }]
    },
  },
  {
    code: 'S06',
    title: 'a compacted rollout is two rows',
    needs: ['more'],
    alsoIn: ['slime-rollout'],
    dump: ({ rollouts }, { pattern }) => {
      for (const [at, members] of inGroups(rollouts).entries()) {
        const ofTwoRows = pattern === 'systematic' ? members.length : at < 2 ? 2 : 0
        for (const [index, rollout] of members.entries()) {
          const [whole, branch] = index < ofTwoRows ? [index >> 1, index & 1] : [index, 0]
          rollout.more = {
            ...rollout.more,
            rollout_id: `rollout ${whole} of ${rollout.group}`,
            branch: String(branch),
          }
        }
      }
      return null
    },
  },
]
