import { isFields } from './vocabulary.ts'

/**
 * The text of a `tokenizer_config.json` with the template of the `chat_template.jinja` beside it, which goes before its own, as Transformers
 * reads them. A text that is no object is left as it is, to be refused where it is read.
 */
export function configWithTemplate(config: string | null, template: string | null): string | null {
  if (template === null) return config
  try {
    const fields: unknown = config === null ? {} : JSON.parse(config)
    return isFields(fields) ? JSON.stringify({ ...fields, chat_template: template }) : config
  } catch {
    return config
  }
}

/** The template's Jinja source in a `tokenizer_config.json`; of several named ones, the one called `default`. */
export function chatTemplate(config: unknown): string | null {
  const template = isFields(config) ? config.chat_template : null
  if (typeof template === 'string') return template
  if (!Array.isArray(template)) return null
  const entries = template.filter((entry) => isFields(entry) && typeof entry.template === 'string')
  const chosen = entries.find((entry) => entry.name === 'default') ?? entries[0]
  return chosen?.template ?? null
}
