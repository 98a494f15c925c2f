import { parseCommand } from './command-line.ts'
import type { Experiment } from './model.ts'

/** A column of the table of experiments, with the names that trainers and notes give it. */
export interface Parameter {
  readonly id: string
  readonly title: string
  readonly names: readonly string[]
}

/** In the order of the table. Names are compared without case, `_` and blanks read as `-`; of a dotted path the end counts. */
export const PARAMETERS: readonly Parameter[] = [
  { id: 'model', title: 'Model', names: ['model', 'model-name', 'model-name-or-path', 'model.path', 'base-model'] },
  {
    id: 'dataset',
    title: 'Dataset',
    names: ['dataset', 'datasets', 'dataset-name', 'data.train-files', 'train-files'],
  },
  { id: 'lora-r', title: 'LoRA r', names: ['lora-r', 'lora-rank', 'peft-r', 'r', 'rank'] },
  { id: 'lora-alpha', title: 'LoRA alpha', names: ['lora-alpha', 'peft-alpha', 'alpha'] },
  { id: 'learning-rate', title: 'Learning rate', names: ['learning-rate', 'lr', 'optim.lr'] },
  { id: 'kl-beta', title: 'KL beta', names: ['kl-beta', 'beta', 'kl-coef', 'kl-loss-coef', 'init-kl-coef'] },
  {
    id: 'n',
    title: 'n',
    names: ['n', 'num-generations', 'group-size', 'rollout.n', 'rollouts-per-example', 'n-samples-per-prompt'],
  },
  {
    id: 'batch',
    title: 'Batch',
    names: ['batch', 'batch-size', 'per-device-train-batch-size', 'train-batch-size', 'per-device-batch-size'],
  },
  {
    id: 'accumulation',
    title: 'Accumulation',
    names: ['accumulation', 'gradient-accumulation', 'gradient-accumulation-steps', 'grad-accum', 'grad-accum-steps'],
  },
  { id: 'loss-type', title: 'Loss type', names: ['loss-type', 'loss', 'adv-estimator'] },
  { id: 'scaling', title: 'Scaling', names: ['scaling', 'scale-rewards', 'norm-adv-by-std-in-grpo', 'reward-scaling'] },
  { id: 'clip', title: 'Gradient clip', names: ['clip', 'max-grad-norm', 'grad-clip', 'gradient-clip', 'clip-grad'] },
  {
    id: 'prompt-length',
    title: 'Prompt length',
    names: ['prompt-length', 'max-prompt-length', 'max-prompt', 'prompt'],
  },
  {
    id: 'new-tokens',
    title: 'New tokens',
    names: ['new-tokens', 'max-new-tokens', 'max-completion-length', 'max-response-length', 'max-tokens', 'completion'],
  },
  { id: 'temperature', title: 'Temperature', names: ['temperature'] },
  { id: 'steps', title: 'Steps', names: ['steps', 'max-steps', 'total-training-steps'] },
  { id: 'seed', title: 'Seed', names: ['seed'] },
]

/** A parameter of an experiment, and whether a person wrote it or the command line says it. */
export interface ParameterValue {
  readonly value: string
  readonly from: 'written' | 'command'
}

const BY_NAME = new Map(PARAMETERS.flatMap(({ id, names }) => names.map((name): [string, string] => [name, id])))
const TITLES = new Map(PARAMETERS.map(({ id, title }) => [id, title]))

/** The column of a name, or the name itself, read as above, where no column has it. */
function parameterId(name: string): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, '-')
  const parts = plain.split('.')
  for (let from = 0; from < parts.length; from++) {
    const id = BY_NAME.get(parts.slice(from).join('.'))
    if (id !== undefined) return id
  }
  return plain
}

export function parameterTitle(id: string): string {
  return TITLES.get(id) ?? id
}

/**
 * Everything that is known of an experiment's settings, by column. What a person wrote stands before what the command line
 * says; `r=64, alpha=128` under one name is taken as the parameters that it lists.
 */
export function parametersOf(experiment: Pick<Experiment, 'parameters' | 'command'>): Map<string, ParameterValue> {
  const found = new Map<string, ParameterValue>()
  for (const { name, value } of experiment.parameters) {
    const listed = listedValues(value)
    if (listed === null)
      found.set(parameterId(name), { value: value.trim().replace(/^`(.*)`$/, '$1'), from: 'written' })
    else for (const [key, inner] of listed) found.set(parameterId(key), { value: inner, from: 'written' })
  }
  for (const { name, value } of parseCommand(experiment.command)) {
    const id = parameterId(name)
    if (['peft', 'use-peft', 'lora'].includes(id) && /^(false|no|off)$/i.test(value)) {
      if (!found.has('lora-r')) found.set('lora-r', { value: 'none', from: 'command' })
      continue
    }
    if (!found.has(id)) found.set(id, { value: readable(id, value), from: 'command' })
  }
  return found
}

function readable(id: string, value: string): string {
  if (id !== 'scaling') return value
  return value === 'true' ? 'on' : value === 'false' ? 'off' : value
}

/** `r=64, alpha=128` as pairs; null where the value is anything else. */
function listedValues(value: string): [string, string][] | null {
  const parts = value.split(/[,;]\s*|(?<!\s)\s+(?=[A-Za-z_-]+=)/).map((part) => part.trim())
  const pairs = parts.flatMap((part): [string, string][] => {
    const pair = /^([A-Za-z][\w. -]{0,40}?)\s*=\s*([^\s=][^=]*)$/.exec(part)
    return pair === null ? [] : [[pair[1] as string, (pair[2] as string).trim()]]
  })
  return pairs.length === parts.length ? pairs : null
}

/** A setting in which two experiments differ; null where one of them does not say. */
export interface ParameterDifference {
  readonly id: string
  readonly title: string
  readonly a: string | null
  readonly b: string | null
}

/** What differs between two experiments, columns of the table first. Numbers are compared as numbers: 1e-5 is 0.00001. */
export function compareExperiments(
  a: Pick<Experiment, 'parameters' | 'command'>,
  b: Pick<Experiment, 'parameters' | 'command'>,
): ParameterDifference[] {
  const [left, right] = [parametersOf(a), parametersOf(b)]
  const ids = new Set([...PARAMETERS.map(({ id }) => id), ...left.keys(), ...right.keys()])
  return [...ids].flatMap((id): ParameterDifference[] => {
    const [one, other] = [left.get(id)?.value ?? null, right.get(id)?.value ?? null]
    return isSame(one, other) ? [] : [{ id, title: parameterTitle(id), a: one, b: other }]
  })
}

function isSame(a: string | null, b: string | null): boolean {
  if (a === b) return true
  if (a === null || b === null || a === '' || b === '') return false
  return Number(a) === Number(b) || a.toLowerCase() === b.toLowerCase()
}
