import type { RolloutAnatomy } from './anatomy.ts'

/** Limits that are tried, in tokens; null = none. */
export interface TriedLimits {
  readonly max_prompt_length: number | null
  readonly max_completion_length: number | null
  readonly max_seq_len: number | null
  readonly max_tool_response_length: number | null
}
export const TRIED_LIMITS = [
  'max_prompt_length',
  'max_completion_length',
  'max_seq_len',
  'max_tool_response_length',
] as const satisfies readonly (keyof TriedLimits)[]
export type TriedLimit = (typeof TRIED_LIMITS)[number]

/**
 * What a trainer does with a prompt above its limit: keep its end (TRL before 0.20, verl `left`), keep its beginning (verl `right`), keep both
 * ends (verl `middle`), or leave the row out (verl `filter_overlong_prompts`).
 */
export const PROMPT_CUTS = ['left', 'right', 'middle', 'drop'] as const
export type PromptCut = (typeof PROMPT_CUTS)[number]

/** What a completion limit holds for: all that follows the prompt, or each assistant turn. */
export const COMPLETION_LIMITS = ['completion', 'turn'] as const
export type CompletionLimit = (typeof COMPLETION_LIMITS)[number]

/** How limits cut, where trainers differ. */
export interface CutRules {
  readonly promptCut: PromptCut
  readonly completionPer: CompletionLimit
}

/** What limits leave of one rollout. */
export interface CutRollout {
  /** Limits that took something, in the order in which they are applied. */
  readonly by: readonly TriedLimit[]
  /** The row is not trained at all. */
  readonly dropped: boolean
  /** Runs of tokens that stay, as pairs. */
  readonly kept: readonly number[]
}

/**
 * Applies limits in the order in which a run meets them: replies as they come, the prompt, turns or the completion, the whole. What
 * follows a reply or a turn that is cut stays, as far as the other limits let it.
 */
export function cutRollout(anatomy: RolloutAnatomy, limits: TriedLimits, rules: CutRules): CutRollout {
  const { promptCut, completionPer } = rules
  const { length, prompt, replies } = anatomy
  const by: TriedLimit[] = []
  let kept: number[] = length > 0 ? [0, length] : []
  const apply = (name: TriedLimit, next: number[]) => {
    if (sizeOf(next) < sizeOf(kept)) by.push(name)
    kept = next
  }
  const { max_tool_response_length: perReply, max_prompt_length: perPrompt } = limits
  if (perReply !== null) {
    let next = kept
    for (let i = 0; i < replies.length; i += 2) {
      next = without(
        next,
        Math.min((replies[i] as number) + perReply, replies[i + 1] as number),
        replies[i + 1] as number,
      )
    }
    apply('max_tool_response_length', next)
  }
  if (perPrompt !== null && prompt !== null && prompt > perPrompt) {
    if (promptCut === 'drop') return { by: [...by, 'max_prompt_length'], dropped: true, kept: [] }
    const front = promptCut === 'left' ? 0 : promptCut === 'right' ? perPrompt : Math.floor(perPrompt / 2)
    apply('max_prompt_length', without(kept, front, front + prompt - perPrompt))
  }
  const { max_completion_length: perCompletion } = limits
  if (perCompletion !== null && completionPer === 'turn') {
    apply('max_completion_length', withinTurns(kept, anatomy.written, perCompletion))
  } else if (perCompletion !== null && prompt !== null) {
    apply('max_completion_length', firstAfter(kept, prompt, perCompletion))
  }
  if (limits.max_seq_len !== null) apply('max_seq_len', firstAfter(kept, 0, limits.max_seq_len))
  return { by, dropped: false, kept }
}

/** Whether what a row lost at its end, as its messages have it, would stand under these limits. */
function holdsMissing(
  { length, prompt, missing }: RolloutAnatomy,
  limits: TriedLimits,
  { completionPer }: CutRules,
): boolean {
  if (missing === null) return false
  const whole = length + missing.tokens
  const fits = (size: number | null, limit: number | null) => limit === null || (size !== null && size <= limit)
  const completion = completionPer === 'turn' ? missing.longestTurn : prompt === null ? null : whole - prompt
  return (
    fits(whole, limits.max_seq_len) &&
    fits(completion, limits.max_completion_length) &&
    fits(missing.longestReply, limits.max_tool_response_length)
  )
}

/** Runs without what the model wrote in a turn beyond its first `most` tokens. */
function withinTurns(runs: readonly number[], written: Int32Array, most: number): number[] {
  let next = [...runs]
  let turn = -1
  let room = most
  for (let i = 0; i < written.length; i += 3) {
    const start = written[i] as number
    const end = written[i + 1] as number
    if (written[i + 2] !== turn) {
      turn = written[i + 2] as number
      room = most
    }
    const taken = Math.min(room, end - start)
    room -= taken
    if (start + taken < end) next = without(next, start + taken, end)
  }
  return next
}

/** Runs without the tokens from `start` to below `end`. */
function without(runs: readonly number[], start: number, end: number): number[] {
  if (end <= start) return [...runs]
  const left: number[] = []
  for (let i = 0; i < runs.length; i += 2) {
    const from = runs[i] as number
    const to = runs[i + 1] as number
    if (from < Math.min(to, start)) left.push(from, Math.min(to, start))
    if (Math.max(from, end) < to) left.push(Math.max(from, end), to)
  }
  return left
}

