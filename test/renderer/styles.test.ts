import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const STYLES = join('renderer', 'styles')
const styles = readdirSync(STYLES).map((name): [string, string] => [
  name,
  readFileSync(join(STYLES, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''),
])
const sources = ['renderer', 'shared'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|html)$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8')),
)
const everything = [...sources, ...styles.map(([, text]) => text)].join('\n')

/** Texts of the source: what stands between quotes, templates with what is put into them as `${…}`. */
const texts = sources.flatMap((source) => source.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []).join('\n')
const words = new Set(texts.match(/[\w-]+/g))
/** Beginnings of names that a template completes: `tag-${name}`. */
const completed = [
  ...new Set([...texts.matchAll(/((?:--)?[a-z]\w*-[\w-]*)\$\{/g)].map(([, beginning]) => beginning as string)),
]

/** Endings of names that a template begins: `${name}-window`. */
const begun = [...new Set([...texts.matchAll(/\$\{[\w.]+\}(-[a-z][\w-]*)/g)].map(([, ending]) => ending as string))]

const isUsed = (name: string) =>
  words.has(name) ||
  completed.some((beginning) => name.startsWith(beginning)) ||
  begun.some((ending) => name.endsWith(ending))

describe('renderer/styles', () => {
  test.each(styles)('%s styles no class that no element has', (_, text) => {
    const bare = text.replace(/"[^"]*"|url\([^)]*\)/g, '')
    const classes = new Set([...bare.matchAll(/\.([a-zA-Z_][\w-]*)/g)].map(([, name]) => name as string))
    expect([...classes].filter((name) => !isUsed(name))).toEqual([])
  })

  test.each(styles)('%s sets no variable that nobody reads', (_, text) => {
    const set = new Set([...text.matchAll(/(--[\w-]+)\s*:/g)].map(([, name]) => name as string))
    const isRead = (name: string) =>
      everything.includes(`var(${name}`) || isUsed(name) || completed.some((each) => name.startsWith(each))
    expect([...set].filter((name) => !isRead(name))).toEqual([])
  })

  test('every variable that is read is set', () => {
    const read = new Set([...everything.matchAll(/var\((--[\w-]+)\s*\)/g)].map(([, name]) => name as string))
    const isSet = (name: string) => new RegExp(`['"]?${name}['"]?\\s*:|'${name}'`).test(everything)
    expect(read.size).toBeGreaterThan(20)
    expect([...read].filter((name) => !isSet(name))).toEqual([])
  })
})
