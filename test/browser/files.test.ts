import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

/** As verl writes it beside a run. */
const RUN_CONFIG =
  'model:\n  name: Qwen/Qwen2.5-7B-Instruct\nactor_rollout_ref:\n  rollout:\n    n: 8\ndata:\n  max_prompt_length: 1024\n'

describePage('files of every kind', (tests) => {
  const { folder } = tests
  let window: Window

  beforeEach(async () => {
    window = await tests.open()
  })
  afterEach(async () => {
    expect(window.errors).toEqual([])
    await window.close()
  })

  test.each<[string, string | Uint8Array, RegExp]>([
    ['empty.jsonl', '', /empty\.jsonl is empty.*check that/],
    ['blank.jsonl', '\n \n', /blank\.jsonl holds nothing but white space.*Check that/],
    // Hidden, and still what somebody gave.
    ['.env', 'KEY=1\n', /\.env is text, but no JSON.*Convert it/],
    ['notes.jsonl', 'not a dump\n', /notes\.jsonl is text, but no JSON.*Convert it/],
    [
      'weights.bin',
      Uint8Array.from({ length: 512 }, (_, k) => k),
      /weights\.bin is a binary file.*Write the rollouts as JSONL/,
    ],
    ['run.parquet', 'PAR1....', /run\.parquet is a Parquet file without its end.*Copy or write the file again/],
    ['config.json', '{"a": 1}', /config\.json: its records are of no known format.*The start page lists the formats/],
    [
      'config.yaml',
      RUN_CONFIG,
      /config\.yaml holds no rollouts \(description of the run\)\. Give the files with its rollouts/,
    ],
    ['list.json', '[]', /list\.json holds no record.*Check that/],
    ['cut.json', '[{"input_ids": [1', /cut\.json: no record could be read.*Check that/],
    [
      'cut.jsonl.gz',
      gzipSync('{"input_ids": [1]}\n'.repeat(50)).subarray(0, 24),
      /cut\.jsonl\.gz.*damaged or was cut short/,
    ],
    ['empty.jsonl.gz', gzipSync(''), /empty\.jsonl\.gz is a gzip file with nothing in it.*Check that/],
  ])('%s is answered with one sentence that says what to do, and the page goes on', async (name, content, sentence) => {
    const { page } = window
    await window.drop([folder.write(name, content)])
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('alert').locator('.problem').count()).toBe(1)
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(sentence)
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz')])
    await window.read()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a file that cannot be read leaves the rollouts that are open where they are', async () => {
    const { page } = window
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz')])
    await window.read()
    await page.keyboard.press('2')
    await window.drop([folder.write('weights.bin', '\u0000\u0001\u0002')])
    await page.getByRole('alert').waitFor()
    await page.getByText('64 of 64 rollouts listed').waitFor()
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('weights.bin')
    await window.drop([folder.write('config.yaml', RUN_CONFIG)])
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('config.yaml holds no rollouts')
    await page.getByText('64 of 64 rollouts listed').waitFor()
  })

  test('files that cannot be read stand beside those that can, the first few in sentences and all in the list', async () => {
    const { page } = window
    const bad = Array.from({ length: 5 }, (_, k) => folder.write(`weights_${k}.bin`, '\u0000\u0001\u0002'))
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz'), ...bad])
    await window.read()
    const sentences = page.getByRole('alert').locator('.problem')
    await expect.poll(() => sentences.count()).toBe(4)
    await expect.poll(() => sentences.last().innerText()).toContain('2 more files could not be read.')
    await page.getByRole('button', { name: /^format native · 5 files not read/ }).waitFor()
    await page.getByRole('button', { name: /^files/ }).click()
    for (const k of bad.keys()) {
      await page
        .getByRole('dialog')
        .getByRole('heading', { name: `weights_${k}.bin` })
        .waitFor()
    }
    await page.keyboard.press('Escape')
    await page.getByText('64 of 64 rollouts listed').waitFor()
  })

  test('a page of words and a picture beside the rollouts are no problem: they are named as left out', async () => {
    const { page } = window
    const gsm = readFileSync(join(SAMPLES, 'clean-gsm8k.jsonl.gz'))
    for (const [name, content] of [
      ['run_7/step_1.jsonl.gz', gsm],
      ['run_7/README.md', '# Run 7\n\nNotes.\n'],
      ['run_7/curve.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0)],
    ] as const)
      folder.write(name, content)
    await window.drop([join(folder.path, 'run_7')])
    await window.read()
    await page.locator('.notice').getByText('and 1 more hold no rollouts: left out').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: /^format native$/ }).waitFor()
    await page.getByRole('button', { name: /^files/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Left out' }).waitFor()
    await dialog.getByText('README.md is text, but no JSON', { exact: false }).waitFor()
    await dialog.getByText('curve.png is a PNG image', { exact: false }).waitFor()
    expect(await dialog.locator('.error-text').count()).toBe(0)
    await page.keyboard.press('Escape')
    // By itself it is what somebody meant to open.
    await window.drop([join(folder.path, 'run_7', 'README.md')])
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('README.md is text, but no JSON')
  })

  test('an empty folder, and a tokenizer without rollouts, are answered with a sentence', async () => {
    const { page } = window
    mkdirSync(join(folder.path, 'nothing'))
    await window.drop([join(folder.path, 'nothing')])
    await page.getByText('The folder nothing holds no file.').waitFor()
    await window.drop([folder.write('tokenizer.json', '{}')])
    await page.getByText('A tokenizer was dropped, but no rollouts are open.').waitFor()
    await window.drop([folder.write('tokenizer_config.json', '{}')])
    await page.getByText('tokenizer_config.json alone is no tokenizer.').waitFor()
  })

  test('a folder is read whatever its name is, without what is hidden in it or lies beside what was dropped', async () => {
    const { page } = window
    folder.write('.runs/step_1.jsonl', '{"input_ids": [1, 2]}\n')
    folder.write('.runs/.state', 'not a dump\n')
    const beside = folder.write('.DS_Store', 'not a dump\n')
    await window.drop([join(folder.path, '.runs'), beside])
    await window.read()
    await page.getByText('step_1.jsonl').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a folder is walked, and a bad record costs no neighbour and is named', async () => {
    const { page } = window
    mkdirSync(join(folder.path, 'run', 'step_2'), { recursive: true })
    const good = JSON.stringify({ input_ids: [151644, 77091, 198, 9707, 151645], loss_mask: [0, 0, 0, 1, 1] })
    folder.write('run/step_1.jsonl', `${good}\n{"input_ids": [1,\n${good}\n`)
    folder.write('run/step_2/step_2.jsonl', good)
    await window.drop([join(folder.path, 'run')])
    await page.getByText('read 3 rollouts').waitFor()
    await page.getByRole('button', { name: '1 record skipped' }).click()
    const row = page.getByRole('dialog').getByRole('row').nth(1)
    expect((await row.innerText()).split('\t').slice(0, 3)).toEqual(['run/step_1.jsonl', '1', '2'])
    await page.keyboard.press('Escape')
  })

  test.each([
    ['tokenizer.json', '{"model": 3}', /tokenizer/],
    ['tokenizer.json', 'no JSON', /tokenizer.* is not JSON/],
    ['tokenizer.model', '\u000a\u000e', /tokenizer\.model alone is no tokenizer\. Drop the tokenizer\.json/],
  ])('a tokenizer that is none (%s, %j) is refused, and the rollouts stay open', async (name, content, sentence) => {
    const { page } = window
    await window.drop([join(SAMPLES, 'clean-gsm8k.jsonl.gz')])
    await window.read()
    const file = folder.write(name, content)
    await window.drop([file])
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('alert').locator('.problem').count()).toBe(1)
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(sentence)
    await page.keyboard.press('2')
    await page.locator('tbody tr').first().waitFor()
    // Dropped together with rollouts it costs its sentence and nothing else.
    await window.drop([join(SAMPLES, 'clean-qwen2.5.jsonl.gz'), file])
    await page.getByRole('button', { name: /^files.*clean-qwen2\.5/ }).waitFor()
    await window.read()
  })
})
