import { expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import { parseInPortions } from '../../shared/containers/records.ts'
import { allNumericKeys } from '../../shared/formats/registry.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { auditBatch } from '../../shared/session/audit/batch.ts'
import { Collected } from '../../shared/session/audit/collected.ts'
import type { BatchResult } from '../../shared/session/audit/plan.ts'
import { openSource } from '../../shared/session/opening/open-source.ts'
import { survey } from '../../shared/session/opening/survey.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'

const IDS = [151644, 872, 198, 15191, 30, 151645, 198, 151644, 77091, 198, 2132, 374, 13, 151645]
/** Prompts that carry loss, ends that carry none, a row that trains nothing: it is cut, as one that ends is judged beside the others. */
const MASKS = [
  [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0],
  [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1],
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
]

/** A batch of a dump as it is told, and as it is counted. */
async function batches(options: AuditOptions): Promise<{ readonly told: BatchResult; readonly counted: BatchResult }> {
  const lines = MASKS.map((loss_mask, i) =>
    JSON.stringify({ input_ids: IDS.slice(0, loss_mask.length), loss_mask, id: `${i}` }),
  )
  const host = { ...nodeHost(1), bundledTokenizers: testTokenizerFiles }
  const open = await openSource(new MemorySource('dump.jsonl', Buffer.from(lines.join('\n'))), 0)
  const { plan, tokenizers } = await survey([open], { tokenizer: 'qwen2.5', ...options }, host, [])
  for await (const spans of open.container.index()) {
    const records = await open.container.read(spans)
    if (records.decoder !== 'json') throw new Error('these are lines')
    const job = { job: 0, source: 0, records, keep: null }
    const audit = (more: { readonly countsFindings?: true }) =>
      auditBatch({ ...job, ...more }, parseInPortions(records.bytes[0], spans, allNumericKeys, 16), {
        plan,
        tokenizers: [...tokenizers],
      })
    return { told: audit({}), counted: audit({ countsFindings: true }) }
  }
  throw new Error('the dump has a batch')
}

test.each([
  ['none is intended', {}],
  ['a person gave some as intended', { intend: ['M01', 'M04'] }],
])('a batch whose findings are counted has the same sums as one whose findings are told: %s', async (_, options) => {
  const { told, counted } = await batches(options)
  expect(told.findings.flat().length).toBeGreaterThan(3)
  expect(told.counted).toBeNull()
  expect(counted.findings).toEqual([])
  const kinds = told.findings.map((all) =>
    all.map(({ code, severity, intended }) => (intended ? { code, severity, intended } : { code, severity })),
  )
  const inOrder = (all: readonly { readonly code: string }[]) => all.toSorted((a, b) => (a.code < b.code ? -1 : 1))
  expect(counted.counted?.map(inOrder)).toEqual(kinds.map(inOrder))
  const { facts, ...others } = counted
  expect(others).toEqual({ ...told, findings: [], counted: counted.counted, facts: undefined })
  expect(facts.rows).toBe(told.facts.rows)
})

test('what is collected from a counted batch is what a full list of findings keeps of a told one', async () => {
  const { told, counted } = await batches({})
  const collect = (second: BatchResult) => {
    const collected = new Collected(1, told.findings.flat().length)
    expect(collected.keepsFindings).toBe(true)
    collected.add(told)
    expect(collected.keepsFindings).toBe(false)
    collected.add({ ...second, facts: told.facts })
    const { findings, findingsSeen, codes, severities, tallies } = collected
    return { findings, findingsSeen, codes, worst: collected.worstRanks(), severities, tallies }
  }
  expect(collect(counted)).toEqual(collect(told))
})

test('a check has sums where it told of something, and of that alone', async () => {
  const { told } = await batches({})
  const [spoke, checked] = [Object.keys(told.tallies), Object.values(told.tallies).map((tally) => tally.checked)]
  expect(spoke).toEqual(expect.arrayContaining(['M01', 'M04', 'M10']))
  expect(checked.filter((rollouts) => rollouts < 1 || rollouts > MASKS.length)).toEqual([])
  expect(spoke.length).toBeLessThan(CHECKS.length)
})
