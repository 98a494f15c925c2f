import { describe, expect, it } from 'vitest'
import { byteTokenizer, GLM } from '../tokens/template/other-families.ts'
import { failingOf, masked, type Piece, trained } from './pieces.ts'

const tokenizer = byteTokenizer(GLM)

const PROMPT: Piece = ['[gMASK]<sop><|user|>\nWho directed it, and when was it?<|assistant|>', false, false]
const CALL: Piece = ['\n<think>I have to ask for the film.</think>\n<tool_call>search\n</tool_call>', true, true]
const CALLED: Piece = ['<|observation|>', true, true]
const REPLY: Piece = ['\n<tool_response>\nInes directed it in 1974, it says.\n</tool_response>', false, false]
const HEADER: Piece = ['<|assistant|>', false, false]
const ANSWER: Piece = ['\n<think>That is all I need.</think>\nIt was Ines, in the year 1974.', true, true]
const END: Piece = ['<|user|>', true, true]
const SOUND = [PROMPT, CALL, CALLED, REPLY, HEADER, ANSWER, END]

const instead = (of: Piece, by: Piece) => SOUND.map((piece) => (piece === of ? by : piece))

const failing = (pieces: readonly Piece[], tells: boolean) => failingOf(tokenizer, pieces, tells)

/** What the rows say of the mask, and not of being the same four times. */
const ofMask = (codes: readonly string[]) => codes.filter((code) => /^[MT]/.test(code))

describe.each([
  true,
  false,
])('tokens that end one turn and open the next, with flags of who wrote what: %s', (tells) => {
  const codes = (pieces: readonly Piece[]) => ofMask(failing(pieces, tells))

  it('are rightly trained', () => {
    expect(codes(SOUND)).toEqual([])
  })

  it('are M10 where they are not', () => {
    expect(codes(instead(CALLED, masked(CALLED)))).toEqual(['M10'])
    expect(codes(instead(END, masked(END)))).toEqual(['M10'])
    expect(codes(SOUND.map((piece) => (piece === CALLED || piece === END ? masked(piece) : piece)))).toEqual(['M10'])
  })

  it('may be missing from the last turn, or be the end of the text there', () => {
    expect(codes(SOUND.slice(0, -1))).toEqual([])
    expect(codes(instead(END, ['<|endoftext|>', true, true]))).toEqual([])
  })

  it('leave the reply behind them to M01, and headers to M08', () => {
    expect(codes(instead(REPLY, trained(REPLY)))).toContain('M01')
    expect(codes(instead(HEADER, trained(HEADER)))).toEqual(['M08'])
  })

  it('are where a call ends that lacks the header behind its reply', () => {
    const again = [PROMPT, CALL, CALLED, REPLY, CALL, CALLED, REPLY, HEADER, ANSWER, END]
    expect(codes(again)).toContain('T05')
    expect(codes(again)).not.toContain('M01')
  })

  it('are so without any thought, where words stand behind the tag that closes the reply', () => {
    const asked: Piece = ['\n<tool_call>search\n</tool_call>', true, true]
    const said: Piece = ['\nIt was Ines, in the year 1974.', true, true]
    for (const lost of [
      [PROMPT, asked, CALLED, REPLY, asked, CALLED, REPLY, HEADER, said, END],
      [PROMPT, asked, CALLED, REPLY, said, END],
    ]) {
      expect(codes(lost)).toContain('T05')
      expect(codes(lost)).not.toContain('M01')
    }
    // A question behind a reply, and a newline between the two, are no words of the model.
    const question: Piece = ['\n<|user|>\nAnd what else did she direct?', false, false]
    expect(codes([PROMPT, asked, CALLED, REPLY, question, HEADER, said, END])).toEqual([])
    expect(codes([PROMPT, asked, CALLED, trained(REPLY), HEADER, said, END])).toContain('M01')
  })

  it('come behind an empty thought that the prompt had, or that the model wrote', () => {
    const short: Piece = ['\nIt was Ines, in the year 1974, and nobody else.', true, true]
    const empty: Piece = ['\n<think></think>', false, false]
    const without = (own: boolean) => [PROMPT, own ? trained(empty) : empty, short, END]
    expect(codes(without(false))).toEqual([])
    if (!tells) expect(codes(without(true))).toEqual([])
  })
})

it('an end that another appended is rightly left out', () => {
  const appended: Piece = ['<|user|>', false, false]
  expect(ofMask(failing(instead(END, appended), true))).toEqual([])
})
