import { describe, expect, it } from 'vitest'
import type { CheckFixture } from '../fixtures/checks/fixture.ts'
import type { DefectFixture } from '../fixtures/defects/fixture.ts'
import { jsonl } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { cutAt, filesOf, merge, reportOf, written } from './merge-shards.ts'

const checks = import.meta.glob<CheckFixture>('../fixtures/checks/[A-Z][0-9]*.ts', { eager: true, import: 'default' })
const defects = import.meta.glob<DefectFixture>('../fixtures/defects/[A-Z][0-9]*.ts', {
  eager: true,
  import: 'default',
})
const nameOf = (path: string) => (path.split('/').at(-1) as string).replace('.ts', '')

/** The dump of every fixture that trips a check or shows a defect. */
const FIXTURES = [
  ...Object.entries(checks).map(([path, { trips }]) => ({ name: nameOf(path), dump: trips })),
  ...Object.entries(defects).map(([path, { shows }]) => ({ name: `${nameOf(path)} (defect)`, dump: shows })),
]

describe('reports of parts, merged, are the report of all files read at once', () => {
  it.each(FIXTURES)('the fixture of $name, a file for every other row', async ({ dump }) => {
    const text = jsonl(dump.rows(await testTokenizer(dump.family)))
    const options = { tokenizer: dump.family, ...(dump.policy ? { policy: dump.policy } : {}), ...dump.options }
    const files = filesOf('dump', text, 2)
    const halves = cutAt(files, [files.length >> 1]).filter((shard) => shard.length > 0)
    const reports = await Promise.all(halves.map((shard) => reportOf(shard, options)))
    expect(written(merge(reports).report)).toBe(await reportOf(files, options))
  })
})
