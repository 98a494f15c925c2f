import type { HypothesisResult } from '../../../shared/model/report.ts'
import { searchConversations, singleTurnConversations } from '../conversation.ts'
import { type DumpPlan, inGroups, type PlantedDump } from '../dump.ts'
import { train } from '../edit.ts'
import type { Plant } from '../plant.ts'
import { type PlantedRollout, turnsBy } from '../rollout.ts'
import { advantagesOf, setAdvantage } from '../scores.ts'
import { sampledIn, surprise, writtenIn } from './logprob-changes.ts'
import { LOGPROB_PLANTS } from './logprobs.ts'
import { MASK_PLANTS } from './mask.ts'
import { flagged, stopLastTurn } from './stopping.ts'
import { TEMPLATE_PLANTS } from './template.ts'
import { TRUNCATION_PLANTS } from './truncation.ts'

/** A defect of the old verifiers trainer, in every rollout that can have it. */
export interface DefectPlant
  extends Omit<Plant, 'code' | 'patterns' | 'patternOfTwo' | 'perTurn' | 'severity' | 'alongside'> {
  readonly id: string
  /** Codes that fail because of it and must stand under it. */
  readonly symptoms: readonly string[]
  /** Codes that may stand under it as well, or beside it, each with the reason. */
  readonly mayShow?: Readonly<Record<string, string>>
  /** Other defects that the dump rightly has. */
  readonly beside?: readonly string[]
  readonly verdicts: Partial<Record<HypothesisResult['id'], HypothesisResult['verdict']>>
}

const QWEN = ['qwen2.5', 'qwen3'] as const

/** How a fault of the other lists is planted, and into what. */
function like(plants: readonly Plant[], code: string, words = ''): Plant {
  const plant = plants.find((each) => each.code === code && each.title.includes(words))
  if (plant === undefined) throw new Error(`no plant of ${code} has ${JSON.stringify(words)} in its title`)
  return plant
}

const HEADER = like(TEMPLATE_PLANTS, 'T05')
const NEWLINE = like(TEMPLATE_PLANTS, 'T04')
const TOOLS = like(TEMPLATE_PLANTS, 'T07')
const SECOND_BOS = like(TEMPLATE_PLANTS, 'T01')
const STRIPPED = like(TEMPLATE_PLANTS, 'T10')
const DISPLACED = like(MASK_PLANTS, 'M07')
const REPLIES_UNSEEN = like(LOGPROB_PLANTS, 'L02', 'agrees in the first turn')
const COUNTED = like(TRUNCATION_PLANTS, 'C04')
const SCORED_BEFORE = like(TRUNCATION_PLANTS, 'C12')

const several = (rollout: PlantedRollout) => turnsBy(rollout, 'assistant').length > 1

/** Half of the questions are word problems of one turn. */
const MIXED: DumpPlan = {
  conversations: (family, seed, groups) => [
    ...searchConversations(family, seed, groups / 2),
    ...singleTurnConversations(seed, groups / 2),
  ],
}

/** Cuts last turns; an end token of an earlier turn is taken for that of the last one. */
function endsHidden({ rollouts }: PlantedDump): PlantedRollout[] {
  const cut = (members: readonly PlantedRollout[], truncated: boolean) => {
    const chosen = members.filter((rollout) => rollout.reward > 0 && stopLastTurn(rollout) !== null)
    for (const rollout of chosen) flagged(rollout, truncated)
    return chosen
  }
  const isLong = rollouts.filter(several)
  const isShort = rollouts.filter((rollout) => !several(rollout))
  return [...cut(isLong.slice(0, 4), false), ...cut(isShort.slice(0, 4), true)]
}

