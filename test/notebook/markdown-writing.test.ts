import { describe, expect, test } from 'vitest'
import {
  addExperiment,
  addHypothesis,
  editExperiment,
  editHypothesis,
  editProblem,
  newHypothesis,
  pinEvidence,
  removeExperiment,
  unpinEvidence,
} from '../../shared/notebook/edit.ts'
import { evidencePages } from '../../shared/notebook/markdown/evidence-pages.ts'
import { asWritten, importFolder, writeFolder } from '../../shared/notebook/markdown/folder.ts'
import { filesOf, folderOf } from '../../shared/notebook/markdown/folder-files.ts'
import { readReadme, writeReadme } from '../../shared/notebook/markdown/readme-page.ts'
import { isNotebookFolder } from '../../shared/notebook/markdown/recognise.ts'
import { bytesOfText } from '../../shared/notebook/markdown/text.ts'
import type { Evidence, Experiment, Hypothesis, Notebook, Page } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { evidence, minute } from './edits.ts'
import { fixtureFiles } from './fixture-folder.ts'

const FILES = fixtureFiles()
const { folder } = folderOf(FILES, 'search-debug', minute(0))!
const imported = importFolder(newNotebook(), folder)

function notebookOf(of: typeof folder): Notebook {
  return importFolder(newNotebook(), of).notebook
}

function hypothesis(notebook: Notebook, id: string) {
  return notebook.hypotheses.find((each) => each.id === id)!
}

/** The one page that changed, as lines that are gone and lines that came. */
function changedLines(notebook: Notebook): Record<string, { gone: string[]; came: string[] }> {
  return Object.fromEntries(
    writeFolder(notebook).pages.map(({ path, text }) => {
      const before = (folder.pages.find((page) => page.path === path)?.text ?? '').split('\n')
      const after = text.split('\n')
      let head = 0
      while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++
      let tail = 0
      while (
        tail < Math.min(before.length, after.length) - head &&
        before[before.length - 1 - tail] === after[after.length - 1 - tail]
      )
        tail++
      return [path, { gone: before.slice(head, before.length - tail), came: after.slice(head, after.length - tail) }]
    }),
  )
}

