import { Buffer } from 'node:buffer'
import type { FolderFile } from '../../shared/notebook/markdown/folder-files.ts'
import type { Notebook } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { fixtureFiles } from '../notebook/fixture-folder.ts'
import { ALL_HOSTILE } from './corpus.ts'

const AT = '2026-01-02T03:04:05.000Z'
const ALL = ALL_HOSTILE.join('\n\n')

/** Every text that a person writes or pins, put in place of what stands in a notebook. */
export function hostileNotebook(): Notebook {
  const ready = newNotebook()
  const text = (at: number) => ALL_HOSTILE[at % ALL_HOSTILE.length] as string
  const long = (at: number) => `${text(at)}\n\n${ALL}`
  const from = (at: number) => ({
    dump: text(at),
    names: [text(at + 1), text(at + 2)],
    version: text(at + 3),
    report: text(at + 4),
    settings: { [text(at + 5)]: text(at + 6), __proto__x: text(at) },
  })
  const evidence = ALL_HOSTILE.map((title, at) => ({
    id: `e${at}`,
    kind: (['finding', 'measure', 'span', 'chart', 'what-if', 'comparison', 'group'] as const)[at % 7]!,
    title,
    numbers: [{ name: title, value: title, unit: title }],
    from: from(at),
    key: { code: title, fingerprint: title, measure: title },
    address: `#q=${encodeURIComponent(title.replace(/\p{Surrogate}/gu, ''))}`,
    pinnedAt: AT,
    note: title,
  }))
  const hypotheses = ready.hypotheses.map((hypothesis, at) => ({
    ...hypothesis,
    title: text(at * 29),
    statusNote: text(at * 29 + 1),
    description: long(at),
    rootCause: long(at + 1),
    codeLocation: text(at + 2),
    why: long(at),
    validation: [{ id: 'm1', title: text(at), how: long(at), success: long(at) }],
    invalidation: ALL,
    questions: ALL,
    alternatives: ALL,
    interactions: ALL,
    testing: ALL,
    related: ALL,
    results: ALL,
    notes: ALL,
    nextAction: text(at + 7),
    evidence: at === 0 ? evidence : [],
  }))
  const experiments = ALL_HOSTILE.map((title, at) => ({
    id: `${'ABCDEFG'[at % 7]}${at + 1}`,
    category: (['A', 'B', 'C', 'D', 'E', 'F', 'G'] as const)[at % 7]!,
    title,
    parameters: [{ name: title, value: title }],
    command: `train.py --lora-r ${title}`,
    outcome: title,
    notes: title,
    runs: [{ dump: title, names: [title], linkedAt: AT }],
    tests: [title, 'H01'],
    file: null,
  }))
  const history = ALL_HOSTILE.map((said, at) => ({
    at: AT,
    of: { kind: 'hypothesis' as const, id: ready.hypotheses[at % 9]!.id },
    field: at % 2 === 0 ? 'notes' : said,
    from: said,
    to: said,
    reason: said,
  }))
  return {
    ...ready,
    problem: {
      statement: ALL,
      environment: ALL,
      works: ALL,
      baseline: ALL,
      criteria: ALL_HOSTILE.map((said, at) => ({ id: `c${at}`, text: said, met: at % 2 === 0 })),
    },
    hypotheses,
    experiments,
    history,
  }
}

/** The folder of the framework's shape with the hostile texts at the end of every page, and under their headings and in their tables. */
export function hostileFolder(): FolderFile[] {
  const cell = (text: string) => text.replace(/[\n\r|]/g, ' ')
  const rows = ALL_HOSTILE.map((text) => `| ${cell(text)} | HIGH | ⏳ Pending | ${cell(text)} |`).join('\n')
  const sections = ALL_HOSTILE.map((text) => `## ${text.replace(/[\n\r]/g, ' ')}\n\n${text}\n`).join('\n')
  return fixtureFiles().map(({ path, bytes }) => ({
    path,
    bytes: new Uint8Array(Buffer.concat([bytes, Buffer.from(`\n${rows}\n\n${sections}`)])),
  }))
}
