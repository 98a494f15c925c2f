import { count, counted } from '../../model/number-text.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { datasetLacks } from './dataset.ts'
import { type PromptLengths, promptLengths } from './dataset-lengths.ts'
import { distinctPrompts, matchRollouts } from './dataset-match.ts'

/**
 * C11. Prompts of the dataset that were dropped for their length before anything was rolled out. A dump holds a part of a dataset, so
 * prompts without a rollout are no fault: that all of the longest are without one is, where chance does not leave out just these.
 */
export const rowsDropped: Check = {
  code: 'C11',
  name: 'rows-dropped',
  title: 'The longest prompts of the dataset have no rollout',
  hypotheses: ['H04'],
  severity: 'info',
  unit: 'source',
  needs: [],
  beside: 'the dataset of the run (--dataset FILE…)',
  looksAt: 'prompts of a dataset',
  why: 'A filter took the long prompts out before the run: nothing is learned from them, and the dump looks healthy.',
  fix: 'Count what the filter drops, with tools and template in the prompt; raise max_prompt_length, or shorten the prompts.',
  cite: 'verl#502, verl#506, tinker-cookbook#822',
  dump: lookAtDataset,
}

/** Prompts that evidence shows. */
const MOST_LISTED = 8

function lookAtDataset(view: DumpView, report: DumpReporter): void {
  const compared = compare(view)
  if (typeof compared === 'string') {
    report.abstain('not-checkable', compared)
    return
  }
  const { facts, limits, limitsByRollout, settings } = view
  const { thresholds } = settings
  const { dataset, prompts, matched } = compared
  const { seen, by } = matched
  const lengths = promptLengths(prompts, seen)
  const longestPrompt = facts.reduce<number | null>((most, { promptLength }) => {
    return promptLength === null ? most : Math.max(most ?? 0, promptLength)
  }, null)
  const limit = limits.max_prompt_length?.value ?? null
  const numbers = {
    dataset: dataset.names,
    prompts: prompts.length,
    with_rollouts: seen.size,
    without_rollouts: prompts.length - seen.size,
    matched_by: by,
    ...(lengths === null ? {} : numbersOf(lengths)),
    longest_prompt_of_a_rollout: longestPrompt,
    max_prompt_length: limit ?? (limitsByRollout?.max_prompt_length === undefined ? null : 'several'),
    ends_at_limit:
      limit === null || longestPrompt === null
        ? null
        : longestPrompt <= limit && longestPrompt >= limit - thresholds['near-limit-tokens'],
    ...(dataset.withoutPrompt > 0 ? { records_without_prompt: dataset.withoutPrompt } : {}),
    ...(dataset.problems.length > 0 ? { not_read: dataset.problems.map(({ message }) => message) } : {}),
  }
  report.context(numbers)
  if (lengths === null) {
    report.abstain('not-checkable', 'the lengths of some prompts of the dataset are not known')
    return
  }
  const { tail, chance, inOrder, unit, longest } = lengths
  const unlikely = tail.length > 0 && chance <= thresholds['dropped-chance']
  if (unlikely && inOrder) {
    report.abstain(
      'not-checkable',
      `${longestOnes(tail.length).toLowerCase()} prompts of the dataset have no rollout, but those that have one stand together at one end of it: the run may not have come to the others yet`,
    )
    return
  }
  const affected = unlikely
  const dropped = new Set(affected ? tail.map(({ prompt }) => prompt) : [])
  report.unit(affected)
  for (const prompt of prompts) report.place(dropped.has(prompt))
  if (!affected) return
  const shortestFirst = tail.toSorted((a, b) => a.length - b.length)
  report.fault({
    scope: 'source',
    message: `${longestOnes(tail.length)} of the ${counted(prompts.length, 'prompt')} of the dataset ${tail.length === 1 ? 'has' : 'have'} no rollout: from ${shortestFirst[0]?.length} ${unit}, where the longest with a rollout has ${longest}${limit === null ? '' : `, and max_prompt_length is ${limit}`}`,
    evidence: {
      ...numbers,
      dropped: tail.length,
      examples: shortestFirst
        .slice(0, MOST_LISTED)
        .map(({ prompt, length }) => ({ id: prompt.id, length, text: prompt.text })),
    },
  })
}

/** The prompts of the dataset and which of them have rollouts; a reason where that cannot be told. */
function compare({ dataset = null, facts, settings: { thresholds } }: DumpView) {
  if (dataset === null) return 'which prompts have no rollout only the dataset tells: give it with --dataset'
  if (!dataset.complete) return 'the dataset has not been read to its end'
  const prompts = distinctPrompts(dataset.prompts)
  const given = dataset.prompts.length
  if (given === 0) return datasetLacks(dataset)
  if (prompts.length === 1 && given > 1) return `all ${given} prompts of the dataset begin with one question`
  const matched = matchRollouts(prompts, facts, thresholds)
  if (matched === null) {
    return 'no rollout is of a prompt of the dataset: it is of another run, or its prompts are worded otherwise'
  }
  if (matched.rollouts < thresholds['dataset-match-share'] * facts.length) {
    return `only ${count(matched.rollouts)} of ${counted(facts.length, 'rollout')} are of a prompt of the dataset`
  }
  return { dataset, prompts, matched }
}

function longestOnes(count: number): string {
  return count === 1 ? 'The longest' : `The ${count} longest`
}

function numbersOf({ unit, longest, tail, chance, inOrder, histogram }: PromptLengths): Record<string, unknown> {
  return {
    lengths_in: unit,
    longest_with_rollouts: longest,
    longer_than_any_with_rollouts: tail.length,
    chance_of_that: chance,
    in_order_of_dataset: inOrder,
    lengths: histogram,
  }
}