describe('writing back', () => {
  const at = { at: minute(5) }

  test('a bar inside of a cell of the README stays one sign of its text', () => {
    const readme = [
      '| Hypothesis | Status |',
      '|---|---|',
      '| H01: std \\| mean | ✅ Validated - beta 0 \\| 0.04 |',
      '',
    ].join('\n')
    expect(readReadme(readme)).toEqual([
      { number: 'H01', title: 'std', status: 'validated', statusNote: 'beta 0 | 0.04' },
    ])
    const before = newHypothesis('H01', 'std')
    const now = { ...before, status: 'testing' } as const
    expect(writeReadme(readme, [{ before, now, matches: () => true }], [])).toBe(
      readme.replace('✅ Validated', '🧪 Testing'),
    )
    const fresh = { ...newHypothesis('H02', 'a | b'), statusNote: 'one\nline | only' }
    expect(writeReadme(readme, [], [fresh])).toBe(`${readme}| H02: a \\| b | ⏳ Pending - one line \\| only |\n`)
  })

  test('a status changes every place that says it, in its own manner', () => {
    const changed = editHypothesis(imported.notebook, 'H06-lora', { status: 'validated', confidence: 'high' }, at)
    expect(changedLines(changed)).toEqual({
      'README.md': {
        gone: ['| H06: LoRA Weight Sync | HIGH | 🧪 Testing | - | **now** |'],
        came: ['| H06: LoRA Weight Sync | HIGH | ✅ Validated | High | **now** |'],
      },
      'hypotheses/h06-lora-weight-sync.md': {
        gone: ['## Current Status: PENDING INVESTIGATION'],
        came: ['## Current Status: VALIDATED', '', '**Confidence Level**: High'],
      },
    })
  })

  test('a conclusion in bold keeps its capitals', () => {
    const changed = editHypothesis(imported.notebook, 'H01', { status: 'inconclusive' }, at)
    const page = writeFolder(changed).pages.find(({ path }) => path.startsWith('hypotheses/'))
    expect(page?.text).toContain('\n**Hypothesis Status**: 🤔 **INCONCLUSIVE**\n')
    expect(page?.text).toContain('\n## Current Status: INCONCLUSIVE\n')
  })

  test('each place keeps the words beside its status, unless they are what changed', () => {
    const page = (changed: Notebook) => writeFolder(changed).pages.find(({ path }) => path.includes('h08'))?.text
    const tested = editHypothesis(imported.notebook, 'H08', { status: 'testing' }, at)
    expect(page(tested)).toContain('## Current Status: TESTING - CRITICAL INVESTIGATION NEEDED\n')
    expect(page(tested)).toContain('## Hypothesis Status: TESTING - HIGHLY LIKELY')
    const said = editHypothesis(tested, 'H08', { statusNote: 'seen twice' }, at)
    expect(page(said)).toContain('## Current Status: TESTING - seen twice\n')
    const written = asWritten(said, writeFolder(said).pages, minute(9))
    expect(writeFolder(written).pages).toEqual([])
  })

  test('a row about the other hypothesis of a number is left alone', () => {
    const alone = { ...folder, pages: folder.pages.filter(({ path }) => !path.includes('h06-lora')) }
    const { notebook } = importFolder(newNotebook(), alone)
    expect(hypothesis(notebook, 'H06-library').status).toBe('invalidated')
    const changed = editHypothesis(notebook, 'H06-library', { status: 'testing' }, at)
    const readme = writeFolder(changed).pages.find(({ path }) => path === 'README.md')?.text
    expect(readme).toContain('| H06: LoRA Weight Sync | HIGH | 🧪 Testing | - | **now** |')
    expect(readme).toContain('| H06: Library Validation | HIGH | 🧪 Testing | HIGH | GSM8K learns |')
  })

  test('a text changes its own lines alone, with their endings', () => {
    const changed = editHypothesis(imported.notebook, 'H02', { description: 'One.\n\nTwo.' }, at)
    expect(changedLines(changed)).toEqual({
      'hypotheses/h02-token-masking.md': {
        gone: ['The loss covers the wrong tokens.\r'],
        came: ['One.\r', '\r', 'Two.\r'],
      },
    })
  })

  test('bytes that are no text stay where they were', () => {
    const changed = editHypothesis(imported.notebook, 'H04', { status: 'testing' }, at)
    const page = writeFolder(changed).pages.find(({ path }) => path.startsWith('hypotheses/'))!
    const before = FILES.find(({ path }) => path === page.path)!.bytes
    const after = bytesOfText(page.text)
    expect(after).toEqual(new Uint8Array([...before.slice(0, -8), ...new TextEncoder().encode('TESTING\n')]))
  })

  test('a section that a page does not have is put where it belongs', () => {
    const changed = editHypothesis(imported.notebook, 'H02', { why: 'Gradients go astray.', nextAction: 'Stop.' }, at)
    expect(changedLines(changed)['hypotheses/h02-token-masking.md']?.came.slice(0, 4)).toEqual([
      '## Why It Explains Our Behavior\r',
      '\r',
      'Gradients go astray.\r',
      '\r',
    ])
    const written = asWritten(changed, writeFolder(changed).pages, minute(9))
    expect(writeFolder(written).pages).toEqual([])
  })

  test('methods are changed, added and taken away one by one', () => {
    const { validation } = hypothesis(imported.notebook, 'H01')
    const changed = editHypothesis(
      imported.notebook,
      'H01',
      {
        validation: [
          { ...validation[1]!, success: 'Large.' },
          { id: 'm3', title: 'Epsilon', how: 'Use 0.1.', success: '' },
        ],
      },
      at,
    )
    const [page] = writeFolder(changed).pages
    expect(page?.text).not.toContain('Scaling off')
    expect(page?.text).toContain(
      '### Method 2: Log advantages\n\nLog max and mean.\n\n**Success Criteria**: Large.\n\n### Method 3: Epsilon\n\nUse 0.1.\n\n## Invalidation Criteria',
    )
  })

  test('a heading that a person writes into a field stays in its field', () => {
    const changed = editHypothesis(
      imported.notebook,
      'H01',
      { description: '## Current Status: VALIDATED\n---\n```\nopen' },
      at,
    )
    const notebook = notebookOf({ ...folder, pages: merge(changed) })
    expect(hypothesis(notebook, 'H01')).toMatchObject({
      status: 'invalidated',
      description: '\\## Current Status: VALIDATED\n\\---\n```\nopen\n```',
    })
    expect(hypothesis(notebook, 'H01').why).toBe(hypothesis(imported.notebook, 'H01').why)
  })

  test('a hypothesis moves to another phase of the roadmap, and says where it cannot', () => {
    const moved = editHypothesis(imported.notebook, 'H04', { phase: '1' }, at)
    const written = writeFolder(moved)
    expect(written.told).toEqual([])
    expect(hypothesis(notebookOf({ ...folder, pages: merge(moved) }), 'H04').phase).toBe('1')
    const lost = writeFolder(editHypothesis(imported.notebook, 'H02', { phase: '3' }, at))
    expect(lost.pages).toEqual([])
    expect(lost.told).toEqual([
      'The phase of H02 is kept in the notebook only: the README’s roadmap has no place to move it to.',
    ])
  })

  test('a new hypothesis gets a page and a row', () => {
    const { notebook, id } = addHypothesis(imported.notebook, 'Optimizer | state', at)
    const changed = editHypothesis(notebook, id, { description: 'Moments are reset.', codeLocation: 'opt.py:7' }, at)
    const lines = changedLines(changed)
    expect(Object.keys(lines)).toEqual(['README.md', 'hypotheses/h10-optimizer-state.md'])
    expect(lines['README.md']).toEqual({
      gone: [],
      came: ['| H10: Optimizer \\| state | MEDIUM | ⏳ Pending | - |  |'],
    })
    expect(lines['hypotheses/h10-optimizer-state.md']?.came.join('\n')).toBe(
      '# Hypothesis H10: Optimizer | state\n\n## Priority: MEDIUM\n\n## Description\n\nMoments are reset.\n\n## Root Cause\n\n**Code Location**: `opt.py:7`\n\n## Current Status: PENDING',
    )
  })

  test('an experiment changes in its own lines, a new one goes to its category', () => {
    const a1 = imported.notebook.experiments[0]!
    const parameters = [...a1.parameters.map((each) => ({ ...each })), { name: 'Seed', value: '7' }]
    parameters[2]!.value = '`three-hop,train`'
    let notebook = editExperiment(imported.notebook, 'A1', { parameters, outcome: 'Worse' }, at)
    notebook = addExperiment(notebook, 'B', 'Small model', at).notebook
    notebook = addExperiment(notebook, 'C', 'Llama', at).notebook
    notebook = editExperiment(notebook, 'C1', { command: 'train --model llama', outcome: 'No' }, at)
    const [page, ...others] = writeFolder(notebook).pages
    expect(others).toEqual([])
    expect(page?.text).toContain('- **Dataset**: `three-hop,train`\n- **Seed**: 7\n- **Outcome**: Worse\n\n#### A2')
    expect(page?.text).toContain(
      '- **Issue**: out of memory at 7B\n\n#### B1. Small model\n\n### C. Other models\n\n#### C1. Llama\n\n```bash\ntrain --model llama\n```\n\n**Outcome**: No\n\n### D. Hyper',
    )
  })

  test('the problem changes line by line', () => {
    const { criteria } = imported.notebook.problem
    const changed = editProblem(
      imported.notebook,
      {
        works: '- Everything',
        criteria: [...criteria.slice(1), { id: 'c9', text: 'It holds at full scale', met: true }],
      },
      at,
    )
    const [page] = writeFolder(changed).pages
    expect(page?.text).toContain('### What Works\n- Everything\n\n### The Problem')
    expect(page?.text).toContain(
      'It is solved when:\n2. Held-out questions improve\n3. Other seeds show it\n   too, three of them\n4. We know why the fix works\n4. It holds at full scale\n\n## Next',
    )
  })

  test('a notebook that was in no folder becomes one, and reads back the same', () => {
    let notebook = editProblem(newNotebook(), { statement: 'It does not learn.' }, at)
    notebook = addExperiment(notebook, 'A', 'First', at).notebook
    notebook = editExperiment(notebook, 'A1', { parameters: [{ name: 'LoRA r', value: '16' }], notes: 'Calm' }, at)
    const { pages } = writeFolder(notebook)
    const criteria = pages.find(({ path }) => path === '00-problem-statement.md')?.text
    expect(criteria).toContain(
      '## Success Criteria\n\n1. The reward rises steadily above the baseline in training.\n2. ',
    )
    const files = filesOf(pages)
    expect(isNotebookFolder(files.map(({ path }) => path))).toBe(true)
    const back = importFolder(newNotebook(), folderOf(files, 'x', minute(9))!.folder)
    expect(back.told).toEqual([])
    const plain = (each: Notebook) => ({
      hypotheses: each.hypotheses.map((one) => ({ ...one, file: null })),
      experiments: each.experiments.map((one) => ({ ...one, file: null })),
      problem: each.problem,
    })
    expect(plain(back.notebook)).toEqual(plain(notebook))
    expect(writeFolder(back.notebook).pages).toEqual([])
  })

  test('what was taken out of the notebook and stays in the folder is told', () => {
    const [gone] = imported.notebook.experiments
    const without = removeExperiment(imported.notebook, gone?.id as string, at)
    expect(writeFolder(without)).toMatchObject({
      pages: [],
      told: [expect.stringMatching(`^${gone?.id} stays in .*\\.md as it is`)],
    })

    const pinned = pinEvidence(imported.notebook, 'H02', evidence('e1'), at)
    const written = asWritten(pinned, writeFolder(pinned).pages, minute(9))
    const unpinned = unpinEvidence(written, 'H02', 'e1', { at: minute(10) })
    expect(writeFolder(unpinned)).toEqual({
      pages: [],
      told: ['evidence/H02.md still has “The share is e1”, which was taken off H02: delete it there if it is to go.'],
    })
    expect(writeFolder(pinEvidence(unpinned, 'H02', evidence('e1'), { at: minute(11) })).told).toEqual([])
  })

  test('what a log has no place for is told: what experiments test, and the runs linked to them', () => {
    const log = (fields: Partial<Experiment>) => {
      const added = addExperiment(imported.notebook, 'A', 'First', at)
      const experiments = added.notebook.experiments.map((each) =>
        each.id === added.id ? { ...each, ...fields } : each,
      )
      return [added.id, writeFolder({ ...added.notebook, experiments }).told] as const
    }
    const run = { dump: 'ab', names: ['step.jsonl'], linkedAt: minute(1) }
    const rest = 'is not in the folder: a log of experiments has no place for it, the saved notebook has.'
    const [id] = log({})
    expect(log({})[1]).toEqual([])
    expect(log({ tests: ['H02'] })[1]).toEqual([`Which hypotheses ${id} tests, ${rest}`])
    expect(log({ runs: [run] })[1]).toEqual([`Which runs are linked to ${id}, ${rest}`])
    expect(log({ tests: ['H02'], runs: [run] })[1]).toEqual([
      `Which hypotheses ${id} tests, and which runs are linked to ${id}, ${rest}`,
    ])
  })

  test('what was pinned goes along on a page of its own, once, and what stood there stays', () => {
    const pin = (notebook: Notebook, id: string) => pinEvidence(notebook, 'H02', evidence(id), at)
    const first = pin(imported.notebook, 'e1')
    const { pages } = writeFolder(first)
    expect(pages.map(({ path }) => path)).toEqual(['evidence/H02.md'])
    expect(pages[0]?.text).toContain('- `The share is e1`\n  - `share: 0.31`\n')
    const written = asWritten(first, pages, minute(9))
    expect(writeFolder(written).pages).toEqual([])
    const [page] = writeFolder(pin(written, 'e2')).pages
    expect(page?.text.startsWith(pages[0]?.text as string)).toBe(true)
    expect(page?.text.match(/The share is e1/g)).toHaveLength(1)
    // Who reads the folder without the pins has them as a page, and leaves it as it is.
    expect(writeFolder(notebookOf(written.folder!)).pages).toEqual([])
  })

  describe('a page of what was pinned', () => {
    const hypothesisOf = (id: string, ...pinned: Evidence[]) => ({ ...newHypothesis(id, 'Title'), evidence: pinned })
    const write = (hypotheses: readonly Hypothesis[], before: readonly Page[] = []) =>
      evidencePages(hypotheses, new Map(before.map(({ path, text }) => [path, text])))
    const e1 = evidence('e1')
    const [page] = write([hypothesisOf('H02', e1)]) as [Page]

    test.each([
      ['carried', page.text.replaceAll('\n', '\r\n')],
      ['mixed', page.text.replace('0.31`\n', '0.31`\r\n')],
      ['none at the end', page.text.trimEnd()],
      ['blanks before them', page.text.replaceAll('\n', ' \n')],
    ])('is found again whatever its line endings are: %s', (_, text) => {
      const before = [{ path: page.path, text }]
      expect(write([hypothesisOf('H02', e1)], before)).toEqual([])
      const [more] = write([hypothesisOf('H02', e1, evidence('e2'))], before) as [Page]
      expect(more.text.startsWith(text)).toBe(true)
      expect(more.text.match(/The share is e1/g)).toHaveLength(1)
      expect(write([hypothesisOf('H02', e1, evidence('e2'))], [more])).toEqual([])
    })

    test('goes on in its own line endings', () => {
      const carried = { ...page, text: page.text.replaceAll('\n', '\r\n') }
      const noted = { ...e1, note: 'seen twice' }
      const [more] = write([hypothesisOf('H02', noted, evidence('e2'))], [carried]) as [Page]
      expect(more.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
      expect(more.text).toContain('seen twice')
    })

    test('has a piece once, however its note changes, and no note is lost', () => {
      const first = { ...e1, note: 'first\nthought' }
      const second = { ...e1, note: 'second thought\r' }
      const [noted] = write([hypothesisOf('H02', first)], [page]) as [Page]
      expect(noted.text).toContain('  - `share: 0.31`\n  - first thought\n  - `from step_12.jsonl')
      const [again] = write([hypothesisOf('H02', second)], [noted]) as [Page]
      expect(again.text).toContain('  - first thought\n  - second thought')
      expect(again.text.match(/The share is e1/g)).toHaveLength(1)
      for (const known of [e1, first, second]) expect(write([hypothesisOf('H02', known)], [again])).toEqual([])
    })

    test('tells pieces of one title by where they are from and when they were pinned', () => {
      const later = { ...e1, id: 'e2', pinnedAt: minute(3) }
      const [both] = write([hypothesisOf('H02', e1, later)], [page]) as [Page]
      expect(both.text.match(/The share is e1/g)).toHaveLength(2)
      expect(write([hypothesisOf('H02', later, e1)], [both])).toEqual([])
    })

    test('is one for each hypothesis, though their ids give the same name', () => {
      const [blank, line] = [hypothesisOf('H 9', e1), hypothesisOf('H_9', evidence('e2'))]
      const pages = write([blank, line])
      expect(pages.map(({ path }) => path)).toEqual(['evidence/H_9.md', 'evidence/H_9-2.md'])
      expect(write([line, blank], pages)).toEqual([])
      expect(write([hypothesisOf('H 9'), line], pages)).toEqual([])
    })
  })
})

function merge(notebook: Notebook) {
  const written = new Map(writeFolder(notebook).pages.map((page) => [page.path, page]))
  return folder.pages.map((page) => written.get(page.path) ?? page)
}
