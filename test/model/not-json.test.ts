import { expect, test } from 'vitest'
import { whyNotJson } from '../../shared/model/not-json.ts'

test('why a text is no JSON is told in one line, whatever the engine quotes of it', () => {
  const text = '# Samples\n\nA failing run.\n'
  let thrown: unknown
  try {
    JSON.parse(text)
  } catch (error) {
    thrown = error
  }
  expect(whyNotJson(text, thrown)).toMatch(/^[^\n]*Unexpected token[^\n]*$/)
})
