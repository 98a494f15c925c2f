import { describe, expect, test } from 'vitest'
import { PickleError } from '../../shared/containers/pickle/error.ts'
import { OP } from '../../shared/containers/pickle/opcodes.ts'
import { openPickle } from '../../shared/containers/torch/open.ts'
import { memorySource } from '../containers/memory-source.ts'
import { allValues } from '../containers/pickle/inert.ts'
import { pickle } from '../containers/pickle/read.ts'

const NAME = 'cos\nsystem\n'
const ARGUMENT = "S'echo hi'\n"
const CALL = `${NAME}(${ARGUMENT}tR`

type Operation = keyof typeof OP
/**
 * Every operation at which Python's own reader (Lib/pickle.py, `load_*`) imports, calls a callable of the pickle, looks one up
 * elsewhere, or calls a method of what a call gave; each with a pickle that makes it do so.
 */
const CALLING: Readonly<Partial<Record<Operation, readonly Uint8Array[]>>> = {
  GLOBAL: [pickle(`${NAME}.`)],
  STACK_GLOBAL: [pickle([0x80, 4, 0x8c, 2], 'os', [0x8c, 6], 'system', [0x93], '.')],
  REDUCE: [pickle(`${CALL}.`), pickle(`${NAME})R.`), pickle(`${CALL}(${ARGUMENT}tR.`)],
  INST: [pickle(`(${ARGUMENT}ios\nsystem\n.`)],
  OBJ: [pickle(`(${NAME}${ARGUMENT}o.`), pickle(`(${CALL}${ARGUMENT}o.`)],
  NEWOBJ: [pickle([0x80, 2], `${NAME}${ARGUMENT}`, [0x85, 0x81], '.')],
  NEWOBJ_EX: [pickle([0x80, 4], `${NAME}${ARGUMENT}`, [0x85], `}${ARGUMENT}${ARGUMENT}s`, [0x92], '.')],
  BUILD: [
    pickle(`${CALL}}${ARGUMENT}I1\nsb.`),
    pickle(`${NAME}}S'__setstate__'\n${NAME}sb.`),
    pickle(`${CALL}(N}S'__class__'\n${NAME}stb.`),
    pickle(`(ilab\nThing\n}S'__setstate__'\n${NAME}sb${ARGUMENT}b.`),
  ],
  EXT1: [pickle([0x80, 2, 0x82, 1], '.')],
  EXT2: [pickle([0x80, 2, 0x83, 1, 1], '.')],
  EXT4: [pickle([0x80, 2, 0x84, 1, 1, 1, 0], '.'), pickle([0x80, 2, 0x84, 0xff, 0xff, 0xff, 0xff], '.')],
  PERSID: [pickle('Pos.system\n.'), pickle('P__proto__\n.')],
  BINPERSID: [
    pickle(`${CALL}Q.`),
    pickle(`(S'storage'\n${NAME}S'../../etc/passwd'\nS'cpu'\nI4\ntQ.`),
    pickle(`(S'storage'\nctorch\nFloatStorage\nS'constructor'\nS'cpu'\nI4\ntQ.`),
  ],
  APPEND: [pickle(`${CALL}${ARGUMENT}a.`)],
  APPENDS: [pickle(`${CALL}(${ARGUMENT}${ARGUMENT}e.`)],
  SETITEM: [pickle(`${CALL}${ARGUMENT}${ARGUMENT}s.`)],
  SETITEMS: [pickle(`${CALL}(${ARGUMENT}${ARGUMENT}u.`), pickle(`}(S'__proto__'\n${NAME}S'constructor'\n${CALL}u.`)],
  ADDITEMS: [pickle([0x80, 4], `${CALL}(${ARGUMENT}`, [0x90], '.')],
  NEXT_BUFFER: [pickle([0x80, 5, 0x97], '.')],
  READONLY_BUFFER: [pickle([0x80, 5], CALL, [0x98], '.')],
}

/** What is put away and taken out again must not become something else on the way. */
const MEMO: Readonly<Record<string, Uint8Array>> = {
  'a name from the memo that is called': pickle(`${NAME}p0\n0g0\n(${ARGUMENT}tR.`),
  'a call whose arguments hold the call': pickle(`${NAME}(]p0\nh`, [0], `atRp1\n0g0\ng1\na0g1\n.`),
  'a call that is copied and built upon twice': pickle(`${CALL}2}b}b.`),
  'a place of the memo that is written again': pickle(`clab\nThing\np0\n0${NAME}p0\n0g0\n)R.`),
  'a place that was never written': pickle('g7\n)R.'),
  'a place called as a prototype': pickle('g__proto__\n)R.'),
  'a place below nothing': pickle('g-1\n)R.'),
  'a place as high as can be': pickle(`${NAME}r`, [0xff, 0xff, 0xff, 0xff], '0j', [0xff, 0xff, 0xff, 0xff], ')R.'),
  'a list that is appended to a call that holds it': pickle(`]p0\n${NAME}(g0\ntRp1\n0g0\ng1\na.`),
  'a state that is the object itself': pickle(`${CALL}p0\ng0\nb.`),
  'a dict with itself as key': pickle('}p0\ng0\ng0\ns.'),
}

/** Reads it as the program does. Gives what is there, all of it inert, or the sentence that it was refused with. */
async function outcome(bytes: Uint8Array): Promise<string> {
  try {
    const { value, foreign } = await openPickle(memorySource(bytes))
    allValues(value)
    return `inert: ${foreign.map(({ name }) => name).join(', ')}`
  } catch (error) {
    if (!(error instanceof PickleError)) throw error
    expect(error.message).toMatch(/\.$/)
    return 'refused'
  }
}

describe('an operation that could call something calls nothing', () => {
  test.each(Object.entries(CALLING))('%s', async (operation, corpus) => {
    for (const bytes of corpus) {
      expect([...bytes]).toContain(OP[operation as Operation])
      const found = await outcome(bytes)
      if (/^EXT|BUFFER/.test(operation)) expect(found).toMatch(/^refused$|os\.system/)
      else expect(found).toMatch(/^inert: .*(?:os\.system|persistent id)|^refused$/)
    }
  })

  test.each(Object.entries(MEMO))('%s', async (_name, bytes) => {
    expect(await outcome(bytes)).toMatch(/^inert|^refused$/)
  })

  test('of the others none takes a name and gives a value: none of a call alone is anything but its placeholder', async () => {
    const others = Object.entries(OP).filter(([name]) => !(name in CALLING))
    for (const [name, byte] of others) {
      // Twice the call beneath, so that operations that take two things have them.
      const found = await outcome(pickle([0x80, 5], `${CALL}${CALL}(${CALL}`, [byte], '.'))
      expect(found, name).toMatch(/^inert: .*os\.system|^refused$/)
    }
    expect(others.length + Object.keys(CALLING).length).toBe(Object.keys(OP).length)
  })
})
