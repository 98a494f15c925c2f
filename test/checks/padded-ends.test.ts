import { beforeAll, describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

const END = 128009
const PADS = 6

let llama: Tokenizer
beforeAll(async () => {
  llama = await testTokenizer('llama3')
})

interface Changes {
  /** The model's end token of its call and of its answer: trained, masked, or not there. */
  readonly call?: 'trained' | 'masked'
  readonly answer?: 'trained' | 'masked' | 'cut'
  /** What is not attended, beside the pads: the last end, or every token with the id of the pads. */
  readonly unattended?: 'pads' | 'by-id'
  readonly more?: object
}

/** A rollout that searches once, padded with the id that ends its turns. */
function row(seed: number, { call = 'trained', answer = 'trained', unattended, more = {} }: Changes = {}) {
  const { record } = searchRow(llama, seed, {
    call: { train: { end: call === 'trained' } },
    answer: { end: answer !== 'cut', train: { end: answer === 'trained' } },
  })
  const pads = Array<number>(PADS).fill(END)
  const ids = [...record.input_ids, ...pads]
  const attended = ids.map((id, at) =>
    at >= record.input_ids.length || (unattended === 'by-id' && id === END) ? 0 : 1,
  )
  return {
    input_ids: ids,
    loss_mask: [...(record.loss_mask as number[]), ...pads.map(() => 0)],
    ...(unattended === undefined ? {} : { attention_mask: attended }),
    ...more,
  }
}

/** How many rollouts M10 names, of how many places it looked at, and how many were cut by what their ids say. */
async function namedOf(rows: readonly object[]) {
  const session = await audited(rows.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const { checks } = session.report()
  const { affected, places } = checks.find(({ code }) => code === 'M10')!
  return [affected, places.affected]
}

const whole = (count: number, changes: Changes = {}) => Array.from({ length: count }, (_, i) => row(i, changes))

/** The same as a row of TRL's batch: the prompt is padded on the left, and what is attended of the completion is its loss mask. */
function ofTrl(own: ReturnType<typeof row>) {
  const { input_ids: ids, loss_mask: mask } = own
  const prompt = mask.indexOf(1)
  const attended = ids.slice(prompt).map((_, at) => (at < ids.length - PADS - prompt ? 1 : 0))
  return {
    prompt_ids: [END, END, ...ids.slice(0, prompt)],
    prompt_mask: [0, 0, ...ids.slice(0, prompt).map(() => 1)],
    completion_ids: ids.slice(prompt),
    completion_mask: attended,
    tool_mask: mask.slice(prompt).map((flag, at) => (attended[at] === 1 ? flag : 1)),
    advantages: 0.5,
  }
}

describe('an untrained end token before padding of its own id', () => {
  it('is padding of a row that was cut, where other rows train theirs', async () => {
    expect(await namedOf([...whole(4), row(4, { answer: 'cut' })])).toEqual([0, 0])
  })

  it('is an end that the mask lacks, where most rows lack it', async () => {
    expect(await namedOf([...whole(2), ...whole(4, { answer: 'masked' })])).toEqual([4, 4])
    expect(await namedOf(whole(4, { answer: 'masked' }))).toEqual([4, 4])
  })

  it('is one, where the row lacks an earlier end as well, or says that the model stopped or wrote it', async () => {
    expect(await namedOf([...whole(4), row(4, { call: 'masked', answer: 'masked' })])).toEqual([1, 2])
    expect(await namedOf([...whole(4), row(4, { answer: 'masked', more: { finish_reason: 'stop' } })])).toEqual([1, 1])
    const ids = row(4, { answer: 'masked' }).input_ids
    const sampler = ids.map((_, at) => (at === ids.length - PADS - 1 ? -0.5 : 0))
    expect(await namedOf([...whole(4), row(4, { answer: 'masked', more: { logprobs: { sampler } } })])).toEqual([1, 1])
  })

  it('is padding of a row that was cut in a batch of TRL as well', async () => {
    const rows = [...whole(4), row(4, { answer: 'cut' })]
    expect(await namedOf(rows.map(ofTrl))).toEqual([0, 0])
    expect(await namedOf(whole(4, { answer: 'masked' }).map(ofTrl))).toEqual([4, 4])
  })

  it('is padding where it alone of its id is not attended, whatever other rows do', async () => {
    expect(await namedOf(whole(4, { answer: 'cut', unattended: 'pads' }))).toEqual([0, 0])
    expect(await namedOf(whole(4, { answer: 'masked', unattended: 'pads' }))).toEqual([4, 4])
    expect(await namedOf(whole(4, { answer: 'masked', unattended: 'by-id' }))).toEqual([4, 4])
  })
})
