import { describe, expect, it } from 'vitest'
import { audited, qwen } from '../session/dumps.ts'

const PAD = 151643
const WIDTH = 96

/**
 * Rows of a batch of verl as its agents that train call by call make them (verl-agent): `uid` names the group, `traj_uid` the rollout; the
 * prompt of every later call is another one, and some of them are those of another group.
 */
async function rowsByCall(named: boolean, calls = 3) {
  const tokenizer = await qwen()
  const rows: object[] = []
  for (let group = 0; group < 4; group++) {
    for (let rollout = 0; rollout < 4; rollout++) {
      for (let call = 0; call < calls; call++) {
        const seen =
          call === 0
            ? 'Guess a word.'
            : `You guessed ${call} times. Word ${(group * 5 + rollout * 3 + call) % 7} is wrong.`
        const prompt = tokenizer.encode(`<|im_start|>user\n${seen}<|im_end|>\n<|im_start|>assistant\n`, {
          specials: true,
        })
        const text = `I think that it is word ${group}${rollout}${call}.<|im_end|>`
        const response = tokenizer.encode(text, { specials: true })
        const left = Array<number>(WIDTH - prompt.length).fill(PAD)
        const right = Array<number>(WIDTH - response.length).fill(PAD)
        const flags = (length: number, value: number) => Array<number>(length).fill(value)
        rows.push({
          prompts: [...left, ...prompt],
          responses: [...response, ...right],
          attention_mask: [
            ...flags(left.length, 0),
            ...flags(prompt.length + response.length, 1),
            ...flags(right.length, 0),
          ],
          response_mask: [...flags(response.length, 1), ...flags(right.length, 0)],
          rm_scores: [...flags(response.length - 1, 0), rollout % 2, ...flags(right.length, 0)],
          uid: `u${group}`,
          ...(named ? { traj_uid: `t${group}-${rollout}` } : {}),
        })
      }
    }
  }
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** Four groups of four, one rollout of which has a second call, whose prompt is all that went before; or a fifth rollout. */
async function growingPrompts(isFifth: boolean) {
  const tokenizer = await qwen()
  const encode = (text: string) => [...tokenizer.encode(text, { specials: true })]
  const rows: object[] = []
  for (let group = 0; group < 4; group++) {
    const asked = `<|im_start|>user\nGuess word ${group}.<|im_end|>\n<|im_start|>assistant\n`
    const add = (prompt: string, response: string, reward: number) =>
      rows.push({
        prompt_ids: encode(prompt),
        response_ids: encode(response),
        response_mask: encode(response).map(() => 1),
        reward,
        group_id: `u${group}`,
      })
    for (let rollout = 0; rollout < 4; rollout++) {
      const answer = `I think that it is word ${rollout} of ${group}.<|im_end|>`
      add(asked, answer, rollout % 2)
      const goesOn = `${asked}${answer}\n<|im_start|>user\nWrong.<|im_end|>\n<|im_start|>assistant\n`
      if (group === 1 && rollout === 2) add(isFifth ? asked : goesOn, `Then it is word ${group}7.<|im_end|>`, 1)
    }
  }
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

describe('a batch of verl with a row for every call', () => {
  it('has as many rollouts in a group as were started, and no foreign ones', async () => {
    const report = (await audited(await rowsByCall(true))).report()
    expect(report.sources[0]?.format?.id).toBe('verl-batch')
    expect(report.checks.find(({ code }) => code === 'A05')).toMatchObject({ status: 'pass', checked: 4 })
    expect(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)).toEqual(['S06'])
  })

  it('is as any other where every rollout has one call', async () => {
    const report = (await audited(await rowsByCall(true, 1))).report()
    expect(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)).toEqual([])
    expect(report.totals).toMatchObject({ trajectories: 16, groups: 4 })
  })

  it('has groups of many prompts where nothing names the rollout, and no rollout of another question', async () => {
    const report = (await audited(await rowsByCall(false))).report()
    expect(report.checks.find(({ code }) => code === 'A05')?.status).not.toBe('fail')
  })

  it('has no more rollouts than were started where later prompts go on from the first', async () => {
    const a05 = async (foreign: boolean) => {
      const report = (await audited(await growingPrompts(foreign), { groupSize: 4 })).report()
      return report.findings.filter(({ code }) => code === 'A05').map(({ message }) => message)
    }
    expect(await a05(false)).toEqual([])
    expect(await a05(true)).toEqual([expect.stringContaining('has 5 rollouts where 4 are generated')])
  })
})
