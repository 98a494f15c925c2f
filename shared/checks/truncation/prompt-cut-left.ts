import type { Turn } from '../../model/tokens.ts'
import type { Check, DumpReporter, DumpView, Reporter, TrajectoryView } from '../check.ts'
import { encoded } from '../encoded.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { namedParts } from './what-was-lost.ts'

/** C01. The ids begin inside a turn, or with another turn than the other rollouts of the same prompt. */
export const promptCutLeft: Check = {
  code: 'C01',
  name: 'prompt-cut-left',
  title: 'Prompt is cut on the left',
  hypotheses: ['H04'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'sequence starts',
  why: 'The system prompt and the tool schema stand first, so a left cut trains the model on calls to tools it was never shown.',
  fix: 'Drop or shorten prompts above the limit instead of cutting them, or raise the prompt limit.',
  cite: 'TRL#3601, TRL#3569, verl#506, prime-rl#2013',
  trajectory: lookAtStart,
  dump: lookAtSiblings,
}

/** Starts that the ids alone decide. A row that opens with another turn than a system turn waits for its siblings. */
function lookAtStart(view: TrajectoryView, _settings: unknown, report: Reporter): void {
  const { segmentation, trajectory } = view
  // Raw text without a single turn header is a base model's prompt, not a cut chat.
  if (segmentation === null || !segmentation.turns.some(({ header }) => header === 'present')) return
  if (!segmentation.cutLeft) {
    if (!waitsForSiblings(view.facts)) report.place(false)
    return
  }
  const start = segmentation.padding.left
  // A row that stores the completion alone begins with sampled text, by design.
  if (trajectory.promptLength === 0 || view.mask?.[start] === 1 || view.trajectory.sampled?.[start] === 1) return
  const turn = segmentation.turns[0] ?? null
  const end = turn === null ? Math.min(start + 1, view.ids.length) : Math.max(turn.end, start + 1)
  const before = lostPrompt(view, turn)
  const lost = before?.tokens ?? null
  report.place(true)
  report.fault({
    turn,
    tokens: { start, end },
    // What is wrong is what is missing; the tokens that are left carry no fault of their own.
    affected: [],
    message: `The sequence begins inside a turn: ${
      lost === null ? 'what stood before is lost' : `${lost} tokens of its messages or more are lost`
    }`,
    evidence: {
      first_token: view.ids[start] ?? null,
      first_text: view.text({ start, end: Math.min(end, start + 24) }),
      prompt_tokens: trajectory.promptLength,
      max_prompt_length: trajectory.limits?.max_prompt_length ?? null,
      cut: 'left',
      lost_tokens_estimated: lost,
      lost_parts: before === null ? null : lostParts(view, before.text),
    },
  })
}

/** The tool schema is rendered and not in the messages: it is lost where its record has tools and no name of theirs is left in the prompt. */
function lostParts(view: TrajectoryView, before: string): string[] {
  const { trajectory, segmentation, ids } = view
  const names = (trajectory.tools ?? []).flatMap((tool) => JSON.stringify(tool)?.match(/"name":"([^"]+)"/)?.[1] ?? [])
  const first = segmentation?.turns.find(({ kind }) => kind === 'assistant')?.start ?? ids.length
  const prompt = names.length === 0 ? '' : view.text({ start: segmentation?.padding.left ?? 0, end: first })
  const noSchema = names.length > 0 && !names.some((name) => prompt.includes(name))
  return [...namedParts(trajectory, before), ...(noSchema ? ['tool schema'] : [])]
}

/** Characters of the first visible text by which it is found in the messages. */
const FIRST_TEXT = 60

/**
 * What of the messages stands before the first visible text; null where the messages do not hold that text. What the
 * template adds around messages (headers, tool schemas) is not in them, so more may be lost.
 */
function lostPrompt(
  view: TrajectoryView,
  turn: Turn | null,
): { readonly tokens: number; readonly text: string } | null {
  const { messages } = view.trajectory
  const tokenizer = view.tokenizer
  if (messages === null || tokenizer === null || turn === null) return null
  // From the very first token: where a header was cut, nothing tells its rest from content. The cut may fall inside a character.
  const visible = view
    .text({ start: turn.start, end: turn.contentEnd })
    .replace(/^\uFFFD+/u, '')
    .slice(0, FIRST_TEXT)
  if (visible.trim() === '') return null
  let tokens = 0
  let text = ''
  for (const { content } of messages) {
    if (content === null) continue
    const at = content.indexOf(visible)
    const missing = at < 0 ? content : content.slice(0, at)
    const ids = encoded(tokenizer, missing)
    if (ids === null) return null
    tokens += ids.length
    text += `${missing}\n`
    if (at >= 0) return { tokens, text }
  }
  return null
}

function waitsForSiblings(facts: TrajectoryFacts): boolean {
  return facts.group !== null && typeof facts.firstRole === 'string' && facts.firstRole !== 'system'
}

/** Whole messages may be dropped from the left: the row then begins with a header, but not with its siblings' system turn. */
function lookAtSiblings(view: DumpView, report: DumpReporter): void {
  const siblings = new Map<TrajectoryFacts, readonly TrajectoryFacts[]>()
  for (const { members } of view.groups) for (const member of members) siblings.set(member, members)
  // Once for each group: a group may be a whole dump.
  const starts = new Map<readonly TrajectoryFacts[], ReturnType<typeof wholeStarts>>()
  for (const facts of view.facts) {
    if (!waitsForSiblings(facts)) continue
    const group = siblings.get(facts) ?? []
    const start = starts.get(group) ?? wholeStarts(group)
    starts.set(group, start)
    const { whole, prompt } = start
    const affected = whole.length * 2 > group.length
    report.unit(affected)
    report.place(affected)
    if (!affected) continue
    const lost = prompt === null || facts.promptLength === null ? null : Math.max(0, prompt - facts.promptLength)
    report.fault({
      member: facts,
      message: `The sequence begins with a ${facts.firstRole} turn, ${whole.length} of ${group.length} rollouts of its group with a system turn${
        lost === null ? '' : `; about ${lost} tokens are lost`
      }`,
      evidence: {
        first_role: facts.firstRole,
        whole_sibling: whole[0]?.id ?? null,
        siblings: group.length,
        siblings_with_system_turn: whole.length,
        prompt_tokens: facts.promptLength,
        sibling_prompt_tokens: prompt,
        lost_tokens_estimated: lost,
      },
    })
  }
}

/** The rollouts of a group that begin with a system turn, and the length of their prompts. */
function wholeStarts(group: readonly TrajectoryFacts[]) {
  const whole = group.filter(({ firstRole }) => firstRole === 'system')
  return { whole, prompt: median(whole.flatMap(({ promptLength }) => promptLength ?? [])) }
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? null
}