export const DEFECT_PLANTS: readonly DefectPlant[] = [
  {
    id: 'V1',
    title: 'the loss mask is the attention mask, and the trainer is surprised at every turn',
    needs: ['mask', 'attention', 'sampler', 'trainer'],
    rollout: (rollout, { random }) => {
      for (const token of rollout.tokens) token.attended = token.trained
      for (const turn of turnsBy(rollout, 'assistant')) surprise(sampledIn(rollout, writtenIn(turn)), random)
      return []
    },
    symptoms: ['M15', 'L02'],
    verdicts: { H02: 'supported' },
  },
  {
    id: 'V2',
    title: 'the assistant header is missing from the second turn on',
    needs: HEADER.needs,
    rollout: (rollout, context) => HEADER.rollout?.(rollout, context) ?? null,
    symptoms: ['T05'],
    verdicts: { H02: 'supported', H07: 'supported' },
  },
  {
    id: 'V2',
    title: 'header and newline are missing from the second turn on, and the trainer disagrees there',
    families: QWEN,
    needs: ['mask', 'sampler', 'trainer'],
    rollout: (rollout, context) => {
      if (!several(rollout)) return null
      const unseen = REPLIES_UNSEEN.rollout?.(rollout, context) ?? null
      HEADER.rollout?.(rollout, context)
      NEWLINE.rollout?.(rollout, context)
      return unseen === null ? null : []
    },
    symptoms: ['T05', 'L02'],
    beside: ['V3'],
    mayShow: { T04: 'the newline is V3, which is part of it' },
    verdicts: { H02: 'supported', H07: 'supported' },
  },
  {
    id: 'V3',
    title: 'the newline after the model’s turns is lost',
    families: QWEN,
    needs: [],
    rollout: (rollout, context) => NEWLINE.rollout?.(rollout, context) ?? null,
    symptoms: ['T04'],
    verdicts: {},
  },
  {
    id: 'V4',
    title: 'the prompt was rendered without the tools',
    needs: TOOLS.needs,
    rollout: (rollout, context) => TOOLS.rollout?.(rollout, context) ?? null,
    symptoms: ['T07'],
    mayShow: { T08: 'the line that announces the tools of Llama stands without them' },
    verdicts: { H02: 'supported' },
  },
  {
    id: 'V5',
    title: 'headers are trained from the second turn on, and the newline after every turn',
    families: QWEN,
    needs: ['mask'],
    rollout: (rollout) => {
      const turns = turnsBy(rollout, 'assistant')
      for (const { start, headerEnd } of turns.slice(1)) train(rollout, start, headerEnd)
      for (const { endToken, end } of turns) train(rollout, endToken + 1, end)
      return several(rollout) ? [] : null
    },
    symptoms: ['M08', 'M11'],
    verdicts: { H02: 'supported' },
  },
  {
    id: 'V6',
    title: 'rendered text was encoded with a second begin-of-text token',
    families: ['llama3'],
    needs: [],
    rollout: (rollout, context) => SECOND_BOS.rollout?.(rollout, context) ?? null,
    symptoms: ['T01'],
    verdicts: {},
  },
  {
    id: 'V7',
    title: 'spans were measured without the empty thought of the generation prompt',
    families: ['qwen3'],
    needs: DISPLACED.needs,
    plan: DISPLACED.plan ?? {},
    rollout: (rollout, context) => DISPLACED.rollout?.(rollout, context) ?? null,
    symptoms: ['M07'],
    mayShow: { ...DISPLACED.alongside, M11: 'the displaced mask trains what stands between turns' },
    verdicts: { H02: 'supported' },
  },
  {
    id: 'V8',
    title: 'the template took the thoughts out of all turns but the last',
    families: ['qwen3'],
    needs: STRIPPED.needs,
    notIn: STRIPPED.notIn ?? [],
    rollout: (rollout, context) => (several(rollout) ? (STRIPPED.rollout?.(rollout, context) ?? null) : null),
    symptoms: ['T10'],
    verdicts: {},
  },
  {
    id: 'V9',
    title: 'each request was rendered from parsed messages: calls have their keys in another order there',
    needs: ['mask', 'sampler', 'trainer', 'messages'],
    alsoIn: ['verifiers-v1'],
    rollout: (rollout, context) => {
      if (!several(rollout)) return null
      rollout.messages = rollout.messages.map((message) =>
        message.tool_calls === undefined
          ? message
          : {
              ...message,
              tool_calls: message.tool_calls.map(({ function: called, ...call }) => ({
                ...call,
                function: { ...called, arguments: JSON.stringify({ limit: 5, ...JSON.parse(called.arguments) }) },
              })),
            },
      )
      return REPLIES_UNSEEN.rollout?.(rollout, context) === null ? null : []
    },
    symptoms: ['L02'],
    verdicts: { H07: 'supported' },
  },
  {
    id: 'V10',
    title: 'turns that were stopped by their limit are not flagged, in a third of the rollouts',
    // A third, as H04 takes a fifth and more for many. It takes the limits of the run as well, which verifiers does not write.
    needs: ['mask', 'messages', 'finish', 'more'],
    plan: { limits: true },
    dump: ({ rollouts }, { random }) => {
      const cut = random
        .shuffle(rollouts)
        // What was cut and not paid for is trained no worse for the missing flag.
        .filter((rollout) => rollout.reward > 0)
        .slice(0, Math.ceil(rollouts.length / 3))
        .filter((rollout) => stopLastTurn(rollout) !== null)
      for (const rollout of cut) flagged(rollout, false)
      return cut
    },
    symptoms: ['C03', 'C05'],
    verdicts: { H04: 'supported' },
  },
  {
    id: 'V11',
    title: 'cut rollouts are masked and stay in the baselines of their groups',
    needs: COUNTED.needs,
    notIn: COUNTED.notIn ?? [],
    plan: { scheme: 'centred', limits: true },
    keepAdvantages: true,
    dump: ({ rollouts }) =>
      inGroups(rollouts).flatMap((members) => {
        const rewards = members.map(({ reward }) => reward)
        const best = members.toSorted((a, b) => b.reward - a.reward)
        const cut = best.slice(0, 2).filter((member) => stopLastTurn(member) !== null)
        for (const rollout of cut) {
          for (const token of rollout.tokens) token.trained = false
          flagged(rollout, true)
        }
        const advantages = advantagesOf(rewards, 'centred')
        for (const [index, member] of members.entries()) setAdvantage(member, advantages[index] as number)
        return cut
      }),
    symptoms: ['C04', 'M04'],
    verdicts: { H04: 'supported' },
  },
  {
    id: 'V12',
    title: 'the answer was scored and cut away afterwards',
    // The verdict takes the limits of the run, which verifiers does not write.
    needs: [...SCORED_BEFORE.needs, 'more'],
    plan: { limits: true },
    rollout: (rollout, context) => SCORED_BEFORE.rollout?.(rollout, context) ?? null,
    symptoms: ['C12', 'C03'],
    verdicts: { H04: 'supported' },
  },
  {
    id: 'V13',
    title: 'all rewards were set to 0, because some rollouts were cut',
    needs: ['components', 'finish', 'messages', 'more'],
    dump: ({ rollouts }) => {
      for (const rollout of rollouts.slice(0, 3)) if (stopLastTurn(rollout) !== null) flagged(rollout, true)
      for (const rollout of rollouts) rollout.reward = 0
      return null
    },
    symptoms: ['A10', 'A01'],
    verdicts: { H05: 'supported' },
  },
  {
    id: 'V14',
    title: 'cut rollouts are flagged where they have one turn, and not where an earlier one has an end token',
    needs: ['mask', 'finish', 'messages', 'more'],
    plan: MIXED,
    dump: endsHidden,
    symptoms: ['C05'],
    mayShow: { C03: 'flagged or not, the cut rollouts are trained' },
    verdicts: {},
  },
  {
    id: 'V14',
    title: 'cut rollouts are flagged where they have one turn, and the flag is all that is said of their ends',
    needs: ['mask', 'finish', 'messages'],
    notIn: ['native'],
    plan: MIXED,
    dump: endsHidden,
    symptoms: [],
    mayShow: { C03: 'flagged or not, the cut rollouts are trained' },
    verdicts: {},
  },
]
