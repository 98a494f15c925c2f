import { describe, expect, it } from 'vitest'
import { byteTokenizer, HARMONY } from '../tokens/template/other-families.ts'
import { failingOf, masked, type Piece, trained } from './pieces.ts'

const tokenizer = byteTokenizer(HARMONY)

const PROMPT: Piece = ['<|start|>user<|message|>Who directed it, and when was it?<|end|>', false, false]
const HEADER: Piece = ['<|start|>assistant', false, false]
const THOUGHT: Piece = ['<|channel|>analysis<|message|>I have to ask for the film.<|end|>', true, true]
const INNER: Piece = ['<|start|>assistant', true, true]
const CALL: Piece = ['<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"q": "it"}', true, true]
const CALLED: Piece = ['<|call|>', true, true]
const REPLY: Piece = [
  '<|start|>functions.search to=assistant<|channel|>commentary<|message|>Ines directed it in 1974.<|end|>',
  false,
  false,
]
const LAST: Piece = ['<|start|>assistant', false, false]
const ANSWER: Piece = ['<|channel|>final<|message|>It was Ines, in the year 1974.', true, true]
const END: Piece = ['<|return|>', true, true]
const SOUND = [PROMPT, HEADER, THOUGHT, INNER, CALL, CALLED, REPLY, LAST, ANSWER, END]

const having = (change: (piece: Piece) => Piece, ...of: readonly Piece[]) =>
  SOUND.map((piece) => (of.includes(piece) ? change(piece) : piece))

const failing = (pieces: readonly Piece[], tells: boolean) =>
  failingOf(tokenizer, pieces, tells).filter((code) => /^[MTC]/.test(code))

describe.each([true, false])('turns of several messages, with flags of who wrote what: %s', (tells) => {
  const codes = (pieces: readonly Piece[]) => failing(pieces, tells)

  it('are trained with the headers inside of them, which the model sampled', () => {
    expect(codes(SOUND)).toEqual([])
  })

  it('may be trained without them: they are a few tokens that nothing hangs on', () => {
    expect(codes(having(masked, INNER))).toEqual([])
  })

  it('are M10 where their ends are masked', () => {
    expect(codes(having(masked, CALLED))).toEqual(['M10'])
    expect(codes(having(masked, END))).toEqual(['M10'])
    expect(codes(having(masked, CALLED, END))).toEqual(['M10'])
  })

  it('are M16 where thoughts are masked, and M08 where the header is not', () => {
    expect(codes(having(masked, THOUGHT))).toEqual(['M16'])
    expect(codes(having(masked, THOUGHT, INNER))).toEqual(['M16'])
    expect(codes(having(masked, THOUGHT, INNER, CALL))).not.toContain('M16')
    expect(codes(having(trained, HEADER, LAST))).toEqual(['M08'])
  })

  it('are M03 where one of them is masked, and M01 where the reply is not', () => {
    expect(codes(having(masked, ANSWER, END))).toEqual(['M03'])
    expect(codes(having(trained, REPLY))).toContain('M01')
  })

  it('are T05 without their header', () => {
    const without = SOUND.filter((piece) => piece !== LAST)
    expect(codes(without)).toEqual(['T05'])
  })
})
