import { percent } from '../../model/number-text.ts'
import { Expected } from '../../model/tokens.ts'
import type { Check } from '../check.ts'
import { shapeOf } from '../oracles/shape.ts'
import { runsOf } from '../oracles/spans.ts'

export const M02: Check = {
  code: 'M02',
  name: 'mask-inverted',
  title: 'Loss mask is inverted',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'rollouts with trained and masked tokens',
  why: 'The environment is trained and the actions are not: the run learns nothing of what it is rewarded for.',
  fix: 'Swap the mask: 1 marks what the model sampled. Look for a mask of padding or environment tokens used as loss mask.',
  cite: 'RAGEN#71, RAGEN#62',
  trajectory(view, _settings, report) {
    if (view.expected === null) return
    const { inverted, allZero } = shapeOf(view)
    if (allZero) return
    report.place(inverted !== null)
    if (inverted === null) return
    const mask = view.mask as Uint8Array
    const affected = runsOf(mask, 1).filter(({ start }) => view.expected?.[start] !== Expected.trained)
    report.fault({
      scope: 'trajectory',
      tokens: affected.length === 0 ? null : { start: affected[0]!.start, end: affected.at(-1)!.end },
      affected,
      message: `The loss mask is inverted: its complement agrees with the turns on ${percent(inverted.complement)} of the tokens, the mask itself on ${percent(inverted.agreement)}`,
      evidence: { agreement: inverted.agreement, complement_agreement: inverted.complement },
    })
  },
}
