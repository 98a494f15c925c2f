import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { violations } from './axe.ts'
import { describePage } from './describe-page.ts'
import { SAMPLES, type Window } from './inspector-page.ts'

/** Two-hop questions with a search tool, laid out wrong; the same laid out right; word problems of one turn. */
const TRAINING = join(SAMPLES, 'verifiers-2025-08.jsonl.gz')
const EVALUATION = join(SAMPLES, 'clean-qwen2.5.jsonl.gz')
const SINGLE_TURN = join(SAMPLES, 'clean-gsm8k.jsonl.gz')
/** In Compare, what is dropped in the middle of the window is a second run. */
const LOW = 400

async function saved(
  { page }: Window,
  button: string,
  as: 'CSV' | 'Markdown',
): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('dialog').getByRole('radio', { name: as }).check()
  await page.getByRole('button', { name: `Save as ${as}` }).click()
  const file = await download
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

describePage('two runs beside each other', (page) => {
  async function comparing(first: string, second: string): Promise<Window> {
    const window = await page.openWith([first])
    await window.page.keyboard.press('5')
    await window.page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([second], LOW)
    await window.page.getByRole('heading', { name: 'What differs' }).waitFor()
    return window
  }

  /** The cells of a measure: what it is of, both values, the difference. */
  async function measure({ page: view }: Window, name: string): Promise<string[]> {
    const row = view.getByRole('row').filter({ has: view.getByRole('rowheader', { name, exact: true }) })
    return (await row.getByRole('cell').allInnerTexts()).slice(0, 4)
  }

  test('by step: a point opens rollouts only where the open run has the step', async () => {
    const stepped = (name: string, steps: readonly number[]) =>
      page.folder.write(
        name,
        steps
          .map((step) =>
            JSON.stringify({
              id: `${name} ${step}`,
              input_ids: [151644, 77091, 198, 9707, 151645],
              loss_mask: [0, 0, 0, 1, 1],
              reward: 1500 + step / 10,
              step,
            }),
          )
          .join('\n'),
      )
    const window = await comparing(stepped('short.jsonl', [1, 2]), stepped('long.jsonl', [1, 2, 3]))
    const { page: view } = window
    await view.keyboard.press('c')
    const reward = view.getByRole('slider', { name: /^mean reward: open run .*, steps 1 to 3; Enter shows/ })
    await reward.focus()
    await view.keyboard.press('End')
    expect(await reward.getAttribute('aria-valuetext')).toMatch(/^step 3: open run –, second run /)
    expect(await reward.getAttribute('data-opens')).toBeNull()
    await view.keyboard.press('Enter')
    await view.keyboard.press('ArrowLeft')
    expect(await reward.getAttribute('aria-valuetext')).toMatch(/^step 2: /)
    await view.keyboard.press('Enter')
    await expect.poll(() => view.getByRole('combobox', { name: /^Query/ }).inputValue()).toBe('step:2')
    await view.getByText('1 of 2 rollouts listed').waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a run of several turns and one of a single turn: what differs, and what only one of them tells', async () => {
    const window = await comparing(TRAINING, SINGLE_TURN)
    const { page: view } = window
    await expect.poll(() => view.locator('.verdict-row').filter({ hasText: 'H07' }).innerText()).toMatch(/supported/)
    expect(await measure(window, 'rollouts of several assistant turns')).toEqual(['turns', '100 %', '0 %', '−100 pp'])
    expect(await measure(window, 'T05 Assistant header is missing')).toEqual(['checks', '100 %', '0 %', '−100 pp'])
    await view.locator('summary').filter({ hasText: 'What only one of the runs tells' }).click()
    const [section, here, there] = await measure(window, 'tool reply, mean length')
    expect([section, there]).toEqual(['lengths', 'nothing to take it from'])
    expect(Number(here?.replace(',', ''))).toBeGreaterThan(50)

    await view.getByRole('combobox').selectOption('checks')
    await expect
      .poll(() => view.getByRole('rowheader', { name: 'rollouts of several assistant turns' }).count())
      .toBe(0)
    await view.getByRole('combobox').selectOption('')
    await view.getByRole('searchbox', { name: 'Measures whose name has' }).fill('dead groups')
    expect(await measure(window, 'dead groups (all rewards the same)')).toHaveLength(4)
    await view.getByRole('searchbox', { name: 'Measures whose name has' }).fill('')

    const csv = await saved(window, 'Save…', 'CSV')
    expect(csv.name).toBe('comparison.csv')
    expect(csv.text).toContain('rollouts of several assistant turns,share,1,0,-1,1,true')
    const markdown = await saved(window, 'Save…', 'Markdown')
    expect(markdown.text).toContain('- second run: clean-gsm8k.jsonl.gz')
    expect(markdown.text).toContain('| rollouts of several assistant turns | 100 % | 0 % | −100 points |')

    await view.getByRole('tab', { name: /^Distributions and steps/ }).click()
    await view.getByRole('img', { name: /^tokens of the whole rollout: open run most often/ }).waitFor()
    await view.getByRole('tab', { name: /^Same questions/ }).click()
    await view.getByText('No question is in both runs.').waitFor()
    // What has no pair can be read all the same.
    await view.getByRole('tab', { name: /^Any two rollouts/ }).click()
    await view.getByRole('button', { name: 'Next rollout of the second run' }).click()
    await view.getByRole('region', { name: 'Both rollouts side by side' }).waitFor()
    expect(new URL(view.url()).hash).toContain('compare.there=1')

    // A number leads to its rollouts.
    await view.getByRole('tab', { name: /^Measures/ }).click()
    await view
      .getByRole('row')
      .filter({ hasText: 'T05 Assistant header is missing' })
      .getByRole('button', { name: '100 %' })
      .click()
    await view.getByRole('grid', { name: 'Rollouts' }).waitFor()
    expect(new URL(view.url()).hash).toContain('view=rollouts')
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('training and evaluation of the same questions: pairs, their prompts, and both rollouts side by side', async () => {
    const window = await comparing(TRAINING, EVALUATION)
    const { page: view } = window
    await expect
      .poll(() => view.locator('.verdict-row').filter({ hasText: 'H08' }).innerText())
      .toMatch(/supported[\s\S]*100 % share of paired questions whose tools differ/)
    await view.keyboard.press('q')
    const rows = view.getByRole('grid', { name: 'Questions that both runs have' }).locator('tbody tr')
    await view.getByText('12 questions in both').waitFor()
    await rows.nth(11).waitFor()
    await expect.poll(() => rows.count()).toBe(12)
    await view.getByRole('button', { name: /^tools 12 of 12$/ }).waitFor()
    // Numbers of a column have like decimals, of whichever pair they are; none and all are exact.
    const rewards = await rows.locator('td:nth-child(3)').allInnerTexts()
    expect(rewards.filter((text) => !/^\d\.\d{3}( → \d\.\d{3})?$/.test(text))).toEqual([])
    const cuts = await rows.locator('td:nth-child(5)').allInnerTexts()
    expect(cuts.filter((text) => !/^(0|100|\d+\.\d) %( → (0|100|\d+\.\d) %)?$/.test(text))).toEqual([])
    expect(cuts).toEqual(expect.arrayContaining(['12.5 % → 0 %', '50.0 % → 0 %', '0 %']))
    await view.getByText('The prompts of the open run lack its tools (T07).').waitFor()
    await view.getByRole('button', { name: /^system text 0 of 12$/ }).click()
    await view.getByText('No pair differs in system text.').waitFor()
    await view.getByRole('button', { name: 'Show all 12' }).click()

    // Both are read: the open run's rollout on the left, the second run's on the right.
    const beside = view.getByRole('region', { name: 'Both rollouts side by side' })
    await beside.waitFor()
    await view.getByText(/^They begin with the same \d+ tokens and part in turn 0, system/).waitFor()
    await view.getByRole('button', { name: '↓ next difference' }).click()
    await view.getByText(/^1 of \d+$/).waitFor()
    await expect.poll(() => beside.innerText()).toMatch(/#.Tools/)
    const second = view.getByRole('region', { name: 'Rollouts of the second run' })
    await second.getByRole('button', { name: /^q601-3/ }).click()
    await view.locator('.aligned-head').filter({ hasText: 'second run q601-3' }).waitFor()

    const before = await rows.first().innerText()
    await view.getByRole('button', { name: 'mean reward', exact: true }).last().click()
    await view.waitForFunction(
      (text) => document.querySelector('.pair-table tbody tr')?.textContent !== text,
      before.replaceAll(/\s/g, ''),
    )
    await view.keyboard.press('j')
    expect(new URL(view.url()).hash).toMatch(/view=compare&compare\.tab=pairs/)
    const pairs = await saved(window, 'Save the pairs…', 'CSV')
    expect(pairs.text.trim().split('\n')).toHaveLength(13)
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('can be swapped, and ended', async () => {
    const window = await comparing(TRAINING, SINGLE_TURN)
    const { page: view } = window
    await view.getByRole('button', { name: '⇄ Swap' }).click()
    await view.locator('.compare-run.open').filter({ hasText: 'clean-gsm8k.jsonl.gz' }).waitFor()
    await expect.poll(() => view.locator('.compare-run.second').innerText()).toContain('verifiers-2025-08.jsonl.gz')
    expect(await measure(window, 'rollouts of several assistant turns')).toEqual(['turns', '0 %', '100 %', '+100 pp'])
    await view.getByRole('button', { name: 'Take it away' }).click()
    await view.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test('a number of the second run opens its rollouts, and lays what was open beside them', async () => {
    const window = await comparing(TRAINING, SINGLE_TURN)
    const { page: view } = window
    const row = view
      .getByRole('row')
      .filter({ has: view.getByRole('rowheader', { name: 'whole rollout, mean length', exact: true }) })
    await row.locator('.number button').nth(1).click()
    await view.getByText(/^(\d+) of \1 rollouts listed$/).waitFor()
    await expect.poll(() => new URL(view.url()).hash).toMatch(/view=rollouts.*tokens/)
    await view.keyboard.press('5')
    await view.locator('.compare-run.open').filter({ hasText: 'clean-gsm8k.jsonl.gz' }).waitFor()
    expect(window.errors).toEqual([])
    await window.close()
  })

  test.each(['light', 'dark'] as const)('groups and comparison break no rule of axe-core, %s', async (colorScheme) => {
    const window = await page.openWith([TRAINING], { colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const { page: view } = window
    const broken: Record<string, string[]> = {}
    const look = async (name: string) => {
      const found = await violations(view)
      if (found.length > 0) broken[name] = found
    }
    await view.keyboard.press('3')
    await view.locator('.sibling').first().waitFor()
    await look('groups')
    await view.keyboard.press('d')
    await view.getByRole('region', { name: 'Both rollouts side by side' }).waitFor()
    await look('siblings side by side')
    await view.keyboard.press('5')
    await view.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await look('no second run')
    await window.drop([EVALUATION], LOW)
    await view.getByRole('heading', { name: 'What differs' }).waitFor()
    const folded = view.locator('.measure-group:not([open]) > summary')
    while ((await folded.count()) > 0) await folded.first().click()
    await look('measures')
    await view.keyboard.press('c')
    await view.locator('.curve').first().waitFor()
    await look('curves')
    await view.keyboard.press('q')
    await view.getByRole('region', { name: 'Both rollouts side by side' }).waitFor()
    await look('pairs')
    await view.keyboard.press('b')
    await view.getByRole('region', { name: 'Both rollouts side by side' }).waitFor()
    await look('any two')
    expect(broken).toEqual({})
    await window.close()
  })

  test('a rollout of the second run is opened whole, marked as that, and a link leads back to it', async () => {
    const window = await comparing(EVALUATION, TRAINING)
    const { page: view } = window
    await view.keyboard.press('q')
    await view.getByRole('row', { name: /^q702/ }).click()
    await view.getByRole('region', { name: 'Rollouts of the second run' }).getByText('q702-1', { exact: true }).click()
    await view.locator('.pair-table').focus()
    await view.keyboard.press('Shift+Enter')
    await view.getByRole('heading', { level: 1, name: 'q702-1' }).waitFor()
    await view.locator('.second-mark').waitFor()
    // The open run is clean: what is found, coloured and counted over the dump is of the other.
    await view
      .getByRole('button', { name: /Assistant turn 2 has no header/ })
      .first()
      .click()
    await view.locator('.token.trained').first().waitFor()
    await view.keyboard.press('b')
    await view
      .getByText(/header missing: 186 of 186/)
      .first()
      .waitFor()
    expect(await violations(view)).toEqual([])
    await view.keyboard.press('f')
    await view.getByText('swap the runs to leave some here', { exact: false }).waitFor()
    await expect.poll(() => view.getByRole('button', { name: '0 flagged', exact: true }).count()).toBe(1)
    await view.keyboard.press('n')
    await view.getByRole('heading', { level: 1, name: 'q702-2' }).waitFor()
    const address = view.url()
    expect(address).toMatch(/second=10&beside=[0-9a-f]{8,}/)

    await view.keyboard.press('Escape')
    await view.getByRole('article', { name: 'The same question in both runs' }).waitFor()
    expect(view.url()).toContain('compare.pair=')

    await view.goto(address)
    await view.reload()
    await window.drop([EVALUATION])
    await view.getByText('there is no second run', { exact: false }).waitFor()
    await window.drop([SINGLE_TURN], 800)
    await view.getByText('is not the one that the link was made beside', { exact: false }).waitFor()
    await window.drop([TRAINING], 800)
    await view.getByRole('heading', { level: 1, name: 'q702-2' }).waitFor()
    expect(view.url()).toBe(address)
    expect(window.errors).toEqual([])
    await window.close()
  })
})
