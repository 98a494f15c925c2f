import type { Span } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { writtenTurns } from '../edges.ts'

export const T07: Check = {
  code: 'T07',
  name: 'tools-missing',
  title: 'Tool schema is missing from the prompt',
  hypotheses: ['H02', 'H08'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'trajectories with tools or tool calls',
  why: 'The sampler saw the tools, training does not: the policy is trained to call what its context never mentions.',
  fix: 'Give the tools to the chat template when the training prompt is rendered, as at inference.',
  cite: 'verifiers e7a6cae, slime#1073, TRL#6515',
  trajectory(view, _settings, report) {
    const { segmentation, trajectory } = view
    // A prompt that was cut on the left may have lost its schema with its start, which is C01.
    if (segmentation === null || segmentation.cutLeft) return
    const turns = writtenTurns(segmentation)
    const first = turns[0]
    if (first === undefined) return
    const call = turns.flatMap(({ spans }) => spans).find(({ part }) => part === 'tool_call')
    const names = toolNames(trajectory.tools)
    if (call === undefined && names.length === 0) return
    const prompt = { start: segmentation.padding.left, end: first.start }
    const text = view.text(prompt)
    const described = isDescribed(text, names, call === undefined ? null : calledName(view, call))
    const absent = described ? absentTools(view, text, names) : []
    report.place(!described || absent.length > 0)
    if (described && absent.length === 0) return
    report.fault({
      scope: 'trajectory',
      tokens: prompt,
      affected: [],
      message: described
        ? `The prompt describes tools and names none of ${absent.join(', ')}, which the record has: it was rendered with others`
        : call === undefined
          ? `The record has ${names.length === 1 ? 'a tool' : `${names.length} tools`} (${names.join(', ')}), the prompt describes none`
          : 'The model calls a tool, the prompt describes none',
      evidence: {
        prompt_tokens: prompt.end - prompt.start,
        tools: names,
        absent: described ? absent : names,
        called: call === undefined ? null : calledName(view, call),
        first_call: call === undefined ? null : [call.start, call.end],
      },
    })
  },
}

/** The record's tools, where a prompt that is whole holds the name of none of them; a choice among many tools is no fault. */
function absentTools({ segmentation }: TrajectoryView, prompt: string, names: readonly string[]): readonly string[] {
  const whole = segmentation?.turns.every(({ kind, endToken }, i, turns) => {
    return endToken >= 0 || kind === 'assistant' || turns.slice(0, i).some((turn) => turn.kind === 'assistant')
  })
  return whole && names.every((name) => !prompt.includes(name)) ? names : []
}

/** Names in the usual two shapes of a schema: `{function: {name}}` and `{name}`. */
function toolNames(tools: readonly unknown[] | null): string[] {
  return (tools ?? []).flatMap((tool) => {
    const schema = tool as { name?: unknown; function?: { name?: unknown } } | null
    const name = schema?.function?.name ?? schema?.name
    return typeof name === 'string' && name !== '' ? [name] : []
  })
}

function calledName(view: TrajectoryView, call: Span): string | null {
  const text = view.text(call)
  return /"name"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? /([A-Za-z_][\w.]*)\s*\(/.exec(text)?.[1] ?? null
}

/**
 * Whether a prompt holds the schema of tools. Templates write it as a `# Tools` or `<tools>` block or as JSON with the names; people
 * write signatures. A name in mere prose is enough only where the record itself has no schema that could be missing.
 */
function isDescribed(prompt: string, names: readonly string[], called: string | null): boolean {
  if (/# Tools|<tools>|<tool_call>|"parameters"\s*:|AVAILABLE_TOOLS/.test(prompt)) return true
  const known = names.length > 0 ? names : called === null ? [] : [called]
  if (names.length === 0) return called === null || known.some((name) => prompt.includes(name))
  return known.some((name) => {
    const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return new RegExp(`["'\`]${escaped}["'\`]\\s*[:,}\\])]|\\b${escaped}\\s*\\(|"name"\\s*:\\s*"${escaped}"`).test(
      prompt,
    )
  })
}
