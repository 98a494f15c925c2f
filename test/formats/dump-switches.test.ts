import { expect, it } from 'vitest'
import { howToDump } from '../../shared/formats/dump-switches.ts'
import { FORMATS } from '../../shared/formats/registry.ts'

const STREAMS = ['ids', 'mask', 'advantages', 'logprobs.sampler', 'logprobs.trainer', 'entropy', 'kl'] as const

it('says of every format and stream how the stream would come to be there, in whole sentences', () => {
  for (const { id } of FORMATS) {
    for (const stream of STREAMS) expect(howToDump(id, stream)).toMatch(/^(To have it, |Files of this kind ).+[^.]\.$/)
  }
})

it('names the switch where the trainer has one, the field of the native format where it has none', () => {
  expect(howToDump('slime', 'logprobs.trainer')).toContain('--save-debug-train-data')
  expect(howToDump('native', 'mask')).toBe(
    'To have it, have the trainer write one number for each token under `loss_mask`.',
  )
  expect(howToDump('nemo-rl', 'entropy')).toContain('never hold it')
  expect(howToDump('nemo-rl', 'advantages')).toContain('empty here')
})
