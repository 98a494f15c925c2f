import { describe, expect, it } from 'vitest'
import { auditTrajectories } from '../checks/audit.ts'
import { noise, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

type Rows = ReturnType<typeof scoredRows>

async function audit(rows: Rows) {
  const tokenizer = await testTokenizer('qwen2.5')
  const trajectories = rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  return auditTrajectories(trajectories, tokenizer)
}

const findings = async (rows: Rows, code: string) => (await audit(rows)).byCode.get(code)?.findings ?? []

describe('L05', () => {
  it('takes an exact 0 for a placeholder only where the trainer contradicts it, and nowhere else', async () => {
    const contradicted = scoredRows(({ sampler, trainer, sampled }) => {
      sampler[sampled[10]!] = 0
      trainer[sampled[10]!] = -2.5
    })
    const [first] = await findings(contradicted, 'L05')
    expect(first?.message).toMatch(
      /^1 token carries loss with a placeholder for a logprob: .* is exactly 0, the trainer's -2\.50$/,
    )
    const trainerIsOff = scoredRows(({ trainer, sampled }) => {
      for (const token of sampled) trainer[token] = (trainer[token] as number) - 2
    })
    expect(await findings(trainerIsOff, 'L05')).toEqual([])
    const fatTail = scoredRows(({ sampler, trainer, sampled }) => {
      const uncertain = sampled.filter((token) => sampler[token] !== 0)
      for (const token of [uncertain[3]!, sampled.find((token) => sampler[token] === 0)!]) trainer[token] = -4
    })
    expect(await findings(fatTail, 'L05')).toEqual([])
  })

  it.each([
    ['sampler', Number.NEGATIVE_INFINITY],
    ['sampler', -1e9],
    ['trainer', 0.7],
  ] as const)('names a %s logprob of %f', async (side, value) => {
    const rows = scoredRows((scores) => {
      scores[side][scores.sampled[3]!] = value
    })
    expect(await findings(rows, 'L05')).toMatchObject([{ evidence: { of: [side], count: 1 } }, {}, {}])
  })

  it.each([-100, -50, -20])('names %d on a token that the trainer finds likely', async (value) => {
    const rows = scoredRows(({ sampler, trainer, sampled }) => {
      sampler[sampled[3]!] = value
      trainer[sampled[3]!] = -0.4
    })
    const [first, ...more] = await findings(rows, 'L05')
    expect(first?.message).toMatch(/the sampler's at token \d+ is -\d+, the trainer's -0\.40$/)
    expect(more).toHaveLength(2)
  })

  it('names a number below all that forced tokens have, where it recurs and the trainer scored nothing', async () => {
    const rows = (values: readonly number[]) =>
      scoredRows(({ sampler, sampled }, { record }) => {
        for (const [index, value] of values.entries()) sampler[sampled[3 + 5 * index]!] = value
        delete record.logprobs?.trainer
      })
    expect(await findings(rows([-100, -100]), 'L05')).toMatchObject([{ evidence: { count: 2 } }, {}, {}])
    expect(await findings(rows([-100]), 'L05')).toEqual([])
    expect(await findings(rows([-100, -97.25, -100]), 'L05')).toEqual([])
    expect(await findings(rows([-48, -48]), 'L05')).toEqual([])
  })

  it('leaves a forced token alone that the trainer finds as unlikely, and numbers of other tokens', async () => {
    const forced = scoredRows(({ sampler, trainer, sampled }) => {
      sampler[sampled[3]!] = -31
      trainer[sampled[3]!] = -28.5
    })
    expect(await findings(forced, 'L05')).toEqual([])
    // The sum of all logprobs so far.
    const sums = scoredRows(({ sampler, sampled }) => {
      let sum = 0
      for (const token of sampled) sampler[token] = sum += (sampler[token] as number) - 0.4
    })
    expect(await findings(sums, 'L05')).toEqual([])
    expect(await findings(sums, 'L01')).toHaveLength(3)
  })

  it('leaves fillers alone on what is not trained, and logprobs that are absent', async () => {
    const rows = scoredRows(({ sampler, trainer, sampled }, { layout }) => {
      sampler[layout[1]!.contentStart] = 1
      sampler[sampled[4]!] = null
      trainer[layout[1]!.contentStart] = null
    })
    expect(await findings(rows, 'L05')).toEqual([])
  })

  it.each([
    ['null', null],
    ['NaN', Number.NaN],
  ])('names a trained token that the trainer has %s for, where it scored others of the rollout', async (_, value) => {
    const rows = scoredRows(({ trainer, sampled }) => {
      trainer[sampled[5]!] = value
    })
    expect(await findings(rows, 'L05')).toMatchObject([{ evidence: { of: ['trainer'], count: 1 } }, {}, {}])
  })

  it('names a rollout that the trainer found no number for at all, where it scored most others', async () => {
    const unscored = (which: (index: number) => boolean) =>
      scoredRows(({ trainer }, _row, index) => {
        if (which(index)) trainer.fill(null)
      })
    expect(
      await findings(
        unscored((index) => index === 1),
        'L05',
      ),
    ).toMatchObject([{ record: 1, evidence: { of: ['trainer'], rollouts_with_logprobs: 2 } }])
    expect(
      await findings(
        unscored(() => true),
        'L05',
      ),
    ).toEqual([])
  })

  const ofTwoGroups = (advantage: (index: number) => number | null, rewards: readonly number[]) =>
    scoredRows(
      ({ trainer }, { record }, index) => {
        if (index < 2) trainer.fill(null)
        Object.assign(record, { advantage: advantage(index) })
      },
      (index) => ({ group: index < 2 ? 'dead' : 'live', reward: rewards[index] ?? index % 2 }),
      8,
    )

  it.each([
    ['an advantage of exactly 0', (index: number) => (index < 2 ? 0 : 1), [0, 1]],
    ['rewards that are all the same, and no advantage', () => null, [1, 1]],
  ])('lets the trainer leave out what it learns nothing from: %s', async (_, advantage, rewards) => {
    expect(await findings(ofTwoGroups(advantage, rewards), 'L05')).toEqual([])
  })

  it('names what the trainer left out though there is something to learn', async () => {
    expect(
      await findings(
        ofTwoGroups(() => 1, [1, 1]),
        'L05',
      ),
    ).toHaveLength(2)
    expect(
      await findings(
        ofTwoGroups(() => null, [0, 1]),
        'L05',
      ),
    ).toHaveLength(2)
  })

  it('names a whole turn that the trainer left out between others that it scored', async () => {
    const counts: number[] = []
    const rows = scoredRows(({ trainer, sampled }, { layout }) => {
      const { contentStart, end } = layout[2]!
      const ofTurn = sampled.filter((token) => token >= contentStart && token < end)
      for (const token of ofTurn) trainer[token] = null
      counts.push(ofTurn.length)
    })
    const found = await findings(rows, 'L05')
    expect(counts[0]).toBeGreaterThan(5)
    expect(found.map(({ evidence }) => evidence)).toMatchObject(counts.map((count) => ({ of: ['trainer'], count })))
  })

  it('says nothing of tokens that an array left blank because it lies some tokens off (L06)', async () => {
    const rows = scoredRows(({ trainer, sampled }) => {
      const was = new Map(sampled.map((token) => [token, trainer[token]!]))
      trainer.fill(null)
      for (const [token, logprob] of was) trainer[token + 1] = logprob
    })
    expect(await findings(rows, 'L05')).toEqual([])
  })
})

describe('L06', () => {
  const moved = (array: (number | null)[], from: number) =>
    array.splice(from, array.length - from, ...array.slice(from + 1), null)

  it('is not hidden by what a moved array has at the edges of turns', async () => {
    const rows = scoredRows(({ sampler, trainer, sampled }) => {
      const own = new Set(sampled)
      for (const [token, value] of sampler.entries()) {
        sampler[token] = value ?? 0
        if (!own.has(token)) trainer[token] = -9 * noise(token)
      }
      sampler.unshift(0)
      sampler.pop()
    })
    expect(await findings(rows, 'L06')).toMatchObject([{ evidence: { shift: -1, shifted_from: 0 } }, {}, {}])
  })

  it('is found where it begins with the second turn, and from there on', async () => {
    const rows = scoredRows(({ sampler }, { layout }) => moved(sampler, layout[4]!.contentStart - 1))
    const { byCode } = await audit(rows)
    const [first] = byCode.get('L06')?.findings ?? []
    expect(first?.evidence).toMatchObject({ shift: 1 })
    expect(first?.message).toContain(` from token ${first?.tokens?.[0]} on`)
    expect(byCode.get('M14')?.findings).toEqual([])
  })

  it('makes nobody believe that headers were sampled and ends were not', async () => {
    const rows = scoredRows(({ sampler }) => moved(sampler, 0))
    const { byCode } = await audit(rows)
    expect(byCode.get('L06')?.findings).toHaveLength(3)
    for (const code of ['M10', 'M14', 'L05']) expect(byCode.get(code)?.findings ?? []).toEqual([])
  })
})

describe('L02', () => {
  it('says what it saw: a gap over whole turns is told as one, and that weights may bring it as well', async () => {
    const everywhere = scoredRows(({ trainer, sampled }) => {
      for (const [k, token] of sampled.entries()) trainer[token] = (trainer[token] as number) - 0.6 - noise(k * 11) * 4
    })
    const found = await findings(everywhere, 'L02')
    expect(found.length).toBeGreaterThan(0)
    for (const { message, evidence } of found) {
      expect(evidence.seen).toBe('in every turn')
      expect(message).toMatch(/from its beginning to its end.*or weights that the sampler never got$/)
    }
    const beginnings = scoredRows(({ trainer, sampled }) => {
      for (const [k, token] of sampled.entries()) {
        if ([0, 1, 2, 3].some((back) => k < back + 1 || token - (sampled[k - back - 1] as number) > back + 1)) {
          trainer[token] = (trainer[token] as number) - 1.5
        }
      }
    })
    const [first] = await findings(beginnings, 'L02')
    expect(first?.evidence.seen).toBe('at the beginning of turns')
    expect(first?.message).toMatch(/the beginning of assistant turn 1/)
  })
})

describe('L07', () => {
  it('counts the tokens that are compared, and not the replies between them', async () => {
    const same = scoredRows(({ sampler, trainer, sampled }) => {
      for (const token of sampled) trainer[token] = sampler[token] as number
    })
    const { byCode, views } = await audit(same)
    const trained = views.reduce((sum, { facts }) => sum + (facts.trained ?? 0), 0)
    expect(byCode.get('L07')?.tally.affectedTokens).toBe(trained)
  })
})

describe('L08', () => {
  /** The same text at three steps; the trainer moves by 0.1 a token and step, the sampler by `samplerMoves`. */
  const repeated = (samplerMoves: number, trainerMoves = 0.1) => {
    const once = scoredRows(undefined, undefined, 1)
    return (tokenizer: Parameters<Rows>[0]) =>
      [0, 1, 2].map((step) => {
        const row = once(tokenizer)[0]!
        const { sampler, trainer } = row.record.logprobs as Record<string, (number | null)[]>
        row.record.logprobs = {
          sampler: sampler!.map((value) => (value === null ? null : value - step * samplerMoves)),
          trainer: trainer!.map((value) => (value === null ? null : value - step * trainerMoves)),
        }
        row.record.step = step
        return row
      })
  }

  it('names ids that the sampler scores bit by bit as it did steps ago', async () => {
    const found = await findings(repeated(0), 'L08')
    expect(found.map(({ record }) => record)).toEqual([1, 2])
    expect(found[0]?.message).toContain('bit by bit as it did at step 0, while the trainer moved by 0.1 a token')
  })

  it('is silent where the sampler moves too, where a row was written twice, and where steps are few', async () => {
    for (const rows of [repeated(0.1), repeated(0, 0)]) {
      const result = (await audit(rows)).byCode.get('L08')
      expect(result).toMatchObject({ findings: [], abstained: { status: 'not-checkable' } })
    }
  })
})

it('a row that its source masks has no gap to speak of', async () => {
  const rows = scoredRows(({ trainer, sampled }, { record }) => {
    record.loss_mask = record.input_ids.map(() => 0)
    for (const token of sampled) trainer[token] = -5
  })
  const { byCode, views } = await audit(rows)
  for (const code of ['L01', 'L02', 'L03', 'L04', 'L05', 'L06', 'L07']) expect(byCode.get(code)?.findings).toEqual([])
  expect(views[0]?.facts).not.toHaveProperty('gap')
})
