import { describe, expect, it } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { Session } from '../../shared/session/session.ts'

const ROW = { input_ids: [5, 6, 7, 8], loss_mask: [0, 0, 1, 1] }

/** The source of one record of the native format, between two that are right. */
async function sourceOf(record: object) {
  const lines = [ROW, record, ROW].map((each) => `${JSON.stringify(each)}\n`).join('')
  const session = await Session.open([new MemorySource('rows.jsonl', Buffer.from(lines))], {}, nodeHost(1))
  await session.done
  return session.report().sources[0]
}

describe('what a field of the native format cannot hold is named, and the record is read', () => {
  it.each([
    [
      { messages: 'Hello' },
      'messages is a text, but not one of chat messages only in 1 of 3 records: record 1 (line 2)',
    ],
    [
      { messages: [1, 2] },
      'messages is a list, but not one of chat messages only in 1 of 3 records: record 1 (line 2)',
    ],
    [{ tools: 'retrieve' }, 'tools is a text, a list was expected in 1 of 3 records: record 1 (line 2)'],
    [{ documents: 'one' }, 'documents is a text, a list was expected in 1 of 3 records: record 1 (line 2)'],
    [
      { documents: [{ id: 'a' }, 3] },
      'documents[1] is neither an object nor a text in 1 of 3 records: record 1 (line 2)',
    ],
    [{ rewards: [1, 2] }, 'rewards is a list, an object was expected in 1 of 3 records: record 1 (line 2)'],
    [{ limits: 4096 }, 'limits is a number, an object was expected in 1 of 3 records: record 1 (line 2)'],
    [
      { limits: { max_seq_len: -3 } },
      'max_seq_len is no whole number of at least 1 in 1 of 3 records: record 1 (line 2)',
    ],
    [{ limits: { max_sequence: 4096 } }, 'unknown field `limits.max_sequence` in 1 of 3 records: record 1 (line 2)'],
    [
      { logprobs: { samplr: [-1, -1, -1, -1] } },
      'unknown field `logprobs.samplr` in 1 of 3 records: record 1 (line 2)',
    ],
    [{ group_size: 0 }, 'group_size is no whole number of at least 1 in 1 of 3 records: record 1 (line 2)'],
    [{ prompt_length: 5 }, 'prompt_length is not between 0 and the number of ids in 1 of 3 records: record 1 (line 2)'],
    [
      { response_mask: [0, 1, 1, 1] },
      'loss_mask is read as the mask of the loss, and response_mask, which differs from it, is not in 1 of 3 records: record 1 (line 2)',
    ],
    [
      { action_mask: [1, 0] },
      'loss_mask is read as the mask of the loss, and action_mask, which differs from it, is not in 1 of 3 records: record 1 (line 2)',
    ],
    [
      { prompt_length: -1 },
      'prompt_length is not between 0 and the number of ids in 1 of 3 records: record 1 (line 2)',
    ],
  ])('%j', async (field, drift) => {
    expect(await sourceOf({ ...ROW, ...field })).toMatchObject({ records: 3, skipped: [], drift: [drift] })
  })

  it('but for arrays over tokens, of which S03 tells, and what the format allows', async () => {
    const right = {
      prompt_length: 4,
      group_size: 1,
      limits: { max_seq_len: 1, max_turns: 3 },
      logprobs: { sampler: [null, null, -1, -1], trainer: null },
      documents: [{ id: 'a' }, 'text'],
      messages: [{ role: 'user', content: 'Hello' }],
      rewards: { format: 1 },
      response_mask: [0, 0, 1, 1],
      completion_mask: [1, 1],
    }
    // The others have no logprobs.
    const lacked = 'sampler logprobs in no more than 1 of 3 records: record 1 (line 2)'
    expect((await sourceOf({ ...ROW, ...right }))?.drift).toEqual([lacked])
    expect((await sourceOf({ ...ROW, kl: 'x' }))?.drift).toEqual([])
    for (const name of ['env_name', 'data_source', 'environment'])
      expect((await sourceOf({ ...ROW, [name]: 'search' }))?.drift).toEqual([])
  })
})

it('a null among ids is not said to be NaN alone: the scanner cannot tell the two apart', async () => {
  const source = await sourceOf({ ...ROW, input_ids: [null, 6, 7, 8] })
  expect(source?.skipped).toMatchObject([
    { record: 1, line: 2, message: 'input_ids[0] is null or NaN, which is no token id' },
  ])
})
