import { type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { type PromptTools, promptTools } from './prompt-tools.ts'
import { lookAtStrayCalls, strayCall } from './stray-call.ts'
import { lookAtToolsInWords } from './tools-in-words.ts'
import { lookAtToolsLeftOut } from './tools-left-out.ts'

export const T07: Check = {
  code: 'T07',
  name: 'tools-missing',
  title: 'Tools are missing from the prompt, or differ in it',
  hypotheses: ['H02', 'H08'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'rollouts with tools or tool calls',
  why: 'The sampler saw the tools, training does not, or sees others: the policy is trained to call what its context does not mention.',
  fix: 'Give the same tools to the chat template when the training prompt is rendered as at inference.',
  cite: 'verifiers e7a6cae, slime#1073, TRL#6515',
  trajectory(view, _settings, report) {
    const found = promptTools(view)
    // Whether one of these is a fault the other rollouts tell.
    if (found === null || strayCall(view) !== null) return
    const { prompt, call, called, names, absent, state, altered, takesOthers } = found
    report.place(state !== 'described')
    if (state === 'described') return
    report.fault({
      scope: 'trajectory',
      tokens: prompt,
      affected: [],
      // What it may call is there, in other words, or as the model calls it (decision 36).
      ...(state === 'altered' && !takesOthers ? { severity: 'warning' } : {}),
      message: () => described(found),
      evidence: () => ({
        prompt_tokens: prompt.end - prompt.start,
        tools: names,
        ...(state === 'altered' ? { altered } : { absent }),
        called,
        first_call: call === null ? null : [call.start, call.end],
      }),
    })
  },
  dump: lookAtOthers,
}

function* lookAtOthers(view: DumpView, report: DumpReporter): Steps<void> {
  const told = lookAtStrayCalls(view, report, ({ prompt: [start, end], call, called }) => ({
    tokens: { start, end },
    message: UNDESCRIBED,
    evidence: { prompt_tokens: end - start, tools: [], absent: [], called, first_call: call },
  }))
  yield* within(0, 0.5, told)
  yield* within(0.5, 0.75, lookAtToolsLeftOut(view, report))
  yield* within(0.75, 1, lookAtToolsInWords(view, report))
}

const UNDESCRIBED = 'The model calls a tool, the prompt describes none'

/** Alterations that a sentence names. */
const MOST_NAMED = 3

function described({ state, names, absent, call, altered }: PromptTools): string {
  if (state === 'altered') {
    const more = altered.length > MOST_NAMED ? `, and ${altered.length - MOST_NAMED} more` : ''
    return `The prompt describes tools otherwise than the record does: ${altered.slice(0, MOST_NAMED).join('; ')}${more}`
  }
  if (state === 'some') {
    return `The model calls ${absent.join(', ')}, which the record has and the prompt does not describe beside its other tools: it was rendered without`
  }
  if (state === 'others') {
    return `The prompt describes tools and names none of ${names.join(', ')}, which the record has: it was rendered with others`
  }
  if (call !== null) return UNDESCRIBED
  return `The record has ${names.length === 1 ? 'a tool' : `${names.length} tools`} (${names.join(', ')}), the prompt describes none`
}
