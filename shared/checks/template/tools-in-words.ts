import { counted } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { systemText } from '../texts/system-text.ts'
import { wayOfTool } from './declared-tools.ts'
import { promptText, promptTools } from './prompt-tools.ts'
import { isAnswered } from './stray-call.ts'

/** What is kept of a row whose system text names the tool that its model calls, and whose prompt has no schema of it. */
export interface NamedTool {
  readonly prompt: readonly [number, number]
  readonly call: readonly [number, number]
  readonly called: string
}

/**
 * How the prompt has the tool that is called, where the record has none: by its name alone, or by a schema (then the hash of the system text beside it, as a
 * template would have written it without tools). A text that tells how to call a tool (a signature, a tag) describes it, whatever other prompts have.
 */
export function namedToolFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'namedTool' | 'besideSchema'> | null {
  const { segmentation, tokenizer, ids } = view
  const found = promptTools(view)
  if (found === null || segmentation === null || tokenizer === null) return null
  const { prompt, call, called, names, state } = found
  if (call === null || called === null || state === 'missing') return null
  const system = systemText(tokenizer.table, ids, segmentation)
  if (system === null) return null
  const way = wayOfTool(promptText(view, prompt), system.text, called)
  if (way === 'schema') return { besideSchema: `${system.hashBesideSchema} ${called}` }
  if (way === null || names.length > 0 || !isAnswered(view)) return null
  return { namedTool: { prompt: [prompt.start, prompt.end], call: [call.start, call.end], called } }
}

/** Fewer prompts with the schema show no custom. */
const FEWEST_WITH_SCHEMA = 2

/** Rollouts of one system text and one tool. */
interface OfTool {
  /** Those that call it and whose prompts have its schema, and the first of them. */
  withSchema: number
  first: string | null
  /** Those that call it and whose prompts have the text alone. */
  readonly calling: TrajectoryFacts[]
}

interface OfText {
  /** Rollouts whose prompts have no schema beside the text, be it that they call nothing. */
  without: number
  readonly tools: Map<string, OfTool>
}

/**
 * Names prompts that only name a tool where others of the same system text hold its schema as well: the template was given the tools for some alone. Where
 * tools are given to some questions and not to others, a model that has none mostly answers without.
 */
export function* lookAtToolsInWords({ facts, settings }: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('namedTool') || columns.isEmpty('besideSchema')) return
  const texts = yield* findingTexts(facts)
  yield* forEachOf(facts, (member) => {
    const { besideSchema } = member
    if (besideSchema === undefined) {
      const text = texts.get(wordsOf(member))
      if (text !== undefined) text.without++
      return
    }
    const at = besideSchema.indexOf(' ')
    const same = texts.get(besideSchema.slice(0, at))?.tools.get(besideSchema.slice(at + 1))
    if (same === undefined) return
    same.withSchema++
    same.first ??= member.id
  })
  const share = settings.thresholds['named-call-share']
  for (const { without, tools } of texts.values()) {
    for (const tool of tools.values()) {
      if (tool.withSchema < FEWEST_WITH_SCHEMA || tool.calling.length < share * without) continue
      yield* forEachOf(tool.calling, (member) => tell(member, tool, report))
    }
  }
}

/** System texts that name a tool by which a rollout calls it, by their hashes. */
function* findingTexts(facts: readonly TrajectoryFacts[]): Steps<ReadonlyMap<string, OfText>> {
  const texts = new Map<string, OfText>()
  yield* forEachOf(facts, (member) => {
    const called = member.namedTool?.called
    if (called === undefined) return
    const words = wordsOf(member)
    const text = texts.get(words) ?? { without: 0, tools: new Map<string, OfTool>() }
    texts.set(words, text)
    const tool = text.tools.get(called)
    if (tool === undefined) text.tools.set(called, { withSchema: 0, first: null, calling: [member] })
    else tool.calling.push(member)
  })
  return texts
}

/** What `besideSchema` begins with in a prompt of the same text that has a schema. */
function wordsOf({
  systemWithoutTools,
  systemHash,
}: Pick<TrajectoryFacts, 'systemWithoutTools' | 'systemHash'>): string {
  return systemWithoutTools ?? systemHash ?? ''
}

/** Whether one of two system texts is the other and a schema, of a tool that both rollouts call: T07 tells that. */
export function differBySchema(one: TrajectoryFacts, other: TrajectoryFacts): boolean {
  return isTextOf(one, other) || isTextOf(other, one)
}

function isTextOf(member: TrajectoryFacts, { besideSchema }: TrajectoryFacts): boolean {
  const called = member.namedTool?.called
  return called !== undefined && besideSchema === `${wordsOf(member)} ${called}`
}

function tell(member: TrajectoryFacts, { withSchema, first }: OfTool, report: DumpReporter): void {
  if (member.namedTool === undefined) return
  const { prompt, call, called } = member.namedTool
  report.unitAfterAll()
  report.fault({
    member,
    tokens: { start: prompt[0], end: prompt[1] },
    message: `The prompt names ${called}, which the model calls, and has no schema of it; those of ${counted(withSchema, 'rollout')} with the same system text have one`,
    evidence: {
      prompt_tokens: prompt[1] - prompt[0],
      tools: [],
      absent: [called],
      called,
      first_call: call,
      compared_with: first,
      with_schema: withSchema,
    },
  })
}
