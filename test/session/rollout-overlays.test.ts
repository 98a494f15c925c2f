import { beforeAll, describe, expect, it } from 'vitest'
import { TokenState } from '../../shared/model/tokens.ts'
import { NO_STEP, OVERLAY_STEPS, OVERLAYS, type OverlayScale } from '../../shared/session/requests/rollout.ts'
import { placeOn, reachOf, stepsOf } from '../../shared/session/rollout/overlay-scale.ts'
import type { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { wholeRollout } from '../browser/rollout-dumps.ts'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { audited, cleanRollout, lines, qwen } from './dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

const scale = (more: Partial<OverlayScale>): OverlayScale => ({
  kind: 'sequential',
  from: 0,
  to: 1,
  centre: 0,
  isLog: false,
  how: '',
  about: '',
  unit: '',
  scored: 0,
  placeholders: 0,
  beyond: 0,
  ...more,
})

const TOKENS = { one: 'token', rest: ' of it' }

describe('the scale of an overlay', () => {
  it('holds all of few values and leaves the last hundredth of many beyond its end', () => {
    expect(reachOf(Float64Array.from([0.5, 7, 1]), TOKENS)).toEqual({ size: 7, how: 'holds all 3 tokens of it' })
    expect(reachOf(Float64Array.from([7]), TOKENS)).toEqual({ size: 7, how: 'holds the only token of it' })
    const many = Float64Array.from({ length: 200 }, (_, k) => (k === 77 ? 1000 : k / 100))
    expect(reachOf(many, TOKENS).size).toBe(1.98)
    expect(reachOf(new Float64Array(0), TOKENS).size).toBe(1)
  })

  it('reaches to the few that differ where nearly all are 0', () => {
    const rare = new Float64Array(1000)
    rare[5] = 0.25
    expect(reachOf(rare, TOKENS)).toEqual({ size: 0.25, how: 'holds all 1,000 tokens of it' })
  })

  it('puts the centre of a signed scale at 0 and equal factors at equal distances of a logarithmic one', () => {
    const signed = scale({ kind: 'diverging', from: -2, to: 2 })
    expect([-4, -2, 0, 1, 3].map((value) => placeOn(signed, value))).toEqual([-2, -1, 0, 0.5, 1.5])
    const factors = scale({ kind: 'diverging', from: 1 / 4, to: 4, centre: 1, isLog: true })
    expect([1 / 4, 1 / 2, 1, 2, 4].map((value) => placeOn(factors, value))).toEqual([-1, -0.5, 0, 0.5, 1])
    expect([...stepsOf(Float32Array.from([-9, -2, -0.2, 0, 1, 9, Number.NaN]), signed)]).toEqual([
      -OVERLAY_STEPS,
      -OVERLAY_STEPS,
      0,
      0,
      2,
      OVERLAY_STEPS,
      NO_STEP,
    ])
  })

  it('grows stronger as a logprob falls', () => {
    const logprobs = scale({ to: -8 })
    expect([...stepsOf(Float32Array.from([0, -2, -8, -100]), logprobs)]).toEqual([0, 1, 4, 4])
  })
})

describe('overlays of a rollout', () => {
  let session: Session
  beforeAll(async () => {
    session = await audited(lines([1, 2, 3, 4].map((seed) => wholeRollout(tokenizer, seed))))
  })

  it('are all there where the dump holds every stream, with one value and one step for each token', async () => {
    const choices = await session.rollouts.overlays(0)
    expect(choices.map(({ id }) => id)).toEqual(OVERLAYS)
    expect(choices.filter(({ missing }) => missing !== null)).toEqual([])
    const { states } = await session.detail(0)
    for (const id of OVERLAYS) {
      const { values, steps, scale: made } = await session.rollouts.overlay(0, id)
      expect(values).toHaveLength(states.length)
      const numbers = [...values].filter((value) => !Number.isNaN(value))
      expect(numbers).toHaveLength(made.scored)
      expect([...steps].filter((step) => step !== NO_STEP)).toHaveLength(made.scored)
      expect([...steps].every((_, token) => Number.isNaN(values[token]) === (steps[token] === NO_STEP))).toBe(true)
    }
  })

  it('subtract the sampler from the trainer', async () => {
    const { logprobs } = await session.detail(0)
    const { values } = await session.rollouts.overlay(0, 'delta')
    const token = values.findIndex((value) => !Number.isNaN(value))
    expect(values[token]).toBeCloseTo((logprobs.trainer?.[token] ?? 0) - (logprobs.sampler?.[token] ?? 0), 6)
  })

  it('compare advantages over the dump, and leave out zeros that fill what is not trained', async () => {
    const advantage = await session.rollouts.overlay(1, 'advantage')
    const { states } = await session.detail(1)
    expect(advantage.scale).toMatchObject({ kind: 'diverging', from: expect.closeTo(-1.4), to: expect.closeTo(1.4) })
    for (const [token, state] of states.entries()) {
      expect(Number.isNaN(advantage.values[token])).toBe(state !== TokenState.trained)
    }
    expect(advantage.scale.placeholders).toBeGreaterThan(0)
  })

  it('give a token of a short rollout more weight under grpo, and every token the same under dapo and dr_grpo', async () => {
    const short = conversation(tokenizer, [user('Hi'), assistant('Hello.')], { group: 'g' })
    const long = conversation(tokenizer, [user('Hi'), assistant('Hello. '.repeat(40))], { group: 'g' })
    const two = await audited(lines([short, long]))
    const weightOf = async (index: number, id: 'weight-grpo' | 'weight-dapo' | 'weight-dr_grpo') => {
      const { values, scale: made } = await two.rollouts.overlay(index, id)
      expect(made).toMatchObject({ kind: 'diverging', centre: 1, isLog: true, unit: '×' })
      return values.find((value) => !Number.isNaN(value)) as number
    }
    const [few, many] = two.facts.map(({ trained }) => trained as number) as [number, number]
    expect((await weightOf(0, 'weight-grpo')) / (await weightOf(1, 'weight-grpo'))).toBeCloseTo(many / few, 4)
    expect(await weightOf(0, 'weight-dapo')).toBeCloseTo(1, 6)
    expect(await weightOf(1, 'weight-dr_grpo')).toBeCloseTo(1, 6)
  })

  it('tell in what they are measured, and each number as people write it', async () => {
    const alone = await audited(lines([wholeRollout(tokenizer, 1)]))
    for (const id of OVERLAYS) {
      const { scale: made } = await alone.rollouts.overlay(0, id)
      const unit = id.startsWith('weight-') ? '×' : id === 'advantage' || id === 'repair' ? '' : ' nats'
      expect([id, made.unit]).toEqual([id, unit])
      expect(`${made.how} ${made.about}`, id).not.toMatch(/\b1 (?:\w+ )*(?:rollouts|tokens)|\de[+-]\d/)
    }
    const { scale: made } = await alone.rollouts.overlay(0, 'weight-bnpo')
    expect(made.about).toContain('of the only rollout of its')
  })

  it('lay the mask that the turns ask for over the tokens, and count where the stored one differs', async () => {
    const clean = cleanRollout(tokenizer, 1)
    const stored = clean.record.loss_mask as number[]
    const first = stored.indexOf(1)
    const late = stored.map((flag, token) => (token === first ? 0 : flag))
    const wrong = { ...clean, record: { ...clean.record, loss_mask: late } }
    const session = await audited(lines([clean, wrong]))
    for (const [index, how, differing] of [
      [0, '1 is trained, 0 is masked; the stored mask is the same', null],
      [1, '1 is trained, 0 is masked; 1 token differs from the stored mask', [first]],
    ] as const) {
      const { values, steps, changed, scale: made } = await session.rollouts.overlay(index, 'repair')
      const flags = changed === null ? null : [...changed]
      expect(flags?.flatMap((flag, token) => (flag === 1 ? token : [])) ?? null).toEqual(differing)
      expect([...values]).toEqual(stored)
      expect([...steps]).toEqual(stored.map((flag) => flag * OVERLAY_STEPS))
      expect(made).toMatchObject({ kind: 'sequential', from: 0, to: 1, how })
    }
    const unmasked = await audited(lines([cleanRollout(tokenizer, 1, { mask: 'none' })]))
    await expect(unmasked.rollouts.overlay(0, 'repair')).rejects.toThrow('Loss mask: not in this dump.')
  })

  it('say of what is missing how to have it, and never colour it', async () => {
    const bare = await audited(lines([cleanRollout(tokenizer, 1, { mask: 'none' })]))
    const choices = await bare.rollouts.overlays(0)
    const missing = new Map(choices.map(({ id, missing }) => [id, missing]))
    expect(missing.get('sampler')).toBeNull()
    expect(missing.get('entropy')).toContain('Entropy: not in this dump.')
    expect(missing.get('weight-grpo')).toContain('Loss mask: not in this dump.')
    await expect(bare.rollouts.overlay(0, 'entropy')).rejects.toThrow('Entropy: not in this dump.')
  })

  it('say where one rollout alone lacks what others have, or has a mask that does not fit', async () => {
    const whole = cleanRollout(tokenizer, 1)
    const bare = cleanRollout(tokenizer, 2, { mask: 'none' })
    const other = cleanRollout(tokenizer, 3)
    const short = { ...other, record: { ...other.record, loss_mask: (other.record.loss_mask as number[]).slice(2) } }
    const session = await audited(lines([whole, bare, short]))
    const missing = async (index: number) =>
      (await session.rollouts.overlays(index)).find(({ id }) => id === 'repair')?.missing
    expect(await missing(0)).toBeNull()
    expect(await missing(1)).toBe('Loss mask: not in this rollout, while others of its file have it.')
    expect(await missing(2)).toBe('Loss mask: that of this rollout does not fit its ids (S03).')
  })
})

describe('the relatives of a rollout', () => {
  it('are the members of its group', async () => {
    const group = (seed: number, name: string) => cleanRollout(tokenizer, seed, { group: name, reward: seed })
    const session = await audited(lines([group(1, 'a'), group(2, 'b'), group(3, 'a')]))
    const { siblings, branches } = await session.rollouts.relatives(2)
    expect(siblings.map(({ index, reward }) => [index, reward])).toEqual([
      [0, 1],
      [2, 3],
    ])
    expect(branches).toEqual([])
    expect((await (await audited(lines([cleanRollout(tokenizer, 1)]))).rollouts.relatives(0)).siblings).toEqual([])
  })
})
