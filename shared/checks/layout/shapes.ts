import type { StoredArray, Trajectory } from '../../model/trajectory.ts'
import { isMaskName } from '../alignment.ts'
import type { Check } from '../check.ts'
import { tokenCount } from '../edges.ts'

/** Contradictions of a record that are about the shape or type of its arrays. */
const SHAPE_ISSUES: ReadonlySet<string> = new Set([
  'length-mismatch',
  'bad-type',
  'negative-weight',
  'unknown-weight',
  'label-mismatch',
  'id-out-of-range',
  'mask-conflict',
])

/** Fields that hold no value per token: what is wrong with them is no matter of arrays. */
const NO_ARRAYS = /^(messages|tools|documents|limits|rewards?|meta|answer|id)\b/

export const S03: Check = {
  code: 'S03',
  name: 'array-shapes',
  title: 'Arrays of a row do not fit together',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids'],
  looksAt: 'arrays of a row',
  why: 'Values are applied to the wrong tokens, or to none: mask, logprobs and advantages must have one value per token.',
  fix: 'Compare the lengths where the row is assembled; one of the arrays was built from other ids.',
  cite: 'tinker-cloud#65, ms-swift#7066, LlamaFactory#9630',
  trajectory({ trajectory, thresholds }, { alignment }, report) {
    const bad: StoredArray[] = []
    const issues = trajectory.issues.filter(({ code, field }) => SHAPE_ISSUES.has(code) && !NO_ARRAYS.test(field))
    for (const array of trajectory.arrays) {
      // A target-aligned mask has no value for the first token.
      const targets = alignment === 'target' && isMaskName(array.name) && array.length === array.expected - 1
      const wrong = array.length !== array.expected && !targets
      report.place(wrong || issues.some(({ field }) => field === array.name))
      if (wrong) bad.push(array)
    }
    const heavy = heavyWeights(trajectory, thresholds['largest-loss-weight'])
    if (bad.length === 0 && issues.length === 0 && heavy === null) return
    const said = [
      ...bad.map(({ name, length, expected }) => `${name} has ${length} elements where ${expected} are due`),
      ...issues.filter(({ code }) => code !== 'length-mismatch' || bad.length === 0).map(({ message }) => message),
      ...(heavy === null ? [] : [heavy.message]),
    ]
    report.fault({
      scope: 'trajectory',
      ...(heavy === null ? {} : { tokens: { start: heavy.first, end: heavy.first + 1 }, affected: [] }),
      message: said.join('; '),
      evidence: {
        arrays: trajectory.arrays.map(({ name, length, expected }) => ({ name, length, expected })),
        issues: issues.map(({ code, field, message }) => ({ code, field, message })),
        ...(heavy === null ? {} : { values: heavy.values, tokens: heavy.tokens }),
      },
    })
  },
}

/** Values that a message names. */
const NAMED_VALUES = 4

/** Values of a mask that are no weights of a loss: ids, numbers of segments, flags kept as bytes. */
function heavyWeights({ weights, arrays }: Trajectory, largest: number) {
  if (weights === null) return null
  const values = new Set<number>()
  let tokens = 0
  let first = -1
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number
    if (!(weight > largest)) continue
    if (tokens++ === 0) first = i
    if (values.size <= NAMED_VALUES) values.add(weight)
  }
  if (first < 0) return null
  const name = arrays.find((array) => isMaskName(array.name))?.name ?? 'the mask'
  const listed = [...values].slice(0, NAMED_VALUES)
  return {
    tokens,
    first,
    values: listed,
    message: `${name} holds ${listed.join(', ')}${values.size > listed.length ? ' …' : ''} on ${tokenCount(tokens)}, the first at ${first}: no loss weight is so large, but ids, bytes of a flag or lengths are`,
  }
}