/** All that stands before `from`, and the first `count` tokens from there on. */
function firstAfter(runs: readonly number[], from: number, count: number): number[] {
  const left: number[] = []
  let room = count
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i] as number
    const end = runs[i + 1] as number
    if (start < Math.min(end, from)) left.push(start, Math.min(end, from))
    const rest = Math.max(start, from)
    if (rest >= end) continue
    const taken = Math.min(room, end - rest)
    room -= taken
    if (taken > 0) left.push(rest, rest + taken)
  }
  return left
}

export function sizeOf(runs: ArrayLike<number>): number {
  let size = 0
  for (let i = 0; i < runs.length; i += 2) size += (runs[i + 1] as number) - (runs[i] as number)
  return size
}

/** Tokens from `start` to below `end` that are in the runs. */
export function within(runs: ArrayLike<number>, start: number, end: number): number {
  let size = 0
  for (let i = 0; i < runs.length; i += 2) {
    size += Math.max(0, Math.min(end, runs[i + 1] as number) - Math.max(start, runs[i] as number))
  }
  return size
}

/** What the limits cost all rollouts together. Counts of rollouts, tokens or documents. */
export interface LimitCost {
  readonly rollouts: number
  /** Of which something is cut or that are left out whole. */
  readonly cut: number
  readonly dropped: number
  /** Rollouts that each limit takes something from. */
  readonly by: Readonly<Record<TriedLimit, number>>
  readonly tokens: { readonly of: number; readonly lost: number }
  /** Null where no rollout has a mask. */
  readonly trained: { readonly of: number; readonly lost: number } | null
  /** Rollouts whose system turn, with the schema of the tools, loses tokens. */
  readonly system: Part
  readonly documents: Part
  readonly supporting: Part
  /** Of the model's last turns that are in the dump: those that lose tokens, be it only the end token, and those of which nothing stays. */
  readonly answers: AnswerPart
  /**
   * Rollouts whose answer is not whole: cut by what is tried, or in the dump and not brought back by `regained`; of those that have an
   * answer or lost it.
   */
  readonly notWhole: Part
  /** Of the rollouts that the dump has cut at their end: those of which nothing more is known, and those that would stand as their messages have them. */
  readonly regained: { readonly of: number; readonly untold: number; readonly whole: number }
  /** Tokens that stay, of the longest rollout, and of a batch that pads all to that. */
  readonly longest: number
  readonly padded: number
}

/** So many there are, and of so many at least one token is cut away. */
export interface Part {
  readonly of: number
  readonly cut: number
}

/** Answers: `cut` in part, `unreached` as a whole. None is counted twice. */
export interface AnswerPart extends Part {
  readonly unreached: number
}

export function costOf(anatomies: readonly RolloutAnatomy[], limits: TriedLimits, rules: CutRules): LimitCost {
  const by = Object.fromEntries(TRIED_LIMITS.map((name) => [name, 0])) as Record<TriedLimit, number>
  const tokens = { of: 0, lost: 0 }
  const trained = { of: 0, lost: 0 }
  const [system, documents, supporting, notWhole] = [empty(), empty(), empty(), empty()]
  const answers = { ...empty(), unreached: 0 }
  const regained = { of: 0, untold: 0, whole: 0 }
  let [cut, dropped, longest, masked] = [0, 0, 0, false]
  for (const anatomy of anatomies) {
    const result = cutRollout(anatomy, limits, rules)
    const { kept } = result
    const size = sizeOf(kept)
    for (const name of result.by) by[name]++
    if (result.dropped) dropped++
    if (size < anatomy.length) cut++
    longest = Math.max(longest, size)
    tokens.of += anatomy.length
    tokens.lost += anatomy.length - size
    if (anatomy.trained !== null) {
      masked = true
      trained.of += sizeOf(anatomy.trained)
      trained.lost += lostOf(anatomy.trained, kept)
    }
    look(system, anatomy.system, kept)
    const left = anatomy.answer === null ? 0 : within(kept, ...anatomy.answer)
    const isCut = anatomy.answer !== null && left < anatomy.answer[1] - anatomy.answer[0]
    if (anatomy.answer !== null) answers.of++
    if (isCut) answers[left === 0 ? 'unreached' : 'cut']++
    if (anatomy.answer !== null || anatomy.answerLost) notWhole.of++
    const isWhole = size === anatomy.length && holdsMissing(anatomy, limits, rules)
    if (isCut || (anatomy.answerLost && !isWhole)) notWhole.cut++
    if (anatomy.answerLost) {
      regained.of++
      if (anatomy.missing === null) regained.untold++
      else if (isWhole) regained.whole++
    }
    for (let i = 0; i < anatomy.documents.length; i += 3) {
      const place = [anatomy.documents[i] as number, anatomy.documents[i + 1] as number] as const
      look(documents, place, kept)
      if (anatomy.documents[i + 2] === 1) look(supporting, place, kept)
    }
  }
  const left = anatomies.length - dropped
  return {
    rollouts: anatomies.length,
    cut,
    dropped,
    by,
    tokens,
    trained: masked ? trained : null,
    system,
    documents,
    supporting,
    answers,
    notWhole,
    regained,
    longest,
    padded: longest * left,
  }
}

function empty(): { of: number; cut: number } {
  return { of: 0, cut: 0 }
}

function look(part: { of: number; cut: number }, place: readonly [number, number] | null, kept: readonly number[]) {
  if (place === null) return
  part.of++
  if (within(kept, place[0], place[1]) < place[1] - place[0]) part.cut++
}

function lostOf(runs: Int32Array, kept: readonly number[]): number {
  let lost = 0
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i] as number
    const end = runs[i + 1] as number
    lost += end - start - within(kept, start, end)
  }
  return lost
}
