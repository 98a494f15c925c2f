import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { ServedList } from '../../renderer/app/served-list.tsx'
import { servedFolder } from '../../renderer/data/served-folder.ts'

vi.mock(import('../../renderer/data/observable.ts'), async (original) => ({
  ...(await original()),
  useObservable: (source) => source.get(),
}))

test.each([
  ['Open', 'as one run'],
  ['Use', 'as the dataset'],
])('files of a folder are listed to %s them %s, as who lists them says', (verb, as) => {
  servedFolder.set({
    name: 'steps',
    key: 'a',
    files: ['step_1.jsonl', 'step_2.jsonl'].map((name) => ({ name, url: `/file/${name}`, size: 1 })),
  })
  const markup = renderToStaticMarkup(createElement(ServedList, { words: { verb, as }, onChoose: () => {} }))
  const button = markup.match(/aria-label="([^"]*: steps)"[^>]*>([^<]*)</)
  expect(button?.slice(1)).toEqual([`${verb} ${as}: steps`, `${verb} ${as}`])
})
