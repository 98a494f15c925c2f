import assert from 'node:assert/strict'
import fc from 'fast-check'
import { REPORT_FORMATS } from '../../shared/exports/report-formats.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from '../formats/read-source.ts'
import { testHost } from '../session/test-host.ts'
import { DAMAGE, DAMAGED_FILE, damaged, readsOrSays, sayingWhy } from './damage.ts'
import { target } from './target.ts'

/** A damaged file of any container and format is read, or says why not, and loses no record unsaid. */
export const damagedFile = target('file', 'a damaged file of any container and format', DAMAGED_FILE, readsOrSays)

/** The same, opened as a dump: judged, reported in every form, and its first rollout looked at. */
export const judgedFile = target('dump', 'a damaged file that is judged', DAMAGED_FILE, (bytes) =>
  sayingWhy(async () => {
    const session = await Session.open([memorySource(bytes, 1 << 16, 'damaged')], { maxUnpacked: 32 << 20 }, testHost())
    await session.done
    const report = session.report()
    const told = report.sources.reduce((sum, { trajectories }) => sum + trajectories, 0)
    assert.equal(told, session.facts.length)
    for (const format of REPORT_FORMATS) format.write(report, { failOn: 'error', known: new Set() })
  }),
)

const line = (n: number) => `{"id": "r${n}", "input_ids": [${n}, 1, 2], "loss_mask": [0, 1, 1]}`

const ODD_LINE = fc.array(DAMAGE, { minLength: 1, maxLength: 4 }).map((damages) => {
  const bytes = damaged(new TextEncoder().encode(line(99)), damages)
  return new TextDecoder().decode(bytes).replaceAll('\n', ' ')
})

/** Whatever happens to one line, all the others are read. */
export const damagedLine = target(
  'line',
  'a damaged line among others',
  fc.record({ odd: ODD_LINE, at: fc.nat({ max: 6 }) }),
  async ({ odd, at }) => {
    const lines = [0, 1, 2, 3, 4, 5].map(line)
    lines.splice(at, 0, odd)
    const { trajectories } = await readSource(memorySource(`${lines.join('\n')}\n`))
    const ids = new Set(trajectories.map(({ id }) => id))
    for (const id of ['r0', 'r1', 'r2', 'r3', 'r4', 'r5']) assert.ok(ids.has(id), `${id} is not read`)
  },
)
