import { describe, expect, it } from 'vitest'
import { inApp } from '../../renderer/text/app-words.ts'

describe('sentences of the engine in the app', () => {
  it('name the button where the command line has a switch, and no bracket within a bracket', () => {
    expect(inApp('a second run of the same questions (--against)')).toBe(
      'a second run of the same questions: “Compare…”',
    )
    expect(inApp('the dataset of the run (--dataset FILE…)')).toBe('the dataset of the run: “Dataset…”')
    expect(inApp('no (--against PATH…), no (--dataset FILE…)')).toBe('no: “Compare…”, no: “Dataset…”')
  })

  it('are otherwise as they were', () => {
    expect(inApp('rewards of at least 8 training steps (of 3)')).toBe('rewards of at least 8 training steps (of 3)')
  })
})
