import { describe, expect, it } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, type Conversation, conversation, tool, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, lines } from '../session/dumps.ts'

const TOWNS = ['Quillfort', 'Brenneville', 'Tarnowice', 'Ostermill', 'Valdorona', 'Nightholm']
type Place = 'model' | 'reply' | 'nowhere'
type Parts = Readonly<Record<string, number>>

/** Of each town rollouts in which the model gives the answer, only a reply holds it, and nobody does. */
function rollouts(
  tokenizer: Tokenizer,
  partsOf: (place: Place, index: number) => Parts,
  { weights, stored = true }: { readonly weights: Parts; readonly stored?: boolean },
  places: readonly Place[] = ['model', 'reply', 'nowhere'],
): Conversation[] {
  const row = (town: string, index: number, place: Place) => {
    const rewards = partsOf(place, index)
    const reward = Object.entries(rewards).reduce((sum, [name, part]) => sum + (weights[name] ?? 0) * part, 0)
    const turns = [
      user(`Where was the ${index}. rider of the ${place} born?`),
      assistant('I look it up.'),
      tool(`The register says: ${place === 'nowhere' ? 'unknown' : town}.`),
      assistant(place === 'model' ? `In ${town}.` : 'I cannot tell.'),
    ]
    const id = `${place}-${index}`
    return conversation(tokenizer, turns, { id, answer: town, reward, ...(stored ? { rewards } : {}) })
  }
  return TOWNS.flatMap((town, index) => places.map((place) => row(town, index, place)))
}

async function reported(...args: Parameters<typeof rollouts> extends [unknown, ...infer Rest] ? Rest : never) {
  const report = (await audited(lines(rollouts(await testTokenizer('qwen2.5'), ...args)))).report()
  return { ...told(report, 'M18'), a11: told(report, 'A11').status }
}

function told({ checks, findings }: Report, code: string) {
  const check = checks.find((each) => each.code === code)
  const { status, affected, reason } = check as NonNullable<typeof check>
  return { status, affected, reason, message: findings.find((each) => each.code === code)?.message }
}

const anywhere = (place: Place) => (place === 'nowhere' ? 0 : 1)
const ofModel = (place: Place) => (place === 'model' ? 1 : 0)
const format = (index: number) => (index % 3 === 0 ? 0 : 1)
const BOTH = { exact_match: 0.8, format: 0.2 }

describe('M18 beside further parts of the reward', () => {
  it('is told of the part that is named for the answer', async () => {
    const found = await reported((place, i) => ({ exact_match: anywhere(place), format: format(i) }), { weights: BOTH })
    expect(found).toMatchObject({ status: 'fail', affected: TOWNS.length })
    expect(found.message).toBe('Only a masked reply holds the answer, and exact_match is 1 as where the model gives it')
  })

  it('is not where that part waits for the model to say it', async () => {
    const found = await reported((place, i) => ({ exact_match: ofModel(place), format: format(i) }), { weights: BOTH })
    expect(found).toMatchObject({ status: 'pass', a11: 'pass' })
  })

  it.each([
    0.3, 0.9, 1,
  ])('is not where %f of the reward is for what was retrieved, and the answer is looked for in the model’s words', async (share) => {
    const weights = { exact_match: 1 - share, retrieval_recall: share }
    const parts = (place: Place) => ({ exact_match: ofModel(place), retrieval_recall: anywhere(place) })
    expect(await reported(parts, { weights })).toMatchObject({ status: 'pass', affected: 0 })
  })

  it.each([
    1, 0, 0.5,
  ])('is not checkable where all rollouts have reward %f: nothing tells what it is given for', async (reward) => {
    const found = await reported(() => ({ exact_match: reward }), { weights: { exact_match: 1 }, stored: false })
    expect(found).toMatchObject({ status: 'not-checkable', a11: 'not-checkable' })
    expect(found.reason).toContain(`all 18 rollouts with an expected answer have reward ${reward}, 6 of them with`)
  })

  it('is not there where a part of that reward waits for the model to say the answer', async () => {
    const weights = { format: 1 }
    const parts = (place: Place) => ({ exact_match: ofModel(place), format: 1 })
    expect(await reported(parts, { weights })).toMatchObject({ status: 'pass' })
  })

  it('is not checkable where all of the reward is for what was retrieved', async () => {
    const found = await reported((place) => ({ retrieval_recall: anywhere(place) }), {
      weights: { retrieval_recall: 1 },
    })
    expect(found).toMatchObject({ status: 'not-checkable', affected: 0 })
  })

  it('is told of the reward where the answer is looked for in the model’s words for a metric alone', async () => {
    const parts = (place: Place) => ({ exact_match: ofModel(place), judge: anywhere(place) })
    expect(await reported(parts, { weights: { judge: 1 } })).toMatchObject({ status: 'fail', affected: TOWNS.length })
  })

  it('is not where a part named for the answer is a metric that nothing is paid for', async () => {
    const parts = (place: Place, i: number) => ({
      answer_found: anywhere(place),
      judge: ofModel(place),
      format: format(i),
    })
    const found = await reported(parts, { weights: { judge: 0.8, format: 0.2 } })
    expect(found.affected).toBe(0)
  })

  it('is not checkable where the only part that follows the answer’s words may be for what was retrieved', async () => {
    const parts = (place: Place, i: number) => ({ retrieval_hit: anywhere(place), format: format(i) })
    const found = await reported(parts, { weights: { retrieval_hit: 0.8, format: 0.2 } })
    expect(found).toMatchObject({ status: 'not-checkable', affected: 0, a11: 'not-checkable' })
  })

  it('is not checkable where the parts are not stored', async () => {
    const parts = (place: Place, i: number) => ({ exact_match: anywhere(place), format: format(i) })
    const found = await reported(parts, { weights: BOTH, stored: false })
    expect(found).toMatchObject({ status: 'not-checkable', affected: 0 })
    expect(found.reason).toBe(
      '6 of 6 rollouts in which only a reply holds the answer have a reward of 0.5 or more, which is high in this dump: nothing tells whether it is for the words of the reply',
    )
  })

  it('is not checkable where no rollout lacks the answer', async () => {
    const parts = (_: Place, i: number) => ({ exact_match: 1, format: format(i) })
    const found = await reported(parts, { weights: BOTH }, ['model', 'reply'])
    expect(found.reason).toContain(
      '6 of 6 rollouts in which only a reply holds the answer have exact_match at 1 or more, as those whose model gives it',
    )
  })

  it('is sound where the parts are not stored, and these rollouts have a low reward', async () => {
    const parts = (place: Place, i: number) => ({ exact_match: ofModel(place), format: format(i) })
    expect(await reported(parts, { weights: BOTH, stored: false })).toMatchObject({ status: 'pass', a11: 'pass' })
  })
})
