import { describe, expect, it } from 'vitest'
import { cells } from '../../renderer/text/visible.ts'
import { LineBreaker, layOut, layOutGrid, lineOf, partsOfLine, RowKind } from '../../renderer/views/rollout/layout.ts'
import { ENDS_LINE, tokenWidth } from '../../renderer/views/rollout/token-width.ts'
import { TokenFlag } from '../../shared/model/tokens.ts'

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
  it('are those of what is drawn for them, and none where there is a newline', () => {
    const tokens = ['abc', 'é', '映画', '~\u007f', '', '', 'x\n', ' y', '\u202e', 'z'.repeat(300), '🙂', '\n']
    const flags = Uint8Array.from(tokens, (_, token) => ({ 4: 8, 5: 16 })[token] ?? 0)
    const detail = rollout(tokens, { flags })
    const widths = tokens.map((_, token) => tokenWidth(detail, token))
    expect(widths).toEqual([3, 1, 4, 2, 1, 7, ENDS_LINE, 2, 3, 300, 2, ENDS_LINE])
  })

  it('are counted where a token spells nothing in the midst of plain text, and in the word that such a token ends', () => {
    const detail = rollout(['one', '', ' two', ' th', '', 'ee'], {
      flags: Uint8Array.of(0, TokenFlag.silent, 0, 0, TokenFlag.silent | TokenFlag.special, 0),
    })
    expect(drawn(detail, 6)).toEqual(['one⟨1⟩', ' two', ' th⟨4⟩', 'ee'])
  })

  it('are counted for what goes on with a character of the token before, with plain text behind it', () => {
    const detail = rollout(['東', '', '', 'abc', ' d'], { flags: Uint8Array.of(4, 12, 8, 0, 0) })
    expect(drawn(detail, 7)).toEqual(['東◂◂abc', ' d'])
    expect(drawn(detail, 6)).toEqual(['東◂◂', 'abc d'])
  })

  it('make no line wider than its room, and lose and repeat nothing', () => {
    const texts = [' a', 'b\n', '映', ' café', 'x'.repeat(40), '🙂', '\t', ' ', 'ing', '.', '⟨id 7?⟩', ' two words']
    const random = (at: number) => (Math.imul(at + 1, 0x9e3779b1) >>> 16) % texts.length
    const detail = rollout(Array.from({ length: 3000 }, (_, at) => texts[random(at)] as string))
    for (const columns of [5, 20, 81]) {
      const lines = drawn(detail, columns)
      const wide = (text: string) => [...text.replaceAll('\n', ' ')].reduce((sum, sign) => sum + cells(sign), 0)
      for (const line of lines) expect(wide(line)).toBeLessThanOrEqual(columns)
      expect(lines.join('')).toBe(detail.text)
    }
  })
})

describe('the first lines alone', () => {
  const texts = [' a', 'b\n', '映', ' café', 'x'.repeat(400), '🙂', ' two words', 'ing']
  const detail = rollout(
    Array.from({ length: 4000 }, (_, at) => texts[(Math.imul(at + 1, 0x9e3779b1) >>> 16) % texts.length] as string),
    { segmentation: { turns: [0, 40, 900, 1800].map((start, index) => ({ index, start })) }, lost: [{ at: 41 }] },
  )
  const folds = [{ name: 'think', start: 50, end: 60 }] as const

  it.each([0, 1, 45, 55, 1234, 3990, 3999])('go so far behind token %i, and stand where they do among all', (token) => {
    const whole = layOut(detail, 60, folds)
    const part = new LineBreaker(detail, 60, folds).part({ token, behind: 20 })
    for (const name of ['kinds', 'tokens', 'offsets', 'refs'] as const) {
      expect([...part[name]]).toEqual([...whole[name].subarray(0, part.count)])
    }
    const isAll = part.count === whole.count
    expect(isAll || part.count - lineOf(whole, token) > 20).toBe(true)
    expect(isAll).toBe(token > 3980)
    if (isAll) expect(part.estimate).toBe(whole.count)
  })

  it('are gone on from, however few tokens at a time, to the same lines as all at once', () => {
    const whole = layOut(detail, 60, folds)
    for (const tokens of [1, 7, 512]) {
      const breaker = new LineBreaker(detail, 60, folds)
      const first = breaker.part({ token: 45, behind: 3 })
      while (!breaker.isDone) breaker.goOn(tokens)
      expect(breaker.whole()).toEqual(whole)
      expect(first.count).toBeLessThan(whole.count)
    }
  })

  it('tell about how many there are', () => {
    const { estimate } = new LineBreaker(detail, 60, folds).part({ token: 0, behind: 200 })
    expect(Math.abs(estimate / layOut(detail, 60, folds).count - 1)).toBeLessThan(0.15)
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
