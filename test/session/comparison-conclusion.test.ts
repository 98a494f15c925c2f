import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { sampleBytes } from '../samples/read-sample.ts'
import { compared } from './compared.ts'
import { comparedRuns } from './compared-runs.ts'
import { cleanRollout, qwen } from './dumps.ts'

let training: string
let evaluation: string
let single: string
beforeAll(async () => {
  ;({ training, evaluation, single } = await comparedRuns())
})

describe('a comparison', () => {
  it('comes to what differs and what that decides, in sentences', async () => {
    const { conclusion } = await (await compared(training, evaluation)).ask('comparison', {})
    expect(conclusion.caveats).toEqual([])
    expect(conclusion.differs).toMatch(
      /^\d+ of \d+ measures and settings differ by more than chance: H02 is supported in the open run/,
    )
    expect(conclusion.differs).toMatch(/fails? in the open run only \([^)]*M01/)
    expect(conclusion.differs).toContain('the mean reward is 0.25 in the open run and 1 in the second; a limit cut 0 %')
    expect(conclusion.decides).toMatch(/H08 is supported \(low confidence\): the same questions are put,/)
    expect(conclusion.decides).toContain('Left open: H06-library (lacks a single-turn run)')
  })

  it('calls alike only what was compared and found alike', async () => {
    const texts = (reward: number) =>
      Array.from({ length: 12 }, (_, i) => {
        const prompt = [{ role: 'user', content: `Where does river ${i} rise?` }]
        const completion = [{ role: 'assistant', content: `In valley ${i + 100 * reward}.` }]
        return `${JSON.stringify({ example_id: i, prompt, completion, reward, generation_ms: 1, info: {} })}\n`
      }).join('')
    const spoken = (await (await compared(texts(1), texts(0.5))).ask('comparison', {})).conclusion
    expect(spoken.decides).toContain('H08 (lacks ids of the prompts in both runs, by one tokenizer)')
    const tokenizer = await qwen()
    const records = (padRight: number) =>
      Array.from({ length: 12 }, (_, seed) => cleanRollout(tokenizer, seed, { padRight }).record)
    const unrewarded = records(1).map(({ reward: _, ...record }) => record)
    const [run, other] = [records(0), unrewarded].map((rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const { conclusion } = await (await compared(run as string, other as string)).ask('comparison', {})
    expect(conclusion.decides).toMatch(
      /H08 is contradicted \(\w+ confidence\): the same questions are put and ended alike; whether they are scored alike is not decided\./,
    )
  })

  it('takes a fault for as grave as the run has it that it is in', async () => {
    const text = (name: string) => gunzipSync(sampleBytes(name)).toString('utf8')
    const page = await compared(text('verifiers-2025-08'), text('clean-gsm8k'))
    // Every row of M04 was cut, which makes it a note there; the other run passes it.
    const { checks } = await page.ask('report', {})
    expect(checks.find(({ code }) => code === 'M04')).toMatchObject({ severity: 'info', status: 'fail' })
    const { conclusion } = await page.ask('comparison', {})
    expect(conclusion.differs).toContain('4 error-level checks fail in the open run only')
    expect(conclusion.differs).not.toContain('M04')
  })

  it('lists H07 where one run alone decides it otherwise, and lays tools that one prompt lacks to that run', async () => {
    const text = (name: string) => gunzipSync(sampleBytes(name)).toString('utf8')
    const page = await compared(text('clean-qwen2.5'), text('verifiers-2025-08'))
    const { conclusion, pairs } = await page.ask('comparison', {})
    expect(conclusion.differs).toContain('and H07 are contradicted in the open run and supported in the second')
    expect(conclusion.decides).toContain('which is a fault where one of them is an evaluation of the other')
    expect(pairs).toMatchObject({ tools: { affected: 12 }, system: { affected: 0 }, rendering: null })
    const { prompt } = await page.ask('pair', { position: 0 })
    expect(prompt.map(({ what, says }) => [what, says])).toEqual([
      ['system', []],
      ['tools', ['The prompts of the second run lack its tools (T07).']],
    ])
  })

  it('says where two runs may differ for another reason than what is asked', async () => {
    const named = (text: string, model: string) =>
      text.replaceAll(/^\{/gm, `{"model":${JSON.stringify(model)},`).split('\n')
    const [many, few] = [named(training, 'org/large'), named(single, 'org/small').slice(0, 4)]
    const page = await compared(many.join('\n'), few.join('\n'))
    const { conclusion, here, there } = await page.ask('comparison', {})
    expect([here.model, there.model]).toEqual(['org/large', 'org/small'])
    expect(conclusion.caveats).toEqual([
      'They are runs of two models, org/large and org/small: a difference may be that of the models.',
      'No question is in both: a difference may be that of the tasks.',
      'The second run has 4 rollouts: too few for much to be sure of.',
    ])
    expect(conclusion.decides).toMatch(/^H07 is supported \(low confidence\): the fault comes with the second turn\./)
  })

  it('of a run with itself finds nothing, and says so', async () => {
    const { conclusion } = await (await compared(training, training)).ask('comparison', {})
    expect(conclusion.differs).toMatch(
      /^Both runs are alike in all \d+ measures and settings that both tell, but for what chance explains\.$/,
    )
    expect(conclusion.caveats[0]).toBe(
      'Most rollouts of the questions that both have are the same records: one run is laid beside itself, wholly or in part. Choose another second run.',
    )
    expect(conclusion.decides).not.toContain('H08 is')
    expect(conclusion.decides).toContain('H08 (lacks another run)')
  })

  it('is written as a table, as Markdown and as a table of pairs', async () => {
    const page = await compared(training, evaluation)
    const text = async (as: 'csv' | 'markdown' | 'pairs') => {
      const input = as === 'pairs' ? ({ of: 'pairs', as: 'csv' } as const) : ({ of: 'measures', as } as const)
      const [file] = (await page.ask('comparisonExport', input)).files
      return { name: file!.name, text: new TextDecoder().decode(file!.bytes) }
    }
    const csv = await text('csv')
    expect(csv.name).toBe('comparison.csv')
    expect(csv.text).toMatch(/^section,measure,unit,open_run,second_run,difference,/)
    expect(csv.text).toContain('\nreward,mean reward,number,0.25,1,0.75,0.75,true,')
    const markdown = (await text('markdown')).text
    expect(markdown).toContain('- open run: first.jsonl (12 rollouts in 12 groups, tokenizer qwen2.5)')
    expect(markdown).toMatch(/\| mean reward \| 0\.25 \| 1 \| \+0\.75 \|/)
    expect(markdown).toMatch(/\*\*H08\*\* Evaluation\/training mismatch: supported/)
    const pairs = (await text('pairs')).text.trim().split('\n')
    expect(pairs).toHaveLength(10)
  })
})
