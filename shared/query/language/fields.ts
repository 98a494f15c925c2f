import { flag, type QueryField, text } from './field.ts'
import { ROLLOUT_FIELDS } from './rollout-fields.ts'
import { PLACE_FIELDS, TOKEN_FIELDS } from './token-fields.ts'

/** What people attached. */
const MARK_FIELDS: readonly QueryField[] = [
  flag({
    name: 'flag',
    also: ['flagged'],
    title: 'flagged',
    means: 'A person flagged it.',
    reads: 'marks',
    example: '-flag',
  }),
  text({
    name: 'label',
    also: ['labels'],
    title: 'label',
    means: 'A label that a person gave to it.',
    reads: 'marks',
    example: 'label:"reward hack"',
  }),
  text({
    name: 'note',
    also: ['notes'],
    title: 'note',
    means: 'Words in a note that a person wrote on it or on some of its tokens.',
    reads: 'marks',
    match: 'contains',
    example: 'note:template',
  }),
]

/** All fields, in the order in which they are listed. */

/** All fields under what they are about, in the order in which they are listed. */
export const FIELD_GROUPS: readonly { readonly title: string; readonly fields: readonly QueryField[] }[] = [
  { title: 'Of rollouts', fields: ROLLOUT_FIELDS },
  { title: 'Which tokens are meant', fields: PLACE_FIELDS },
  { title: 'Measures of a token', fields: TOKEN_FIELDS },
  { title: 'What people attached', fields: MARK_FIELDS },
]

export const QUERY_FIELDS: readonly QueryField[] = FIELD_GROUPS.flatMap(({ fields }) => fields)

const BY_NAME: ReadonlyMap<string, QueryField> = new Map(
  QUERY_FIELDS.flatMap((field) => [field.name, ...field.also].map((name) => [name, field] as const)),
)

/** Everything that is read as the name of a field. */
export const FIELD_NAMES: readonly string[] = [...BY_NAME.keys()]

/** The field of a name, in any case; `reward.format` is not one. */
export function fieldNamed(name: string): QueryField | null {
  return BY_NAME.get(name.toLowerCase()) ?? null
}
