import { describe, expect, it } from 'vitest'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import { auditTrajectories } from '../checks/audit.ts'
import { byteTokenizer, OTHER_FAMILIES } from '../tokens/template/other-families.ts'

/** Codes that fail on a prompt of this text, whose answer is trained to its end token. */
function failing(family: string, prompt: string, answer: string): readonly string[] {
  const tokenizer = byteTokenizer(OTHER_FAMILIES.find(({ name }) => name === family)!)
  const rows = [0, 1, 2].map((record) => {
    const before = tokenizer.encode(prompt.replace('{u}', `Question ${record}?`), { specials: true })
    const written = tokenizer.encode(answer.replace('{a}', `Answer ${record}.`), { specials: true })
    return {
      ...emptyTrajectory({ source: 0, record, part: 0 }, `${record}`.padStart(16, '0')),
      ids: Int32Array.from([...before, ...written]),
      mask: Uint8Array.from([...before.map(() => 0), ...written.map(() => 1)]),
    }
  })
  return auditTrajectories(rows, tokenizer).failing
}

describe('a user turn without an end', () => {
  it('is no cut where the template ends none', () => {
    expect(failing('deepseek', '<BOS><｜User｜>{u}<｜Assistant｜>', '{a}<EOS>')).not.toContain('C02')
  })

  it('is a cut where the template ends each', () => {
    expect(failing('phi', '<|user|>\n{u}<|assistant|>\n', '{a}<|end|>')).toContain('C02')
    expect(failing('phi', '<|user|>\n{u}<|end|>\n<|assistant|>\n', '{a}<|end|>')).not.toContain('C02')
  })
})
