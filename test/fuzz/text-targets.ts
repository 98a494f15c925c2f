import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { openWorkspace } from '../../electron/workspace.ts'
import { formatAddress, HOME, parseAddress } from '../../renderer/state/address.ts'
import { PlainMarkdown } from '../../renderer/views/notebook/plain-markdown.tsx'
import type { RawRecord } from '../../shared/containers/container.ts'
import { MAP_FIELDS, mappedRecords, mappingOf, mappingText } from '../../shared/formats/mapping.ts'
import { pathsOf } from '../../shared/formats/mapping-paths.ts'
import { formatMarks, parseMarks } from '../../shared/model/marks.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { notebookText, readNotebookText } from '../../shared/notebook/notebook-file.ts'
import { ALL_HOSTILE } from '../hostile/corpus.ts'
import { DAMAGE, damaged } from './damage.ts'
import { target } from './target.ts'

const TEXT = fc.oneof(fc.constantFrom(...ALL_HOSTILE), fc.string({ unit: 'binary', maxLength: 80 }), fc.string())

/** A text with damages in its bytes. */
function damagedText(text: string): fc.Arbitrary<string> {
  const bytes = new TextEncoder().encode(text)
  return fc
    .array(DAMAGE, { minLength: 1, maxLength: 3 })
    .map((damages) => new TextDecoder().decode(damaged(bytes, damages)))
}

/** What a reader of a person's text does with what it cannot take: a sentence, and never an error of the language. */
function orSays<T>(given: string, read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    const { name, message } = error as Error
    if (['TypeError', 'RangeError', 'SyntaxError', 'ReferenceError'].includes(name)) throw error
    assert.ok(message.length > 15, message)
    if (!/undefined|\[object/.test(given)) assert.doesNotMatch(message, /undefined|\[object/)
    return null
  }
}

/** As JSON. */
const RECORD = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.constant('{"sample": {"tokens": [1, 2, 3], "mask": [0, 1, 1]}, "list": [{"ids": [4]}], "__proto__": {"x": 1}}'),
)

const PATH = fc.oneof(
  fc.constantFrom(
    'sample.tokens',
    'sample.mask',
    'list[0].ids',
    'list[9]',
    '__proto__.x',
    'constructor',
    '[0]',
    'a..b',
    'a[',
    'a]',
    'a[-1]',
    'a[1e9]',
    '',
  ),
  TEXT,
)

const MAPPING = fc.record({
  settings: fc.array(
    fc.tuple(fc.oneof(fc.constantFrom(...MAP_FIELDS), TEXT), PATH, fc.constantFrom('=', '=', '=', '', '==')),
    { maxLength: 5 },
  ),
  records: fc.array(RECORD, { maxLength: 3 }),
})

/** `--map` as it is typed: settings are refused in a sentence, or map any record without an error and say themselves again. */
export const mapping = target('map', '--map as it is typed', MAPPING, ({ settings, records }) => {
  const typed = settings.map(([field, path, sign]) => `${field}${sign}${path}`)
  const map = orSays(typed.join(), () => mappingOf(typed))
  const values = records.map((text) => JSON.parse(text))
  for (const value of values) pathsOf(value)
  if (map === null) return
  const raw = values.map((value, record): RawRecord => ({ record, line: record + 1, byte: 0, value }) as RawRecord)
  assert.equal(mappedRecords(raw, map).length, raw.length)
  if (!/\s/.test(mappingText(map))) {
    const text = mappingText(map)
    assert.deepEqual(mappingOf(text === '' ? [] : text.split(' ')), map)
  }
})

const MARKS = formatMarks([
  {
    record: '0123456789abcdef',
    part: 0,
    id: 'q1',
    dump: 'abcdef01',
    flagged_at: '2026-01-02T03:04:05.000Z',
    labels: ['a', '__proto__'],
    notes: [{ id: 'n1', tokens: [3, 9], text: 'what is this?', written_at: '2026-01-02T03:04:05.000Z' }],
  },
  { record: 'fedcba9876543210', part: 2, id: 'q2', dump: '', flagged_at: null, labels: ['constructor'], notes: [] },
])

