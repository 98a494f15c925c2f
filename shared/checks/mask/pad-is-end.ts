import type { Check } from '../check.ts'
import { lookAtPadEnds } from './ends-of-pad.ts'

export const M13: Check = {
  code: 'M13',
  name: 'pad-is-end',
  title: 'End tokens are masked because padding has the same id',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'rollouts that are padded with the id that ends their turns',
  why: 'A mask that compares ids with the pad id takes real end tokens for padding: the model never learns to stop.',
  fix: 'Choose a pad token that ends no turn, or build the mask from lengths and not by comparing ids.',
  cite: 'TRL#6357, TRL#4970, Megatron-Bridge#4660',
  hiddenBy: ['M06', 'M07'],
  trajectory({ facts }, _settings, report) {
    if (facts.endPad !== undefined) report.place(false)
  },
  dump: lookAtPadEnds,
}
