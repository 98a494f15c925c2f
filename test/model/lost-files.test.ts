import { expect, test } from 'vitest'
import { recordPlace, skippedText, unreadRest } from '../../shared/model/lost-files.ts'

const skipped = (code: string, line: number | null = 8) => ({ record: 7, line, byte: 40213, code, message: '…' })
const of = (...codes: string[]) => ({ skipped: codes.map((code) => skipped(code)) })

test('a record that stands for the rest of a file is no skipped record', () => {
  expect(skippedText([])).toBe('')
  expect(skippedText([of(), of('bad-json', 'no-tokens')])).toBe('2 records skipped')
  expect(skippedText([of('bad-json', 'damaged-zstd'), of('read-error'), of('bad-json')])).toBe(
    '2 records skipped, the rest of 2 files not read',
  )
  expect(skippedText([of('damaged-gzip')])).toBe('the rest of 1 file not read')
  // What was appended by mistake is no part of it.
  expect(unreadRest(of('trailing-garbage'))).toBeNull()
  expect(unreadRest(of('damaged-gzip', 'bad-json'))).toBeNull()
})

test('a record is found by its line, else by its byte', () => {
  expect(recordPlace(skipped('bad-json'))).toBe('record 7 (line 8)')
  expect(recordPlace(skipped('bad-json', null))).toBe('record 7 (byte 40,213)')
})
