import { describe, expect, it } from 'vitest'
import { type SearchChanges, searchRows } from '../fixtures/checks/fixture.ts'
import { type RecordOptions, trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const FAMILIES = ['qwen2.5', 'qwen3', 'llama3'] as const

/** What T05 says of a rollout of a call, its reply and an answer. */
async function told(family: (typeof FAMILIES)[number], changes: SearchChanges, options: RecordOptions = {}) {
  const tokenizer = await testTokenizer(family)
  const [row] = searchRows(changes, options)(tokenizer)
  const { findings } = auditTrajectories([trajectoryOf(row!)], tokenizer).byCode.get('T05')!
  return findings.map(({ severity, message }) => `${severity}: ${message}`)
}

describe.each(FAMILIES)('a reply in rows of %s', (family) => {
  it('that lost its header is no turn that anybody opened', async () => {
    expect(await told(family, { reply: { header: false } })).toEqual([
      'warning: The turn of the environment behind assistant turn 1 has no header: its first tokens are lost',
    ])
  })

  it('that has it is whole', async () => {
    expect(await told(family, {})).toEqual([])
  })

  it('that nothing closes either is a note between two turns', async () => {
    expect(await told(family, { reply: { header: false, end: false } })).toEqual([])
  })

  it('that comes last was perhaps never a turn', async () => {
    const after = () => [{ role: 'note', text: 'The episode is over.', header: false, separator: false }]
    expect(await told(family, { after })).toEqual([])
  })

  it('without a header that is trained is the model’s own', async () => {
    const said = await told(family, { reply: { header: false, train: { content: true, end: true } } })
    expect(said.join()).not.toContain('environment')
  })
})
