import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { howToDump, type TokenStream } from '../../shared/formats/dump-switches.ts'
import type { Format } from '../../shared/formats/format.ts'
import { FORMATS } from '../../shared/formats/registry.ts'
import type { Stream } from '../../shared/model/streams.ts'
import { wrappedItem } from './wrapped.ts'

/** Columns of the table: what decides how much can be said of a dump. */
const COLUMNS: readonly (readonly [string, Stream])[] = [
  ['ids', 'ids'],
  ['mask', 'mask'],
  ['sampler', 'logprobs.sampler'],
  ['trainer', 'logprobs.trainer'],
  ['reference', 'logprobs.reference'],
  ['advantages', 'advantages'],
  ['rewards', 'rewards'],
  ['groups', 'group'],
  ['messages', 'messages'],
]

const SWITCHED: readonly TokenStream[] = [
  'ids',
  'mask',
  'logprobs.sampler',
  'logprobs.trainer',
  'logprobs.reference',
  'advantages',
  'entropy',
  'kl',
]

const OVERVIEW = 'overview'

/** The page with its table and the facts of each format as the registry has them. Throws where a format has no place on it, or a place no format. */
export function withFormatFacts(page: string, fixtures: string): string {
  const missing = FORMATS.filter(({ id }) => !page.includes(begin(id)))
  if (missing.length > 0) throw new Error(`docs/formats.md has no place for ${missing.map(({ id }) => id).join(', ')}.`)
  return page.replace(
    /<!-- facts of (\S+) -->[\s\S]*?<!-- end of facts -->/g,
    (_, id: string) => `${begin(id)}\n\n${factsOf(id, fixtures).join('\n')}\n\n<!-- end of facts -->`,
  )
}

function begin(id: string): string {
  return `<!-- facts of ${id} -->`
}

function factsOf(id: string, fixtures: string): string[] {
  if (id === OVERVIEW) return overview()
  const format = FORMATS.find((known) => known.id === id)
  if (format === undefined) throw new Error(`docs/formats.md tells of ${id}, which is no format.`)
  const facts = [
    ...(id === 'native' ? [] : [origin(format, fixtures)]),
    `Can hold ${words(format.streams)}.`,
    ...(format.policy === null ? [] : [`Policy \`${format.policy.id}\`: ${format.policy.evidence}.`]),
    ...placeholder(format),
    ...(format.maskAlignment === null && format.streams.includes('mask')
      ? ['The file does not settle whether masks mark tokens or targets: the ids do, else `--mask-alignment`.']
      : []),
    ...(format.groupsByOrder
      ? [
          'Where no group is named, consecutive rollouts are one: `--group-size` at a time, without it as many as answer one question each.',
        ]
      : []),
    ...joinsOf(format),
    ...switchesOf(format),
  ]
  return facts.map(wrappedItem)
}

function overview(): string[] {
  const cells = (list: readonly string[]) => `| ${list.join(' | ')} |`
  return [
    cells(['format', ...COLUMNS.map(([title]) => title)]),
    cells(['---', ...COLUMNS.map(() => '---')]),
    ...FORMATS.map(({ id, streams }) =>
      cells([`[\`${id}\`](#${id})`, ...COLUMNS.map(([, stream]) => (streams.includes(stream) ? 'yes' : '–'))]),
    ),
  ]
}

/** Where the layout was read, and the versions of the fixtures, whose folders are named after what wrote them. */
function origin({ id, writer: { project, file, version } }: Format, fixtures: string): string {
  const eras = readdirSync(join(fixtures, id)).sort().join(', ')
  return `Read off ${project}, \`${file}\`, \`${version}\`; tried on files of ${eras}.`
}

function words(streams: readonly Stream[]): string {
  return streams.map((stream) => `\`${stream}\``).join(', ')
}

function placeholder({ unsampledLogprob }: Format): string[] {
  if (unsampledLogprob !== 0) return []
  return [
    'Sampler logprobs are 0.0 on tokens that were not sampled. On a token that was, 0.0 is a logprob like any other.',
  ]
}

function joinsOf({ id, joins }: Format): string[] {
  return [...new Set((joins ?? []).map(({ on }) => on))].map((on) => {
    const partners = FORMATS.filter((other) => other.id !== id && (other.joins ?? []).some((join) => join.on === on))
    const others = partners.length === 0 ? 'others of its kind' : partners.map((other) => `\`${other.id}\``).join(', ')
    return `Joined by ${on} with ${others}, where they are opened together.`
  })
}

/** One line for each advice, with the streams that it brings. */
function switchesOf({ id }: Format): string[] {
  const streams = new Map<string, TokenStream[]>()
  for (const stream of SWITCHED) {
    const advice = howToDump(id, stream)
    const told = /^To have it, (.*)\.$/s.exec(advice)?.[1]
    if (told === undefined || id === 'native') continue
    streams.set(told, [...(streams.get(told) ?? []), stream])
  }
  return [...streams].map(([advice, brought]) => `For ${words(brought)}: ${advice}.`)
}
