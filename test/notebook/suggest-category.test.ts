import { expect, it } from 'vitest'
import { newExperiment } from '../../shared/notebook/edit.ts'
import { suggestCategory } from '../../shared/notebook/suggest-category.ts'

const first = {
  ...newExperiment('A1', 'A', 'ranks'),
  command: 'train.py --model Qwen/Qwen2.5-7B --dataset musique --lora-r 16 --lora-alpha 32 --lr 1e-5',
}

it.each([
  ['an adapter', 'train.py --lora-r 64', [], 'A', 'it trains an adapter of rank 64'],
  ['none', 'train.py --no-peft', [], 'B', 'it trains without an adapter'],
  [
    'another model',
    'train.py --model meta/Llama-3.1-8B --lora-r 16',
    [first],
    'C',
    'no experiment so far has the model meta/Llama-3.1-8B',
  ],
  [
    'another dataset',
    'train.py --model /data/Qwen2.5-7B --dataset mini',
    [first],
    'E',
    'no experiment so far has the dataset mini',
  ],
  [
    'another learning rate and nothing else',
    'train.py --model Qwen/Qwen2.5-7B --dataset musique --lora-r 16 --lora-alpha 32 --lr 1e-6',
    [first],
    'D',
    'it differs from A1 in learning rate',
  ],
] as const)('reads off a command line: %s', (_, command, earlier, category, why) => {
  expect(suggestCategory(command, earlier)).toEqual({ category, why })
})

it.each([
  ['', []],
  ['train.py --seed 3', [first]],
  // The same learning rate, spelt otherwise.
  ['train.py --model Qwen/Qwen2.5-7B --dataset musique --lr 0.00001', [first]],
] as const)('claims nothing where nothing tells: %s', (command, earlier) => {
  expect(suggestCategory(command, earlier)).toBeNull()
})
