import { describe, expect, it } from 'vitest'
import { type Address, formatAddress, HOME, parseAddress } from '../../renderer/state/address.ts'

const HASH = '0123456789abcdef'

describe('the address of what is on screen', () => {
  it('is empty at the start', () => {
    expect(formatAddress(HOME)).toBe('')
    expect(parseAddress('')).toEqual(HOME)
  })

  it.each<Address>([
    { ...HOME, dump: HASH, view: 'rollout', rollout: 12, tokens: [410, 655], finding: HASH, tab: 'boundaries' },
    {
      ...HOME,
      dump: HASH,
      view: 'rollouts',
      query: 'finding:M01,T05 "a & b" flag',
      sort: 'reward.exact match',
      descending: true,
    },
    { ...HOME, dump: HASH, view: 'rollout', rollout: 0, sort: 'index', descending: true },
    { ...HOME, dump: HASH, view: 'rollout', rollout: 3, second: 12, beside: 'b'.repeat(16), tokens: [1, 2] },
    { ...HOME, dump: HASH, view: 'rollout', second: 0, finding: '0f'.repeat(8) },
    { ...HOME, dump: HASH, view: 'lab', place: { 'max-seq-len': '4096', scaling: 'group & batch' } },
  ])('survives being written and read: %j', (address) => {
    expect(parseAddress(formatAddress(address))).toEqual(address)
  })

  it('leaves at its start what it cannot understand', () => {
    expect(
      parseAddress(
        '#dump=<script>&view=cellar&rollout=-1&second=3&beside=x&tokens=a-b&finding=M01&findings=M01.drop&where=gone.prompt:-1-.chapter:1-2&sort=;--',
      ),
    ).toEqual({
      ...HOME,
      query: 'finding:M01',
    })
  })

  it('puts the filters of older links into the query', () => {
    const link = '#findings=M01.T05&where=lost.documents.assistant-turn:1000-1200.prompt:4086-&flagged=1'
    expect(parseAddress(link).query).toBe(
      'finding:M01,T05 (turn_tokens:1000..1199 or prompt_tokens>=4086) lost:any lost:documents flag',
    )
  })

  it('shows the table when a rollout is asked for without its number', () => {
    expect(parseAddress('#view=rollout').view).toBe('rollouts')
  })

  it('reads one token and a range that is turned round', () => {
    expect(parseAddress('#tokens=7').tokens).toEqual([7, 8])
    expect(parseAddress('#tokens=9-4').tokens).toEqual([9, 10])
  })

  it('takes no place of another view, and none that no view would write', () => {
    const typed = `#view=lab&groups.group=q1&lab.__proto__=1&lab.A=2&lab.long=${'x'.repeat(3000)}&lab.limit=9`
    expect(parseAddress(typed).place).toEqual({ limit: '9' })
  })
})
