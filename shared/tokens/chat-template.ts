import { isFields } from './vocabulary.ts'

/** The template's Jinja source in a `tokenizer_config.json`; of several named ones, the one called `default`. */
export function chatTemplate(config: unknown): string | null {
  const template = isFields(config) ? config.chat_template : null
  if (typeof template === 'string') return template
  if (!Array.isArray(template)) return null
  const entries = template.filter((entry) => isFields(entry) && typeof entry.template === 'string')
  const chosen = entries.find((entry) => entry.name === 'default') ?? entries[0]
  return chosen?.template ?? null
}
