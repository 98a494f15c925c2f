import { expect, test } from 'vitest'
import { KeptTexts } from '../../shared/checks/texts/kept-texts.ts'

test('a text is looked at once while it comes again, and is forgotten after many others', () => {
  const kept = new KeptTexts<number>(4)
  const asked: string[] = []
  const length = (text: string) =>
    kept.of(text, (each) => {
      asked.push(each)
      return each.length
    })
  for (const other of ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']) {
    expect(length('shared')).toBe(6)
    expect(length(other)).toBe(1)
  }
  expect(asked).toEqual(['shared', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
  for (const other of ['j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r']) length(other)
  asked.length = 0
  expect(length('shared')).toBe(6)
  expect(asked).toEqual(['shared'])
})

test('a long text is not kept', () => {
  const kept = new KeptTexts<string>(4)
  const long = 'x'.repeat(1 << 15)
  expect(kept.of(long, () => 'first')).toBe('first')
  expect(kept.of(long, () => 'second')).toBe('second')
})
