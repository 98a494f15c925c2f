import { expect, test } from 'vitest'
import { sayWhatIsMasked } from '../../renderer/views/notebook/additions.ts'
import { said } from './kept-marks.ts'

test.each([
  ['WANDB_API_KEY=abc python train.py', 'WANDB_API_KEY is kept as ***, not its value'],
  ['WANDB_API_KEY=abc WANDB_API_KEY=def train', 'WANDB_API_KEY is kept as ***, not its value'],
  ['WANDB_API_KEY=abc HF_TOKEN=def train', 'WANDB_API_KEY, HF_TOKEN are kept as ***, not their values'],
])('of the secrets in %j is told: %s', (command, told) => {
  sayWhatIsMasked(command)
  expect(said()).toBe(told)
})
