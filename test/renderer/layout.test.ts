import { describe, expect, it } from 'vitest'
import { layOut, layOutGrid, lineOf, partsOfLine, RowKind } from '../../renderer/views/rollout/layout.ts'
import { LOOK_CLOSER, tokenWidths } from '../../renderer/views/rollout/token-widths.ts'

function rollout(tokens: readonly string[], extra: object = {}) {
  const textOffsets = new Uint32Array(tokens.length + 1)
  tokens.forEach((text, index) => {
    textOffsets[index + 1] = (textOffsets[index] as number) + text.length
  })
  return {
    ids: Int32Array.from(tokens.keys()),
    text: tokens.join(''),
    textOffsets,
    flags: new Uint8Array(tokens.length),
    segmentation: null,
    lost: [],
    ...extra,
  }
}

function drawn(detail: ReturnType<typeof rollout>, columns: number): string[] {
  const layout = layOut(detail, columns)
  return Array.from({ length: layout.count }, (_, line) =>
    layout.kinds[line] === RowKind.tokens
      ? partsOfLine(detail, layout, line)
          .map((part) => part.text)
          .join('')
      : `#${layout.kinds[line]}:${layout.refs[line]}`,
  )
}

describe('lines of tokens', () => {
  it('fills a line and puts the token that does not fit on the next', () => {
    expect(drawn(rollout(['one', ' two', ' three', ' four']), 8)).toEqual(['one two', ' three', ' four'])
  })

  it('keeps a word of several tokens together', () => {
    expect(drawn(rollout(['by', ' Cas', 'imir', ' I']), 8)).toEqual(['by', ' Casimir', ' I'])
    expect(drawn(rollout(['a', ' bcd', 'efghijklmnopqrstuvwxyz', 'abcdefgh']), 32)).toEqual([
      'a bcdefghijklmnopqrstuvwxyz',
      'abcdefgh',
    ])
  })

  it('ends a line at every newline, also inside a token', () => {
    expect(drawn(rollout(['a\n\n', 'b', '\n', 'c']), 40)).toEqual(['a\n', '\n', 'b\n', 'c'])
  })

  it('runs a token wider than the line over several', () => {
    expect(drawn(rollout(['ab', 'cdefghijkl', 'm']), 4)).toEqual(['ab', 'cdef', 'ghij', 'klm'])
  })

  it('counts wide characters as two columns and combining marks as none', () => {
    expect(drawn(rollout(['映画', '監督']), 6)).toEqual(['映画', '監督'])
    expect(drawn(rollout(['e\u0301e\u0301', 'xy']), 4)).toEqual(['e\u0301e\u0301xy'])
  })

  it('gives hidden characters the room of what is drawn for them', () => {
    expect(drawn(rollout(['\u202e', 'abc']), 5)).toEqual(['\u202e', 'abc'])
  })

  it('draws a token that spells nothing', () => {
    const detail = rollout(['é', ''], { flags: Uint8Array.from([4, 8]) })
    expect(drawn(detail, 20)).toEqual(['é◂'])
    expect(drawn(rollout([''], { ids: Int32Array.from([9]), flags: Uint8Array.from([16]) }), 20)).toEqual(['⟨id 9?⟩'])
  })

  it('heads every turn and keeps lost text at its place, also after the last token', () => {
    const turn = (index: number, start: number) => ({ index, start })
    const detail = rollout(['a', 'b', 'c'], {
      segmentation: { turns: [turn(0, 0), turn(1, 2)] },
      lost: [{ at: 3 }, { at: 2 }],
    })
    expect(drawn(detail, 20)).toEqual(['#1:0', 'ab', '#2:1', '#1:1', 'c', '#2:0'])
  })

  it('finds the line on which each token begins', () => {
    const tokens = ['one', ' two', ' three\n', 'x'.repeat(30), ' four', '\n', 'end']
    const detail = rollout(tokens, {
      segmentation: {
        turns: [
          { index: 0, start: 0 },
          { index: 1, start: 4 },
        ],
      },
    })
    const layout = layOut(detail, 10)
    tokens.forEach((_, token) => {
      const first = partsOfLine(detail, layout, lineOf(layout, token)).find((part) => part.token === token)
      expect(first?.first).toBe(true)
    })
  })

  it('loses and repeats nothing, for any width', () => {
    const tokens = Array.from(
      { length: 400 },
      (_, k) => [' a', 'b\n', '映', 'long'.repeat(k % 7), '🙂', '\t'][k % 6] as string,
    )
    for (const columns of [3, 10, 77]) {
      const detail = rollout(tokens.map((text) => text || '.'))
      expect(drawn(detail, columns).join('')).toBe(detail.text)
    }
  })

  it('lays out 131,072 tokens', () => {
    const detail = rollout(
      Array.from({ length: 131_072 }, (_, k) => (k % 19 === 0 ? '\n' : k % 7 === 0 ? ' 映画' : ' token')),
    )
    expect(layOut(detail, 100).count).toBeGreaterThan(6000)
  })
})

