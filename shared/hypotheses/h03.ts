import { FactColumns } from '../checks/facts/fact-columns.ts'
import { fitKl, fittingKl, type KlFit, meanK3 } from '../checks/logprobs/kl-fit.ts'
import { BFLOAT } from '../checks/logprobs/kl-rounded.ts'
import { type Bounds, leastKlBounds, meanKlBounds } from './bounds.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { besideLog, loggedLine, loggedMean, loggedOf, meanOf } from './logged.ts'
import {
  type Argument,
  compared,
  conclude,
  deciding,
  having,
  holds,
  type Judgement,
  lesserFaults,
  notCheckable,
  restingOn,
  stated,
} from './verdict.ts'
import { boundText } from './would-change.ts'

/** KL divergence formula bug: the penalty is another quantity than the divergence from the reference. */
export const H03: Hypothesis = {
  id: 'H03',
  title: 'KL divergence formula bug',
  claim: 'The KL term is computed by a wrong or reversed formula, or has exploded.',
  sees: (input) => having(input, 'kl'),
  measure: ({ dump }) => fittingKl(dump),
  judge: (input) => conclude(H03, input, besideLog(decide(input), loggedLine(input.logs, 'kl', 'KL'))),
}

function decide(input: HypothesisInput): Judgement {
  const needed = ['logprobs.trainer', 'logprobs.reference'] as const
  const missing = needed.filter((stream) => !input.streams.has(stream))
  if (missing.length > 0) return fromLog(input, missing)
  const k3 = meanK3(input.dump.facts)
  const { infinite, unscored } = countBroken(input.dump.facts)
  if (k3 === null && infinite === 0)
    return notCheckable(['trained tokens that the model wrote and both trainer and reference scored'])
  const fit = fitKl(input.dump)
  const { thresholds } = input.dump.settings
  const [size, least] = [meanKlBounds(thresholds), leastKlBounds(thresholds)]
  // A KL that follows no formula may have exploded by whatever it follows; that it has not says nothing.
  const unknown = fit !== null && fit.best === null
  const negative = fit?.negative === true
  const wrong = fit !== null && (fit.reversed || fit.undeclared)
  const large = (k3 !== null && holds(k3, size.supported)) || (unknown && holds(fit.mean, size.supported))
  const supported = negative || wrong || large || infinite > 0
  const sound = fit !== null && fit.best === (fit.declared ?? 'k3') && !negative
  const contradicted = !supported && sound && unscored === 0 && k3 !== null && holds(k3, size.contradicted)
  return {
    verdict: supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive',
    because: [
      ...brokenLines(infinite, unscored),
      ...restingOn('kl', [
        ...(fit === null ? [] : formulaLines(fit, least)),
        ...(k3 === null ? [] : sizeLine(k3, fit === null, size)),
        ...(fit === null
          ? []
          : unknown
            ? storedMean(fit, size)
            : stated(infinite > 0 ? 'mean of the stored KL that is finite' : 'mean of the stored KL', fit.mean)),
      ]),
      ...lesserFaults(H03, input, ['L10']),
    ],
    missing: [
      ...(input.streams.has('kl') ? [] : ['kl']),
      ...(fit?.best === 'k1' || fit?.best === 'k2' || fit?.best === 'abs' ? undeclared(fit) : []),
    ],
    firm: supported || contradicted,
  }
}

/** Rollouts with an infinite KL, and those of which the reference did not score what it should have; either on trained tokens. */
function countBroken(facts: HypothesisInput['dump']['facts']) {
  let [infinite, unscored] = [0, 0]
  for (const { brokenKl } of new FactColumns(facts).having('brokenKl')) {
    if (brokenKl?.of === 'kl') infinite++
    else unscored++
  }
  return { infinite, unscored }
}

/** Where there is none, nothing is said of them. */
function brokenLines(infinite: number, unscored: number): Argument[] {
  const some = { comparison: '>', threshold: 0 } as const
  const none = { comparison: '=', threshold: 0 } as const
  return [
    ...(infinite === 0
      ? []
      : compared('rollouts with an infinite KL on a trained token', infinite, some, none, ['L10'])),
    ...(unscored === 0
      ? []
      : deciding(
          { contradicted: 'the reference scored all trained tokens that the model wrote' },
          stated('rollouts with a trained token that the reference gives no logprob', unscored, ['L10']),
        )),
  ]
}

/** @param isAlone no stored KL is there whose formula could be right: the size alone rules nothing out */
function sizeLine(k3: number, isAlone: boolean, { supported, contradicted }: Bounds): Argument[] {
  const name = 'mean KL over trained tokens that the model wrote (k3 of their logprobs), in nats'
  const line = compared(name, k3, supported, contradicted)
  const both = `the ${name}, is ${boundText(name, contradicted)}, and a stored KL follows k3`
  return isAlone ? deciding({ contradicted: both }, line) : line
}

/** Where rollouts do not tell, the KL that the run logged can still have exploded; that its formula is right it cannot show. */
function fromLog(input: HypothesisInput, missing: readonly string[]): Judgement {
  const logged = loggedOf(input.logs, 'kl')
  if (logged === null) return notCheckable(missing)
  const { supported } = meanKlBounds(input.dump.settings.thresholds)
  const large = holds(meanOf(logged), supported)
  return {
    verdict: large ? 'supported' : 'inconclusive',
    because: loggedMean(logged, 'mean KL', supported),
    missing,
    firm: false,
  }
}

/** It speaks for what has exploded, and never against: of what it is the mean, nobody knows. */
function storedMean({ mean }: KlFit, { supported }: Bounds): Argument[] {
  const never = { comparison: '<', threshold: Number.NEGATIVE_INFINITY } as const
  const name = 'mean of the stored KL, which follows no known formula'
  return deciding({ contradicted: null }, compared(name, mean, supported, never))
}

function formulaLines(fit: KlFit, bounds: Bounds): Argument[] {
  const { best, least, declared, reversed, undeclared, turned, scales, decimals } = fit
  const scale = best === null ? 1 : scales[best]
  const name =
    best === null
      ? 'none of k1, k2, k3, abs'
      : `${best === 'abs' ? ABSOLUTE : best}${Math.abs(scale - 1) < 0.01 ? '' : ` times ${scale.toPrecision(3)}`}${decimals === null ? '' : decimals === BFLOAT ? ', computed in bf16' : `, rounded to ${decimals} decimals`}`
  const wrong = reversed || undeclared || turned
  const follows = stated(`formula that the stored KL follows${declared ? ` (declared: ${declared})` : ''}`, name, [
    'L10',
  ])
  const speaksFor = wrong ? 'supported' : best === (declared ?? 'k3') ? 'contradicted' : null
  return [
    ...deciding(
      {
        supported: `the stored KL follows another formula than ${declared ?? 'k3'}`,
        contradicted: `the stored KL follows ${declared ?? 'k3'}`,
      },
      follows,
    ).map((line): Argument => ({ ...line, speaksFor })),
    ...((best ?? declared) === 'k1' || turned || (!fit.negative && holds(least, bounds.supported))
      ? stated('least stored KL', least)
      : compared(
          'least stored KL',
          least,
          bounds.supported,
          bounds.contradicted,
          wrong || fit.negative ? ['L10'] : [],
        )),
  ]
}

/** What verl calls `abs`. */
const ABSOLUTE = 'abs, the distance of the logprobs without its sign'

function undeclared({ declared }: KlFit): string[] {
  return declared === null ? ['the formula that is meant: declare it as kl_estimator in the metadata of a row'] : []
}
