import { expect, it } from 'vitest'
import { isMixtureOfExperts } from '../../shared/checks/logprobs/gap.ts'

it.each([
  'Qwen/Qwen3-30B-A3B',
  'meta-llama/Llama-4-Scout-17B-16E',
  'mistralai/Mixtral-8x7B-v0.1',
  'deepseek-ai/DeepSeek-R1-0528',
  'deepseek-ai/DeepSeek-V3',
  'zai-org/GLM-4.5V',
  'zai-org/GLM-4.7-Flash',
])('%s routes tokens to experts', (model) => {
  expect(isMixtureOfExperts(model)).toBe(true)
})

it.each([
  'Qwen/Qwen3-8B',
  'deepseek-ai/DeepSeek-R1-Distill-Llama-8B',
  'deepseek-ai/DeepSeek-R1-0528-Qwen3-8B',
  'zai-org/GLM-4.6V-Flash',
  null,
])('%s does not', (model) => {
  expect(isMixtureOfExperts(model)).toBe(false)
})
