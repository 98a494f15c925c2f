import { beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../../shared/model/report.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import type { RecordOptions } from '../helpers/conversation.ts'
import { audited, cleanRollout, lines, qwen } from '../session/dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

/** What S03 says of one rollout among two that are right. */
async function saidOf(edit: (mask: (number | null)[], ids: readonly number[]) => void, options: RecordOptions = {}) {
  const [first, ...others] = [1, 2, 3].map((seed) => cleanRollout(tokenizer, seed, options))
  edit(first!.record.loss_mask as (number | null)[], first!.record.input_ids)
  const report = (await audited(lines([first!, ...others]))).report()
  const found = report.findings.filter(({ code }) => code === 'S03')
  for (const { record } of found) expect(record).toBe(0)
  return { found, check: report.checks.find(({ code }) => code === 'S03') }
}
const messages = (found: readonly Finding[]) => found.map(({ message }) => message)

describe('a mask that holds other values than 0 and 1', () => {
  it('of below 0 says how many, how low, and what they are read as', async () => {
    const { found, check } = await saidOf((mask) => {
      mask[3] = -1
      mask[5] = -0.5
    })
    expect(messages(found)).toEqual([
      '2 of the values in loss_mask are below 0, down to -1, which no loss weight is; they are read as not trained (the first is loss_mask[3])',
    ])
    expect(check).toMatchObject({ status: 'fail', severity: 'error', affected: 1 })
    expect(check?.places.affected).toBe(1)
  })

  it('of -100 says that these are labels', async () => {
    const { found } = await saidOf((mask, ids) => {
      for (const [i, trained] of mask.entries()) mask[i] = trained === 1 ? (ids[i] as number) : -100
    })
    expect(messages(found)).toEqual([
      expect.stringMatching(
        /^\d+ of the values in loss_mask are -100, which is how labels, and no masks, say that a token is not trained; .*; loss_mask holds \d+, .* on \d+ tokens, the first at \d+: no loss weight is so large/,
      ),
    ])
  })

  it('of NaN or null says that these tokens are not known', async () => {
    const { found } = await saidOf((mask) => {
      mask[7] = null
      mask[9] = null
    })
    expect(messages(found)).toEqual([
      '2 of the values in loss_mask are NaN or null: whether these tokens are trained is not known (the first is loss_mask[7])',
    ])
  })

  it('of 255 says that no weight is so large, and where', async () => {
    const { found, check } = await saidOf((mask) => {
      for (const [i, trained] of mask.entries()) mask[i] = trained === 1 ? 255 : 0
    })
    const first = cleanRollout(tokenizer, 1).record.loss_mask?.indexOf(1) as number
    expect(found).toMatchObject([{ tokens: [first, first + 1], evidence: { values: [255] } }])
    expect([check?.affected, check?.places.affected]).toEqual([1, 1])
    expect(found[0]?.message).toMatch(
      new RegExp(
        `^loss_mask holds 255 on \\d+ tokens, the first at ${first}: no loss weight is so large, but ids, bytes of a flag or lengths are$`,
      ),
    )
  })

  it('of loss weights is right', async () => {
    for (const weight of [0.5, 2, 1.7, 100]) {
      const { found, check } = await saidOf((mask) => {
        for (const [i, trained] of mask.entries()) mask[i] = trained === 1 ? weight : 0
      })
      expect([weight, messages(found), check?.status]).toEqual([weight, [], 'pass'])
    }
  })
})

it('an id that no vocabulary has is a place with a fault, though ids are no array beside them', async () => {
  const rows = [1, 2].map((seed) => cleanRollout(tokenizer, seed))
  const sound = (await audited(lines(rows))).report().checks.find(({ code }) => code === 'S03')!
  rows[0]!.record.input_ids[3] = -7
  const report = (await audited(lines(rows))).report()
  expect(report.findings.filter(({ code }) => code === 'S03')).toMatchObject([
    { record: 0, message: 'input_ids[3] is -7, which no vocabulary has' },
  ])
  const { affected, places } = report.checks.find(({ code }) => code === 'S03')!
  expect({ affected, places }).toEqual({ affected: 1, places: { checked: sound.places.checked + 1, affected: 1 } })
})

describe('labels', () => {
  it('that are neither -100 nor the id at their place say so', async () => {
    const [right, wrong] = [1, 2].map((seed) => cleanRollout(tokenizer, seed, { mask: 'labels' }))
    const labels = wrong!.record.labels as number[]
    const first = labels.findIndex((label) => label !== -100)
    labels[first] = 5
    const report = (await audited(lines([right!, wrong!]))).report()
    expect(report.findings.filter(({ code }) => code === 'S03')).toMatchObject([
      { record: 1, message: expect.stringContaining(`the first is labels[${first}] = 5, where the id is`) },
    ])
  })

  it('that all name the next id are aligned to targets, one shorter than the ids or not', async () => {
    for (const last of [[], [-100]]) {
      const rows = [1, 2].map((seed) => cleanRollout(tokenizer, seed, { mask: 'labels' }))
      for (const { record } of rows) record.labels = [...(record.labels as number[]).slice(1), ...last]
      const report = (await audited(lines(rows))).report()
      expect(report.findings.filter(({ code }) => code === 'S03')).toEqual([])
      expect(report.policy.mask_alignment).toBe('target')
      // Labels that name the next id leave nothing to ask.
      expect(report.policy).not.toHaveProperty('alignment_undecided')
      expect(report.checks.find(({ code }) => code === 'M06')?.status).toBe('pass')
    }
  })
})

describe('logprobs of one less than there are ids', () => {
  const targets = (numbers: readonly (number | null)[]) => numbers.slice(1)
  const reported = async (isMaskShorter: boolean) => {
    const rows = [1, 2, 3, 4].map((seed) => cleanRollout(tokenizer, seed))
    for (const { record } of rows) {
      if (isMaskShorter) record.loss_mask = targets(record.loss_mask!) as number[]
      record.logprobs = { sampler: targets(record.logprobs!.sampler!), trainer: targets(record.logprobs!.trainer!) }
    }
    return (await audited(lines(rows))).report()
  }

  it('are those of the predicted tokens beside a mask that is', async () => {
    const report = await reported(true)
    expect(report.policy.mask_alignment).toBe('target')
    expect(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)).toEqual([])
    expect(report.checks.find(({ code }) => code === 'L05')?.status).toBe('pass')
  })

  it('do not fit where they are fewer, beside such a mask', async () => {
    const rows = [1, 2, 3, 4].map((seed) => cleanRollout(tokenizer, seed))
    for (const { record } of rows) {
      record.loss_mask = targets(record.loss_mask!) as number[]
      record.logprobs = { sampler: record.logprobs!.sampler!.slice(3) }
    }
    const told = (await audited(lines(rows))).report().findings.filter(({ code }) => code === 'T03')
    expect(messages(told)).toEqual(
      rows.map(() => expect.stringMatching(/^logprobs.sampler has \d+ values for \d+ ids/)),
    )
  })

  it('are none of the predicted tokens, and neither is the mask, where a person declares that the mask is of tokens', async () => {
    const row = cleanRollout(tokenizer, 1)
    row.record.loss_mask = targets(row.record.loss_mask!) as number[]
    const report = (await audited(lines([row]), { maskAlignment: 'token' })).report()
    expect(messages(report.findings.filter(({ code }) => code === 'T03'))).toEqual([
      expect.stringMatching(/^loss_mask has \d+ values for \d+ ids/),
    ])
  })

  it('do not fit beside a mask of all tokens', async () => {
    const report = await reported(false)
    const failing = report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)
    expect(failing).toEqual(expect.arrayContaining(['S03', 'T03']))
  })
})

it('sampled flags of other values are no loss weights', async () => {
  const rollout = cleanRollout(tokenizer, 1, { sampled: true })
  ;(rollout.record.sampled as number[])[0] = -1
  const report = (await audited(lines([rollout]))).report()
  expect(report.findings.filter(({ code }) => code === 'S03')).toEqual([])
})

it('lengths and values of one row stand in one finding', async () => {
  const { found } = await saidOf((mask) => {
    mask[3] = -1
    mask.length -= 2
  })
  expect(messages(found)).toEqual([
    expect.stringMatching(/^loss_mask has \d+ elements where \d+ are due; 1 of the values in loss_mask are below 0/),
  ])
})
