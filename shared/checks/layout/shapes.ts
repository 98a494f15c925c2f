import type { StoredArray } from '../../model/trajectory.ts'
import { isMaskName } from '../alignment.ts'
import type { Check } from '../check.ts'

/** Contradictions of a record that are about the shape or type of its arrays. */
const SHAPE_ISSUES: ReadonlySet<string> = new Set([
  'length-mismatch',
  'bad-type',
  'fractional-weight',
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
  trajectory({ trajectory }, { alignment }, report) {
    const bad: StoredArray[] = []
    for (const array of trajectory.arrays) {
      // A target-aligned mask has no value for the first token.
      const targets = alignment === 'target' && isMaskName(array.name) && array.length === array.expected - 1
      const wrong = array.length !== array.expected && !targets
      report.place(wrong)
      if (wrong) bad.push(array)
    }
    const issues = trajectory.issues.filter(({ code, field }) => SHAPE_ISSUES.has(code) && !NO_ARRAYS.test(field))
    if (bad.length === 0 && issues.length === 0) return
    const lengths = bad.map(({ name, length, expected }) => `${name} has ${length} elements where ${expected} are due`)
    const said = lengths.length > 0 ? lengths : issues.map(({ message }) => message)
    report.fault({
      scope: 'trajectory',
      message: said.join('; '),
      evidence: {
        arrays: trajectory.arrays.map(({ name, length, expected }) => ({ name, length, expected })),
        issues: issues.map(({ code, field, message }) => ({ code, field, message })),
      },
    })
  },
}
