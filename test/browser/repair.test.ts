import { readFileSync } from 'node:fs'
import type { Download } from 'playwright-core'
import { expect, test } from 'vitest'
import { lines, qwen, rolloutWithTrainedReply } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'

describePage('exports with repaired masks', (tests) => {
  test('leave tool replies out of the loss, and say in the manifest what they changed', async () => {
    const tokenizer = await qwen()
    const rollouts = [1, 2, 3].map((seed) => rolloutWithTrainedReply(tokenizer, seed))
    const window = await tests.open()
    const { page } = window
    await window.drop([tests.folder.write('replies.jsonl', lines(rollouts))])
    await window.read()
    await page.keyboard.press('2')
    await page.getByText('3 of 3 rollouts listed').waitFor()
    const downloads: Download[] = []
    page.on('download', (download) => downloads.push(download))
    await page.keyboard.press('Control+k')
    await page.keyboard.type('export the rollouts that the table shows')
    await page.keyboard.press('Enter')
    await page.getByRole('checkbox', { name: /^Repair them/ }).check()
    await page.keyboard.press('Enter')
    await expect.poll(() => downloads.length).toBe(2)
    const textOf = async (name: RegExp) => {
      const file = downloads.find((download) => name.test(download.suggestedFilename())) as Download
      return readFileSync(await file.path(), 'utf8')
    }
    const written = (await textOf(/\.jsonl$/)).trimEnd().split('\n')
    expect(written).toHaveLength(3)
    for (const [i, line] of written.entries()) {
      const { record, layout } = rollouts[i] as (typeof rollouts)[number]
      const { loss_mask: repaired, ...others } = JSON.parse(line)
      const { loss_mask: stored, ...unchanged } = record
      expect(others).toEqual(unchanged)
      const wanted = [...(stored as number[])]
      for (const turn of layout) if (turn.role === 'tool') wanted.fill(0, turn.start, turn.end)
      expect(repaired).toEqual(wanted)
      expect(wanted).not.toEqual(stored)
    }
    expect(await textOf(/^manifest\.json$/)).toMatch(/"repaired": [1-9]/)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('are offered only for what holds masks', async () => {
    const tokenizer = await qwen()
    const window = await tests.open()
    const { page } = window
    await window.drop([tests.folder.write('replies.jsonl', lines([rolloutWithTrainedReply(tokenizer, 1)]))])
    await window.read()
    await page.keyboard.press('E')
    const formats = page.getByRole('group', { name: 'As' }).getByRole('radio')
    await formats.first().waitFor()
    const offered: string[] = []
    for (const format of await formats.all()) {
      await format.check()
      if (await page.getByRole('checkbox', { name: /^Repair them/ }).isEnabled())
        offered.push(await format.evaluate((input) => (input.parentElement as HTMLElement).innerText))
    }
    expect(offered.map((words) => words.split(':')[0])).toEqual([
      'As stored',
      'Native JSONL',
      'Parquet',
      'Rows for supervised fine-tuning',
    ])
    await page.keyboard.press('Escape')
    expect(window.errors).toEqual([])
    await window.close()
  })
})
