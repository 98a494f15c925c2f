import { describe, expect, it } from 'vitest'
import { INSPECT_OPTIONS } from '../../cli/options.ts'
import { inApp } from '../../renderer/text/app-words.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import { type CheckPage, checkPage } from '../../shared/exports/check-page.ts'
import { recordedBy } from '../../shared/hypotheses/recording.ts'

describe('sentences of the engine in the app', () => {
  it('name the button where the command line has a switch, and no bracket within a bracket', () => {
    expect(inApp('a second run of the same questions (--against)')).toBe(
      'a second run of the same questions: “Compare…”',
    )
    expect(inApp('the dataset of the run (--dataset FILE…)')).toBe('the dataset of the run: “Dataset…”')
    expect(inApp('no (--against PATH…), no (--dataset FILE…)')).toBe('no: “Compare…”, no: “Dataset…”')
  })

  it('name the list that the start page has where the command line has a command', () => {
    expect(
      inApp('Known formats: none. Known formats are listed by `rollout-inspector formats`; the least is `input_ids`.'),
    ).toBe('Known formats: none. The start page lists the formats that are known; the least is `input_ids`.')
  })

  it('name the button that says where fields stand', () => {
    expect(inApp('the least is `input_ids`, or --map with where they stand.')).toBe(
      'the least is `input_ids`, or “Map its fields…” with where they stand.',
    )
  })

  it('name no switch of the command line, on the page of any check', () => {
    const told = CHECKS.flatMap(({ code }) => {
      const { facts, sections } = checkPage(code) as CheckPage
      return [...facts.map(({ value }) => value), ...sections.flatMap(({ items }) => items.map(({ text }) => text))]
    })
    const switches = new RegExp(`--(?:${INSPECT_OPTIONS.map(({ name }) => name).join('|')})\\b`)
    expect(told.filter((text) => switches.test(text)).length).toBeGreaterThan(5)
    expect(told.map(inApp).filter((text) => switches.test(text))).toEqual([])
  })

  it('say where the app has it', () => {
    expect(inApp('Train every sampled turn, or declare --policy last-turn if only the last is meant.')).toBe(
      'Train every sampled turn, or choose “last turn” under “policy” in the line above if only the last is meant.',
    )
    expect(inApp('declare the alignment with --mask-alignment target (taken for now) or token')).toBe(
      'declare the alignment under “policy” in the line above (target is taken for now)',
    )
    expect(inApp('a.jsonl: no known format. They may be read with --map ids=a,mask=b')).toBe(
      'a.jsonl: no known format. They may be read by “Map its fields…”.',
    )
    expect(inApp('Say which it is with --read-as trl (or native), or where the app lists its files.')).toBe(
      'Say which it is under “files” in the line above.',
    )
  })

  it('name no switch of the command line, of whatever a verdict may lack', () => {
    const told = recordedBy(['limits', 'tokenizer', 'mask'], ['slime']).map(inApp)
    expect(told[0]).toBe('limits: under “limits” in the line above, with the number that the run had')
    expect(told[1]).toBe('tokenizer: under “tokenizer” in the line above, with a folder that holds tokenizer.json')
    expect(told[2], 'a switch of the trainer').toBe('mask: slime --save-debug-train-data FILE')
  })

  it('are otherwise as they were', () => {
    expect(inApp('rewards of at least 8 training steps (of 3)')).toBe('rewards of at least 8 training steps (of 3)')
  })
})
