import { count, counted } from '../../model/number-text.ts'
import type { AuditSettings, Check, Reporter, TrajectoryView } from '../check.ts'
import { encoded } from '../texts/encoded.ts'

/** C10. Prompts were accepted by their length without the tool schema, and are longer than the limit with it. */
export const schemaNotCounted: Check = {
  code: 'C10',
  name: 'schema-not-counted',
  title: 'Tool schema is not counted in the prompt limit',
  hypotheses: ['H04'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tools', 'limits', 'tokenizer'],
  looksAt: 'prompts with tools under a known prompt limit',
  why: 'The room that the schema takes is missing from the completion, which is then cut earlier than planned.',
  fix: 'Render the prompt with its tools before it is measured, or add the size of the schema to the limit.',
  cite: 'verl#3867, bdsaglam/verifiers (defect V4)',
  trajectory: lookAtPrompt,
}

function lookAtPrompt(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const { facts, trajectory, segmentation, tokenizer } = view
  const limit = settings.limits.max_prompt_length ?? trajectory.limits?.max_prompt_length ?? null
  const tools = trajectory.tools ?? []
  if (limit === null || facts.promptLength === null || tools.length === 0) return
  if (segmentation === null || tokenizer === null) return
  const schema =
    facts.promptLength > limit
      ? (encoded(tokenizer, tools.map((tool) => JSON.stringify(tool)).join('\n'))?.length ?? 0)
      : 0
  const without = facts.promptLength - schema
  const affected =
    facts.promptLength > limit && schema > 0 && without - settings.thresholds['tools-preamble-tokens'] <= limit
  report.place(affected)
  if (!affected) return
  const start = segmentation.padding.left
  report.fault({
    tokens: { start, end: start + facts.promptLength },
    affected: [],
    message: `The prompt has ${counted(facts.promptLength as number, 'token')} where ${count(limit)} are allowed; without the ${schema} of its tool schema it would have about ${without}`,
    evidence: {
      prompt_tokens: facts.promptLength,
      max_prompt_length: limit,
      schema_tokens: schema,
      prompt_tokens_without_schema: without,
      tools: tools.length,
    },
  })
}
