import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../shared/formats/registry.ts'

const pagesOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

const pages = [
  'README.md',
  join('samples', 'README.md'),
  join('integrations', 'python', 'README.md'),
  ...['docs', join('docs', 'checks'), join('docs', 'decisions')].flatMap(pagesOf),
]

const FILES = ['.github', 'cli', 'electron', 'integrations', 'renderer', 'samples', 'scripts', 'shared', 'test']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name).replaceAll('\\', '/')),
  )
  .concat(readdirSync('.'))

/** Files of trainers, which formats were read off. */
const OTHERS: readonly string[] =
  readFileSync(join('docs', 'formats.md'), 'utf8').match(/(?<=`)[\w./{},-]+\.py(?=`)/g) ?? []

/** Names of the headings of a page, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Links of a page to files of the project, and to places in them. */
function linksOf(page: string): { to: string; anchor: string | null }[] {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, image]) => link ?? image,
  )
  return targets
    .filter((target) => target !== undefined && !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = null] = (target as string).split('#')
      return { to: file === '' ? page : normalize(join(dirname(page), file)), anchor }
    })
}

describe('the documentation', () => {
  test.each(pages)('%s links to what is there', (page) => {
    for (const { to, anchor } of linksOf(page)) {
      expect([to, existsSync(to)]).toEqual([to, true])
      if (anchor !== null) expect([to, anchorsOf(to)]).toEqual([to, expect.arrayContaining([anchor])])
    }
  })

  test.each(pages.filter((page) => !page.includes('checks')))('the files that %s names are there', (page) => {
    const named = [...readFileSync(page, 'utf8').matchAll(/`([a-z][\w./-]*\.(?:ts|tsx|mjs|yml|css|py))`/g)].map(
      ([, path]) => path as string,
    )
    const isThere = (path: string) => FILES.some((file) => file === path || file.endsWith(`/${path}`))
    expect(named.filter((path) => !OTHERS.includes(path) && !isThere(path))).toEqual([])
  })

  test('the README leads to every page of docs/', () => {
    const linked = new Set(linksOf('README.md').map(({ to }) => to))
    expect(pagesOf('docs').filter((page) => !linked.has(page))).toEqual([])
  })

  test('the README counts the formats', () => {
    expect(readFileSync('README.md', 'utf8')).toContain(`[${FORMATS.length} kinds of dumps]`)
  })
})