/** A file of marks is refused in a sentence, or is one that is written and read again. */
export const marksFile = target('marks', 'a file of marks', damagedText(MARKS), (text) => {
  const read = orSays(text, () => parseMarks(text, 'marks.json'))
  if (read === null) return
  assert.equal(parseMarks(formatMarks(read.rollouts), 'again').rollouts.length, read.rollouts.length)
})

/** The same for a notebook. */
export const notebookFile = target(
  'notebook',
  'a notebook in one file',
  damagedText(notebookText(newNotebook())),
  (text) => {
    const read = orSays(text, () => readNotebookText(text, 'notebook.json'))
    if (read !== null) assert.deepEqual(readNotebookText(notebookText(read), 'again'), read)
  },
)

const WORKSPACE = JSON.stringify({
  format: 'rollout-inspector.workspace/1',
  files: [{ path: import.meta.filename, name: 'run.jsonl' }],
  address: '#dump=abcdef01&view=rollouts&q=tool:x',
})

/** A workspace opens the file that it names, or says in a sentence why it opens nothing. */
export const workspaceFile = target('workspace', 'a workspace', damagedText(WORKSPACE), async (text) => {
  const folder = await mkdtemp(join(tmpdir(), 'inspector-workspaces-'))
  try {
    const path = join(folder, 'fuzzed.rollout-workspace')
    await writeFile(path, text)
    const { files, problems, address } = await openWorkspace(path, new ServedFiles())
    assert.ok(files.length + problems.length > 0, 'nothing is opened, and nothing said')
    for (const problem of problems) assert.match(problem, /^.{15,}[.]$/s)
    if (address !== undefined) parseAddress(address)
  } finally {
    await rm(folder, { recursive: true })
  }
})

const ENCODED = ALL_HOSTILE.map((text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '')))
const LINK_PIECE = fc.oneof(
  fc.constantFrom(...ALL_HOSTILE, ...ENCODED),
  fc.constantFrom(
    '#',
    '/',
    '?',
    '&',
    '=',
    '%',
    '%ff',
    '%u0000',
    '..',
    'rollout',
    'q',
    '-1',
    '1e99',
    'NaN',
    '9007199254740993',
  ),
  fc.constantFrom(
    'view=lab',
    'view=notebook',
    'sort=-reward.',
    'tokens=5-2',
    'lab.panel=',
    'rollout=0',
    'tab=raw',
    'where=prompt:1-',
  ),
  fc.string(),
)

/** No deep link throws, and what is read of one is a link that says the same. */
export const deepLink = target('deep-link', 'a deep link', fc.array(LINK_PIECE, { maxLength: 8 }), (pieces) => {
  const address = parseAddress(`#${pieces.join('')}`)
  assert.deepEqual(Object.keys(address).sort(), Object.keys(HOME).sort())
  // A rollout of a view that shows none is not said again.
  const link = formatAddress(address)
  assert.equal(formatAddress(parseAddress(link)), link)
})

const MARKDOWN_PIECE = fc.oneof(
  fc.constantFrom(
    '\n',
    '\n\n',
    '# ',
    '###### ',
    '- ',
    '1. ',
    '  * ',
    '```',
    '~~~~',
    '`',
    '**',
    '> ',
    '| a | b |\n|---|---|\n',
    '[x](y)',
    '![x](y)',
    '<b>',
    '&lt;',
    '\\',
    '---',
    '\t',
  ),
  TEXT,
)

const MARKDOWN = fc.array(MARKDOWN_PIECE, { maxLength: 30 }).map((pieces) => pieces.join(''))

/** Markdown that a person wrote is drawn with a handful of elements, and its text is all there. */
export const markdown = target('markdown', 'Markdown on screen', MARKDOWN, (text) => {
  const markup = renderToStaticMarkup(createElement(PlainMarkdown, { text }))
  for (const [tag] of markup.matchAll(/<[^>]*>/g)) {
    assert.match(
      tag,
      /^<(?:\/?(?:div|p|ol|ul|li|pre|code|strong)|(?:div|p|pre) class="prose(?:-heading|-code wrapped)?")>$/,
    )
  }
})
