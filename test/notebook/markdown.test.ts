import { describe, expect, test } from 'vitest'
import { importFolder, writeFolder } from '../../shared/notebook/markdown/folder.ts'
import { filesOf, folderOf } from '../../shared/notebook/markdown/folder-files.ts'
import { isNotebookFolder } from '../../shared/notebook/markdown/recognise.ts'
import type { Notebook } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { parametersOf } from '../../shared/notebook/parameters.ts'
import { minute } from './edits.ts'
import { fixtureFiles } from './fixture-folder.ts'

const FILES = fixtureFiles()
const { folder } = folderOf(FILES, 'search-debug', minute(0))!
const imported = importFolder(newNotebook(), folder)

function hypothesis(notebook: Notebook, id: string) {
  return notebook.hypotheses.find((each) => each.id === id)!
}

describe('a folder of the framework', () => {
  test('is known by its names, wherever it lies', () => {
    const paths = FILES.map(({ path }) => path)
    expect(isNotebookFolder(paths)).toBe(true)
    expect(isNotebookFolder(paths.map((path) => `runs/docs/${path}`))).toBe(true)
    expect(isNotebookFolder(['README.md', 'rollouts/step_1.jsonl'])).toBe(false)
    expect(isNotebookFolder(['hypotheses/h01-a.md'])).toBe(false)
    expect(isNotebookFolder([])).toBe(false)
  })

  test('is read into the notebook', () => {
    const { notebook } = imported
    const read = notebook.hypotheses.map(({ id, title, status, statusNote, priority, confidence, phase, file }) => [
      id,
      title,
      status,
      statusNote,
      priority,
      confidence,
      phase,
      file,
    ])
    expect(read).toEqual([
      [
        'H01',
        'Advantage Scaling Instability',
        'invalidated',
        '',
        'high',
        'high',
        '1',
        'hypotheses/h01-advantage-scaling.md',
      ],
      ['H02', 'Token Masking Errors', 'pending', '', 'high', null, '1', 'hypotheses/h02-token-masking.md'],
      [
        'H03',
        'KL Divergence Formula Bug',
        'partial',
        'beta 0 calms gradients',
        'medium',
        'high',
        '2',
        'hypotheses/h03-kl-divergence.md',
      ],
      ['H04', 'Context Truncation', 'pending', '', 'medium', null, '2', 'hypotheses/h04-context-truncation.md'],
      ['H05', 'Reward signal degradation', 'pending', '', 'medium-low', null, '3', null],
      [
        'H06-library',
        'Library Functionality Validation',
        'invalidated',
        '',
        'high',
        'high',
        '1',
        'hypotheses/h06-library-functionality.md',
      ],
      [
        'H06-lora',
        'LoRA Weight Synchronization Issue',
        'pending',
        '',
        'high',
        null,
        '1',
        'hypotheses/h06-lora-weight-sync.md',
      ],
      ['H07', 'Multi-step environment issues', 'pending', '', 'high', null, 'later', null],
      [
        'H08',
        'Evaluation vs Training Mismatch',
        'pending',
        'HIGHLY LIKELY',
        'critical',
        null,
        'later',
        'hypotheses/h08-eval-mismatch.md',
      ],
      ['H09', 'Tool parser drops calls', 'pending', '', 'medium', null, 'later', 'hypotheses/h09-tool-parser.md'],
    ])
  })

  test('gives each text its field, with a template’s own words left out', () => {
    const h01 = hypothesis(imported.notebook, 'H01')
    expect(h01.codeLocation).toBe('trainer.py:1173-1174')
    expect(h01.rootCause).toMatch(/^```python\n[\s\S]*here\n```$/)
    expect(h01.validation).toEqual([
      {
        id: 'm1',
        title: 'Scaling off',
        how: '**Experiment**: \n```bash\npython train.py --scale-rewards false\n```',
        success: '- Less wild\n- Slow rise',
      },
      { id: 'm2', title: 'Log advantages', how: 'Log max and mean.', success: '' },
    ])
    expect(h01.results).toBe('GSM8K learns with the same trainer:\n- Reward std: 0.1')
    expect(h01.related).toBe('- H06: Reward Distribution Issues (there is no such page)\n- H08: Gradient Explosion')
    expect(h01.notes).toBe('')
    expect(h01.testing).toBe('**Test Order**: 1\n**Reason**: \n- One flag')
    const h02 = hypothesis(imported.notebook, 'H02')
    expect(h02.nextAction).toBe('Dump one step.')
    expect(h02.validation[0]?.success).toBe('Verify that:\n- Only assistant tokens are trained')
    expect(hypothesis(imported.notebook, 'H06-lora').validation).toEqual([
      { id: 'm1', title: '', how: 'Compare `--no-peft` with LoRA.', success: '' },
    ])
    expect(hypothesis(imported.notebook, 'H06-lora').nextAction).toBe('Run both.')
    expect(hypothesis(imported.notebook, 'H08').questions).toBe('1. **The same prompts?**')
    expect(hypothesis(imported.notebook, 'H09')).toMatchObject({ description: '', verdict: null })
    expect(hypothesis(imported.notebook, 'H01').verdict).toBe('H01')
  })

  test('tells where it disagrees with itself', () => {
    expect(imported.told).toEqual([
      'The README calls H01 pending, its own page calls it invalidated: the page counts.',
      'The README calls H06-lora testing, its own page calls it pending: the page counts.',
    ])
  })

  test('gives the problem and the experiments', () => {
    const { problem, experiments } = imported.notebook
    expect(problem.statement).toMatch(/^A 7B model/)
    expect(problem.environment).toMatch(/^### Model\n- \*\*Model\*\*/)
    expect(problem.works).toBe('- Rewards are not sparse\n- Nothing crashes')
    expect(problem.baseline).toBe('About 0.6 to 0.7 without training.')
    expect(problem.criteria.map(({ text }) => text)).toEqual([
      'Rewards rise over time',
      'Held-out questions improve',
      'Other seeds show it',
      'We know why the fix works',
    ])
    expect(experiments.map(({ id, title, outcome }) => [id, title, outcome])).toEqual([
      ['A1', 'High rank', 'No improvement'],
      ['A2', 'Other ranks', 'Flat'],
      ['A3', 'Loss type', '"reward stalls"'],
      ['B', 'No PEFT', 'out of memory at 7B'],
      ['D1', 'Learning rate', ''],
    ])
    expect(parametersOf(experiments[0]!).get('n')?.value).toBe('8')
    expect(parametersOf(experiments[2]!).get('loss-type')?.value).toBe('dr_grpo')
    expect(parametersOf(experiments[3]!).get('lora-r')?.value).toBe('none')
  })

  test('goes out byte for byte when nothing was changed', () => {
    expect(writeFolder(imported.notebook)).toEqual({ pages: [], told: [] })
    const bytes = new Map(FILES.map(({ path, bytes: own }) => [path, own]))
    for (const { path, bytes: written } of filesOf(imported.notebook.folder!.pages))
      expect(written, path).toEqual(bytes.get(path))
  })

  test('keeps what is no page of Markdown out of the notebook', () => {
    expect(folder.others).toEqual(['experimental-results/rewards.csv'])
  })

  test('with pages that no person writes is read all the same, and kept as it is', () => {
    const many = (text: string) => new TextEncoder().encode(text.repeat(Math.floor(900_000 / text.length)))
    for (const [path, line] of [
      ['hypotheses/h01-advantage-scaling.md', '### Method 1: x\n**Success Criteria**: y\n'],
      ['README.md', '### Phase 1\n#### H01: x\n| H01 | Status |\n'],
      ['01-experiments-log.md', '### A1. x\n```\n```\n'],
      ['01-experiments-log.md', '\n'],
      ['00-problem-statement.md', '- [ ] x\n'],
      ['hypotheses/h02-token-masking.md', '> - **a**: ```'],
    ] as const) {
      const files = FILES.map((file) => (file.path === path ? { path, bytes: many(line) } : file))
      const large = folderOf(files, 'x', minute(0))!.folder
      expect(writeFolder(importFolder(newNotebook(), large).notebook).pages).toEqual([])
    }
    const tooLarge = [{ path: 'hypotheses/h11-x.md', bytes: new Uint8Array(2 << 20) }, ...FILES]
    const read = folderOf(tooLarge, 'x', minute(0))!
    expect(read.told).toEqual(['hypotheses/h11-x.md was left out: pages are read up to 1 MiB, and 300 of them.'])
    expect(read.folder.others).toContain('hypotheses/h11-x.md')
  })

  test('read twice is the same', () => {
    const again = importFolder(imported.notebook, folder).notebook
    expect({ ...again, history: [] }).toEqual({ ...imported.notebook, history: [] })
  })
})
