import { describe, expect, it } from 'vitest'
import { cutReplies } from '../../shared/checks/truncation/cut-replies.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import { segment } from '../../shared/tokens/segment.ts'
import { conversation, system, tool, user } from '../helpers/conversation.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'

const MARKERS = [
  '...(truncated)...',
  '(Truncated) ...',
  '\n<response clipped>',
  '[Observation truncated due to length]',
  '[... 312 characters omitted ...]',
  '[... Omitted 12 of 40 lines ...]',
  '[1,204 tokens elided]',
  '[12 lines removed]',
  '[OUTPUT TRUNCATED]',
  '[RESPONSE CLIPPED]',
  '\n<RESPONSE CLIPPED>',
  '[... 312 CHARACTERS OMITTED ...]',
  '[OMITTED 12 OF 40 LINES]',
  '[1,204 TOKENS ELIDED]',
  '[12 LINES REMOVED]',
]

describe.each(FAMILIES)('markers in the ids of %s', (family) => {
  it.each(MARKERS)('%j is seen, whatever its pieces are', async (marker) => {
    const tokenizer = await testTokenizer(family)
    const reply = `The port was built in 1894${marker} and the old pier in 1902.`
    const { record } = conversation(tokenizer, [system('S'), user('Q'), tool(reply), { role: 'assistant', text: 'A' }])
    const sequence = Int32Array.from(record.input_ids as number[])
    const trajectory = { ...emptyTrajectory({ source: 0, record: 0, part: 0 }, ''), ids: sequence }
    const segmentation = segment(sequence, tokenizer, null)
    const found = cutReplies(trajectory, { ids: sequence, segmentation, tokenizer, thresholds: DEFAULT_THRESHOLDS })
    expect(found.map(({ shownBy }) => shownBy)).toEqual(['marker'])
  })
})
