import { expect, test } from 'vitest'
import { cleanRollout, lines, qwen, rolloutWithTrainedReply } from '../session/dumps.ts'
import { describePage } from './describe-page.ts'

describePage('a way to train that the dump looks like', (tests) => {
  const { folder } = tests

  test('is suggested, explains nothing until a person says that it is meant, and can be taken back', async () => {
    const tokenizer = await qwen()
    const rollouts = [1, 2, 3].map((seed) => rolloutWithTrainedReply(tokenizer, seed))
    const window = await tests.open()
    const { page } = window
    await window.drop([folder.write('trained-replies.jsonl', lines(rollouts))])
    await window.read()
    const verdict = (word: string) => page.locator(`article.${word}`, { hasText: 'H02 ·' }).waitFor()
    await verdict('supported')
    await page.getByRole('button', { name: /^policy/ }).click()
    await page
      .locator('p', { hasText: /tokens of tool replies are trained as what the model wrote is/ })
      .last()
      .waitFor()
    await page.getByRole('button', { name: 'M01 is meant' }).click()
    await verdict('contradicted')
    await page.getByRole('button', { name: /^policy/ }).click()
    await page.getByText('Declared as meant: M01.').waitFor()
    expect(await page.getByText(/tokens of tool replies are trained/).count()).toBe(0)
    await page.getByRole('button', { name: 'Take it back' }).click()
    await verdict('supported')
    // Any check that fails may be meant so, whether the dump looks like it or not.
    await page.getByRole('button', { name: /^policy/ }).click()
    const meant = page.getByRole('button', { name: 'It is meant' })
    expect(await meant.isDisabled()).toBe(true)
    // To go through the list by key declares nothing.
    const failing = page.getByRole('combobox', { name: 'Something that fails is meant so:' })
    await failing.press('ArrowDown')
    await failing.press('ArrowDown')
    expect(await failing.inputValue()).not.toBe('')
    await failing.selectOption('M01')
    await meant.click()
    await verdict('contradicted')
    await page.getByRole('button', { name: /^policy/ }).click()
    await page.getByText('Declared as meant: M01.').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('and that is only unusual leads from what to do first to where it stands', async () => {
    const tokenizer = await qwen()
    const rollouts = [0, 1].map((seed) =>
      cleanRollout(tokenizer, seed, { more: { rollout_id: 'r', branch: String(seed) } }),
    )
    const window = await tests.open()
    const { page } = window
    await window.drop([folder.write('branches.jsonl', lines(rollouts))])
    await window.read()
    await page.getByRole('button', { name: 'S06', exact: true }).and(page.getByTitle('Go to S06')).click()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('cause-S06')
    await window.close()
  })

  test('what an entry of the mask marks is found out, and said by a person where it is another', async () => {
    const tokenizer = await qwen()
    const rollouts = [1, 2, 3].map((seed) => rolloutWithTrainedReply(tokenizer, seed))
    const window = await tests.openWith([folder.write('alignment.jsonl', lines(rollouts))])
    const { page } = window
    const open = () => page.getByRole('button', { name: /^policy/ }).click()
    const marks = (name: string) => page.getByRole('button', { name, exact: true })
    await open()
    await page.getByText('Found out from the dump.').waitFor()
    expect(await marks('the token itself').getAttribute('aria-pressed')).toBe('true')
    await marks('the prediction of the next token').click()
    await page.getByText('Read again under the new settings').waitFor()
    await open()
    await page.getByText('Chosen by you.').waitFor()
    expect(await marks('the prediction of the next token').getAttribute('aria-pressed')).toBe('true')
    await marks('Find out from the dump again').click()
    await page.getByText('Read again under the new settings').waitFor()
    await open()
    await page.getByText('Found out from the dump.').waitFor()
    expect(await marks('the token itself').getAttribute('aria-pressed')).toBe('true')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('nothing is said to be found out of a mask that is not there', async () => {
    const rollout = cleanRollout(await qwen(), 1, { mask: 'none' })
    const window = await tests.openWith([folder.write('no-mask.jsonl', lines([rollout]))])
    const { page } = window
    await page.getByRole('button', { name: /^policy/ }).click()
    await page.getByText('This dump has no mask.').waitFor()
    expect(await page.getByText('Found out from the dump.').count()).toBe(0)
    await window.close()
  })
})
