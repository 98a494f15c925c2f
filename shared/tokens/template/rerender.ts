import type { Message } from '../../model/trajectory.ts'
import type { Tokenizer } from '../tokenizer.ts'
import { learnTemplate } from './learn.ts'
import type { LearnedTemplate } from './learned-template.ts'
import { type ChatTemplate, chatTemplate, templateMessages } from './render.ts'
import { TemplateError } from './template-error.ts'

/** Characters of the longest conversation that is rendered again: beyond it, a dump of hostile text would cost minutes. */
const LONGEST = 1 << 20

const compiled = new WeakMap<object, ChatTemplate | null>()

/** The text that a tokenizer's own template gives for messages; null without a template, where it refuses them, or where they are too long. */
export function rerender(
  tokenizer: Pick<Tokenizer, 'template' | 'frame' | 'table'>,
  messages: readonly Message[],
  tools: readonly unknown[] | null,
): string | null {
  const length = messages.reduce(
    (sum, { content, reasoning }) => sum + (content?.length ?? 0) + (reasoning?.length ?? 0),
    0,
  )
  if (length > LONGEST) return null
  let template = compiled.get(tokenizer.table)
  if (template === undefined) {
    template = orNull(() =>
      tokenizer.template === null ? null : chatTemplate(tokenizer.template, tokenizer.frame?.names),
    )
    compiled.set(tokenizer.table, template)
  }
  return orNull(() => template?.render(templateMessages(messages), { tools }) ?? null)
}

const learned = new WeakMap<object, LearnedTemplate | null>()

/** What a tokenizer's template does; null without one, or where it cannot be learned. */
export function learnedTemplateOf(
  tokenizer: Pick<Tokenizer, 'template' | 'frame' | 'learned'>,
): LearnedTemplate | null {
  let known = learned.get(tokenizer)
  if (known === undefined) {
    const { template, frame, learned: built } = tokenizer
    known = template === null ? null : (built ?? orNull(() => learnTemplate(template, frame?.names)))
    learned.set(tokenizer, known)
  }
  return known
}

/** A reason is a sentence, whatever a template raises. */
const LONGEST_REASON = 200

/** Why a template cannot be learned at all: it cannot be parsed, or refuses a plain conversation. Null where it can. */
export function templateFault(template: string): string | null {
  try {
    learnTemplate(template)
    return null
  } catch (error) {
    if (error instanceof TemplateError) return error.message.slice(0, LONGEST_REASON)
    throw error
  }
}

function orNull<T>(run: () => T | null): T | null {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