describe('the columns of tokens', () => {
  it('are those of what is drawn for them, and none where there is a newline or hardly an end', () => {
    const tokens = [
      'abc',
      'é',
      '映画',
      '~\u007f',
      '',
      '',
      'x\n',
      ' y',
      '\u202e',
      'z'.repeat(254),
      'z'.repeat(255),
      '🙂',
    ]
    const flags = Uint8Array.from(tokens, (_, token) => ({ 4: 8, 5: 16 })[token] ?? 0)
    const widths = tokenWidths(rollout(tokens, { flags }))
    expect([...widths]).toEqual([3, 1, 4, 2, 1, 7, LOOK_CLOSER, 2, 3, 254, LOOK_CLOSER, 2])
  })

  it('are found out once for a rollout, whatever the window is wide', () => {
    const detail = rollout(['a', '映'])
    const reads: string[] = []
    const told = new Proxy(detail, {
      get(all, name) {
        reads.push(String(name))
        return Reflect.get(all, name)
      },
    })
    layOut(told, 40)
    expect(reads).toContain('text')
    reads.length = 0
    layOut(told, 80)
    expect(reads).not.toContain('text')
  })
})

describe('folds', () => {
  const tokens = ['one', ' two', ' three', ' four', ' five']
  const fold = [{ name: 'think', start: 1, end: 3 }] as const

  it('stand for their tokens on a line of their own, and a token inside them is found there', () => {
    const detail = rollout(tokens)
    const layout = layOut(detail, 80, fold)
    expect([...layout.kinds]).toEqual([RowKind.tokens, RowKind.fold, RowKind.tokens])
    expect(
      [0, 1, 2]
        .map((line) =>
          partsOfLine(detail, layout, line)
            .map(({ text }) => text)
            .join(''),
        )
        .at(0),
    ).toBe('one')
    expect(partsOfLine(detail, layout, 2).map(({ token }) => token)).toEqual([3, 4])
    expect([0, 1, 2, 3].map((token) => lineOf(layout, token))).toEqual([0, 1, 1, 2])
  })

  it('may be the whole rollout', () => {
    const layout = layOut(rollout(tokens), 80, [{ name: 'think', start: 0, end: 5 }])
    expect([...layout.kinds]).toEqual([RowKind.fold])
  })
})

describe('the grid', () => {
  it('puts so many tokens on a line, whatever their text, and begins anew at turns, gaps and folds', () => {
    const detail = rollout(['a\n', 'b', 'x'.repeat(99), 'd', 'e', 'f', 'g', 'h'], {
      segmentation: { turns: [{ index: 0, start: 3 }] },
      lost: [{ at: 5, tokens: 1, text: null, what: '' }],
    })
    const layout = layOutGrid(detail, 2, [{ name: 'think', start: 6, end: 7 }])
    const { tokens: token, turn, lost, fold } = RowKind
    expect([...layout.kinds]).toEqual([token, token, turn, token, lost, token, fold, token])
    expect([...layout.tokens]).toEqual([0, 2, 3, 3, 5, 5, 6, 7])
    for (const at of [0, 1, 2, 3, 4, 5, 7]) expect(layout.kinds[lineOf(layout, at)]).toBe(token)
  })
})
