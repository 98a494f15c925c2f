import { expect, it } from 'vitest'
import type { DumpView } from '../../shared/checks/check.ts'
import { M18 } from '../../shared/checks/mask/credit-ignores-mask.ts'
import { findUnproved } from '../helpers/at-once.ts'
import { assistant, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf } from '../helpers/facts.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { random } from '../logprobs/simulated.ts'
import { auditTrajectories, settings } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

interface Returns {
  /** The KL of which tokens is charged: all, or the trained ones. */
  readonly charged: 'all' | 'trained'
  readonly formula?: (difference: number) => number
  /** What a turn that is not the last earns. */
  readonly perTurn?: number
  /** The penalty is of each token, and not summed over what follows. */
  readonly byToken?: boolean
  /** Masked although the model wrote it. */
  readonly masked?: 'thoughts'
  /** Both models are sure of the last token of each turn, so that its KL is less than what float32 keeps of a return. */
  readonly sureOfEnds?: boolean
  /** What of the logprobs is stored. */
  readonly stores?: 'all' | 'trained' | 'kl' | 'none'
  /** How far the two models are apart on what the model wrote, in nats. */
  readonly apart?: number
}

const BETA = 0.02
const WORDS = 'The rider was born in a small town by the river where his father kept the only mill of the valley. '

/** Four rollouts of three turns, whose returns hold a KL penalty and are whitened. */
function audited(returns: Returns) {
  const { charged, formula = (d) => d, perTurn = 0, byToken, masked, sureOfEnds, stores = 'all', apart = 0.1 } = returns
  const next = random(7)
  const rows = [1, 0, 0, 1].map((reward, i) => {
    const turns = [user(`Was it ${i}?`), assistant(WORDS), tool(WORDS), assistant(WORDS), tool(WORDS), assistant(WORDS)]
    const row = conversation(qwen2, turns, { id: `r${i}`, reward })
    const written = row.record.loss_mask as number[]
    const loss = written.map((own, at) =>
      masked === 'thoughts' && own === 1 && written.slice(at, at + 4).every((each) => each === 1) && at % 40 < 12
        ? 0
        : own,
    )
    const isSure = (at: number) => sureOfEnds === true && written[at] === 1 && written[at + 1] === 0
    const difference = written.map((own, at) => (isSure(at) ? 1e-6 : own === 1 ? apart : 0.4) * (next() - 0.4))
    const trainer = written.map((own) => (own === 1 ? -0.5 : -3) * next())
    const reference = trainer.map((own, at) => own - (difference[at] as number))
    const kl = difference.map((each, at) => (charged === 'all' || written[at] === 1 ? formula(each) : 0))
    const end = written.lastIndexOf(1)
    const credit = kl.map(() => 0)
    for (let at = end; at >= 0; at--) {
      const earned = at === end ? reward : written[at] === 1 && written[at + 1] === 0 ? perTurn : 0
      const later = byToken
        ? at === end
          ? 0
          : (credit[at + 1] as number) + BETA * (kl[at + 1] as number)
        : credit[at + 1]
      credit[at] = earned - BETA * (kl[at] as number) + (later ?? 0)
    }
    const advantages = credit.map((each, at) => (written[at] === 1 ? (each - 0.4) / 0.3 : 0))
    const seen = (values: number[]) =>
      values.map((value, at) => (stores === 'trained' && written[at] === 0 ? null : value))
    const streams =
      stores === 'none'
        ? {}
        : stores === 'kl'
          ? { kl: difference.map(formula) }
          : { logprobs: { trainer: seen(trainer), reference: seen(reference) } }
    return trajectoryOf({ ...row, record: { ...row.record, loss_mask: loss, advantages, step: 1, ...streams } })
  })
  const { byCode, views } = auditTrajectories(rows, qwen2, {})
  const { tally, findings } = byCode.get('M18')!
  const facts = views.map((view) => view.facts)
  const dump = { facts, streams: new Set(['rewards']), settings: settings() } as unknown as DumpView
  const unproved = findUnproved(M18, tally, dump)
  const l10 = runOver('L10', dumpOf(facts)).findings.map(({ message }) => message)
  return { checked: tally.checked, affected: tally.affected, findings, unproved, l10 }
}

const k3 = (d: number) => Math.exp(-d) + d - 1

it.each([
  ['k3 with policy and reference exchanged', (d: number) => Math.exp(d) - d - 1, 1, 4],
  ['k3', k3, 1, 0],
  ['k1', (d: number) => d, 1, 0],
  ['k2', (d: number) => d ** 2 / 2, 1, 0],
  ['the exchanged one of two that hardly differ', (d: number) => Math.exp(d) - d - 1, 0.02, 0],
] as const)('L10 names returns that are charged with %s, if it is another formula', (_, formula, apart, told) => {
  const { l10 } = audited({ charged: 'trained', formula, apart })
  expect(l10).toHaveLength(told)
  for (const each of l10) expect(each).toMatch(/^The returns of this rollout are charged with k3 with policy and ref/)
})

it.each([
  ['k1', {}],
  ['k2', { formula: (d: number) => (d * d) / 2 }],
  ['k3', { formula: k3 }],
  ['a KL that is stored', { formula: k3, stores: 'kl' }],
  ['k3, of models that are sure of their ends', { formula: k3, sureOfEnds: true }],
] as [string, Partial<Returns>][])('returns pay for the KL of replies: %s', (_name, returns) => {
  const { findings, checked, affected } = audited({ charged: 'all', ...returns })
  expect({ checked, affected }).toEqual({ checked: 4, affected: 4 })
  expect(findings[0]?.message).toMatch(/^The advantage changes by .* The 2 turns before the last pay for text that/)
  expect(findings[0]?.evidence).toMatchObject({ stretches: 2 })
})

it.each([
  ['the KL of the model’s own tokens alone is in them', {}, false],
  ['so is that of its thoughts, which carry no loss', { masked: 'thoughts' }, false],
  ['so is that of its thoughts, and that of replies is not stored', { masked: 'thoughts', stores: 'trained' }, false],
  ['that of ends is less than rounding', { formula: k3, sureOfEnds: true }, false],
  ['turns earn something, too', { perTurn: 0.2 }, true],
  ['turns of models that are sure of their ends earn something, too', { sureOfEnds: true, perTurn: 0.2 }, true],
  ['each token pays for itself', { charged: 'all', byToken: true }, false],
  ['no KL is stored', { charged: 'all', stores: 'none' }, false],
  ['that of replies is in them and not stored', { charged: 'all', stores: 'trained' }, true],
  ['that of replies is neither in them nor stored', { stores: 'trained' }, false],
] as [string, Partial<Returns>, boolean][])('returns that do not show it: %s', (_name, returns, isUntold) => {
  const { checked, affected, unproved } = audited({ charged: 'trained', ...returns })
  expect({ checked, affected }).toEqual({ checked: 4, affected: 0 })
  expect(unproved !== null).toBe(isUntold)
})
