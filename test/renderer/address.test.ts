import { describe, expect, it } from 'vitest'
import { type Address, formatAddress, HOME, parseAddress } from '../../renderer/state/address.ts'
import { MOST_CHARACTERS } from '../../shared/query/language/parse.ts'

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

  it.each([
    ['a hash with a letter that no hash has', '#dump=0123456g', 'dump', null],
    ['a hash that is too short', '#dump=0123456', 'dump', null],
    ['a hash that is too long', `#dump=${'0'.repeat(65)}`, 'dump', null],
    ['a number of ten digits', '#view=rollout&rollout=1234567890', 'rollout', null],
    ['a tab that there is not', '#view=rollout&rollout=1&tab=cellar', 'tab', 'tokens'],
    ['a second run without its rollout', `#view=rollout&rollout=1&beside=${HASH}`, 'beside', null],
    ['a finding of no rollout', `#view=lab&finding=${HASH}`, 'finding', null],
    ['a component of 201 characters', `#sort=reward.${'x'.repeat(201)}`, 'sort', 'index'],
  ] as const)('leaves %s', (_, link, field, start) => {
    expect(parseAddress(link)[field]).toBe(start)
  })

  it('takes as much of a long link as a query, its ranges and a place may have', () => {
    expect(parseAddress(`#q=${'a'.repeat(MOST_CHARACTERS + 1)}`).query).toHaveLength(MOST_CHARACTERS)
    const ranges = Array.from({ length: 12 }, (_, at) => `prompt:${at}-${at + 1}`)
    expect(parseAddress(`#where=${ranges.join('.')}`).query.match(/prompt_tokens/g)).toHaveLength(8)
    const names = Array.from(
      { length: 40 },
      (_, at) => `lab.${String.fromCharCode(97 + (at % 26)).repeat(1 + at / 26)}=1`,
    )
    expect(Object.keys(parseAddress(`#view=lab&${names.join('&')}`).place)).toHaveLength(32)
  })
})
