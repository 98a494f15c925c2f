import { auditDump } from '../checks/audit.ts'
import { type FixtureDump, searchRow } from '../fixtures/checks/fixture.ts'
import type { RecordOptions, TurnSpec } from '../helpers/conversation.ts'

/** Findings of a code on one changed rollout among two that end properly. */
export async function findings(
  code: string,
  answer: Partial<TurnSpec>,
  options: RecordOptions,
  more: Partial<FixtureDump> = {},
) {
  const audit = await auditDump({
    story: '',
    family: 'qwen2.5',
    rows: (tokenizer) => [
      searchRow(tokenizer, 0, { answer }, { reward: 0.6, ...options }),
      searchRow(tokenizer, 1, {}, { reward: 0.7 }),
      searchRow(tokenizer, 2, {}, { reward: 0.8 }),
    ],
    ...more,
  })
  return audit.byCode.get(code)!
}
