import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { lacksWhatOthersHave } from '../logprobs/no-numbers.ts'
import { tokenCount } from '../oracles/edges.ts'
import { type ShapeIssue, unfitArrays } from './unfit-arrays.ts'

/** By what is wrong; the names stand in the evidence of findings. */
const FIXES = {
  lengths: 'Compare the lengths where the row is assembled; one of the arrays was built from other ids.',
  ids: 'Find where ids that no vocabulary has come from: fillers or labels, such as −100, that got into the sequence, or the ids of another model.',
  advantages:
    'Find what makes the advantage no number: a reward that is none (A10), or a std of 0 that divides without an epsilon.',
  weights:
    'Write 0, 1 or a weight of the loss: what is negative, NaN or large was made as labels, ids or bytes and is no mask.',
  masks: 'Make labels and mask of the same ids, and of one mask: they say different things of what is trained.',
  types: 'Write the array as numbers, one for each token.',
} as const

type Kind = keyof typeof FIXES

const KIND_OF_ISSUE: Readonly<Record<ShapeIssue, Kind>> = {
  'length-mismatch': 'lengths',
  'bad-type': 'types',
  'negative-weight': 'weights',
  'unknown-weight': 'weights',
  'label-mismatch': 'masks',
  'mask-conflict': 'masks',
  'id-out-of-range': 'ids',
}

export const S03: Check = {
  code: 'S03',
  name: 'array-shapes',
  title: 'Arrays of a row do not fit together, or hold what is no number',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids'],
  looksAt: 'arrays of a row',
  why: 'Values are applied to the wrong tokens, or to none: mask, logprobs and advantages must have one value per token.',
  fix: 'Look at where the row is assembled: each array has one value per token, and of its own kind.',
  fixes: FIXES,
  cite: 'tinker-cloud#65, ms-swift#7066, LlamaFactory#9630',
  trajectory(view, { alignment }, report) {
    const { trajectory, thresholds, facts } = view
    const { bad, issues, heavy } = unfitArrays(trajectory, alignment, thresholds)
    // Lengths that do not fit are told of the arrays that have them.
    const told = issues.filter(({ code }) => code !== 'length-mismatch' || bad.length === 0)
    const faulty = new Set(told.map(({ field }) => field))
    if (heavy !== null) faulty.add(heavy.mask)
    for (const array of trajectory.arrays) report.place(bad.includes(array) || faulty.has(array.name))
    for (const { name } of trajectory.arrays) faulty.delete(name)
    // What is wrong elsewhere, as in the ids that the arrays stand beside, is a place of its own.
    for (const _ of faulty) report.place(true)
    const credit = brokenCredit(facts)
    // One number for the rollout is no array.
    if (credit !== null) report.place(true)
    if (bad.length === 0 && issues.length === 0 && heavy === null && credit === null) return
    const at = heavy?.first ?? credit?.token ?? null
    const said = [
      ...bad.map(
        ({ name, length, expected }) => `${name} has ${counted(length, 'element')} where ${count(expected)} are due`,
      ),
      ...told.map(({ message }) => message),
      ...(heavy === null ? [] : [heavy.message]),
      ...(credit === null ? [] : [credit.message]),
    ]
    report.fault({
      scope: 'trajectory',
      ...(at === null ? {} : { tokens: { start: at, end: at + 1 }, affected: [] }),
      message: said.join('; '),
      evidence: {
        kinds: [
          ...new Set<Kind>([
            ...(bad.length > 0 ? (['lengths'] as const) : []),
            ...told.map(({ code }) => KIND_OF_ISSUE[code as ShapeIssue]),
            ...(heavy === null ? [] : (['weights'] as const)),
            ...(credit === null ? [] : (['advantages'] as const)),
          ]),
        ],
        arrays: trajectory.arrays.map(({ name, length, expected }) => ({ name, length, expected })),
        issues: issues.map(({ code, field, message }) => ({ code, field, message })),
        ...(heavy === null ? {} : { values: heavy.values, tokens: heavy.tokens }),
        ...(credit === null ? {} : { advantage: credit.value, trained_tokens: credit.tokens }),
      },
    })
  },
  dump: lookForAdvantages,
}

function* lookForAdvantages(dump: DumpView, report: DumpReporter): Steps<void> {
  const { rows, others } = yield* lacksWhatOthersHave(dump, 'advantages', ({ maxAdvantage }) => maxAdvantage !== null)
  const tell = (member: TrajectoryFacts) => {
    report.unitAfterAll()
    report.fault({
      member,
      affectedTokens: member.trained ?? 0,
      message: `The advantages of all ${tokenCount(member.trained ?? 0)} that carry loss are NaN or null, and ${count(others)} other rollouts have theirs`,
      evidence: {
        kinds: ['advantages'],
        advantage: 'NaN',
        trained_tokens: member.trained,
        rollouts_with_advantages: others,
      },
    })
  }
  yield* forEachOf(rows, tell)
}

/** An advantage that is no finite number makes the loss of its tokens none. `token` is the first of them, null where the rollout has one for all. */
function brokenCredit({ brokenAdvantage: broken }: TrajectoryFacts) {
  if (broken === undefined) return null
  const { value, token, tokens } = broken
  if (token === null) return { ...broken, message: `the advantage is ${value}, which is no finite number` }
  const what = value === 'NaN' ? 'NaN or null' : value
  const trained = `${tokenCount(tokens)} that ${tokens === 1 ? 'carries' : 'carry'} loss`
  return { ...broken, message: `the advantage is ${what} on ${trained}, the first at ${count(token)}` }
}
