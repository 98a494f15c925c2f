import { useMemo } from 'react'
import { LOSS_TYPES } from '../../../shared/checks/groups/token-weights.ts'
import type { PolicyId } from '../../../shared/model/policy.ts'
import type { Report } from '../../../shared/model/report.ts'
import {
  COMPLETION_LIMITS,
  type CompletionLimit,
  PROMPT_CUTS,
  type PromptCut,
  TRIED_LIMITS,
  type TriedLimit,
  type TriedLimits,
} from '../../../shared/session/lab/limits.ts'
import { LAB_SCALINGS, type LossSettings } from '../../../shared/session/lab/loss.ts'
import { useFiles } from '../../state/files.ts'
import { goTo, NOWHERE, type Place, usePlace, usePlaces } from '../../state/place.ts'

export const PANELS = ['limits', 'loss', 'policy', 'repair'] as const
export type Panel = (typeof PANELS)[number]

const POLICIES: readonly PolicyId[] = ['rl', 'sft', 'last-turn']

/** What is tried in the lab, as it stands in the address. */
export interface LabPlace {
  readonly panel: Panel
  readonly limits: TriedLimits
  readonly promptCut: PromptCut
  readonly completionPer: CompletionLimit
  /** The limit whose cost is drawn over its values. */
  readonly curve: TriedLimit
  readonly loss: LossSettings
  readonly policy: PolicyId | null
  /** Null = those that are meant now. */
  readonly intend: readonly string[] | null
  /** Index of the rollout whose masks are laid beside each other; null = the first that changes. */
  readonly rollout: number | null
  /** Rows that were masked whole on purpose are repaired, too. */
  readonly maskedWhole: boolean
}

/** A limit that was taken away; one that the address does not name is the one in force. */
const NONE = 'none'
/** No code is meant, though some are now. */
export const NONE_MEANT = NONE

const LIMIT_KEYS: Readonly<Record<TriedLimit, string>> = {
  max_prompt_length: 'prompt',
  max_completion_length: 'completion',
  max_seq_len: 'sequence',
  max_tool_response_length: 'reply',
}

/** The limit of the run that the lab can try, in tokens; null where none is known, or where nothing tells that it counts tokens. */
export function limitInForce(inForce: Report['limits'] | null, name: TriedLimit): number | null {
  const limit = inForce?.[name] ?? null
  if (limit === null) return null
  return name === 'max_tool_response_length' && limit.unit !== 'tokens' ? null : limit.value
}

/** Reads a place that anyone may have typed: what cannot be understood is left out, and what is left out is as it is in force. */
export function parseLabPlace(place: Place, inForce: Report['limits'] | null = null): LabPlace {
  const whole = (text: string | undefined) => (/^\d{1,8}$/.test(text ?? '') ? Number(text) : null)
  const eps = Number(place.eps)
  const limits = Object.fromEntries(
    TRIED_LIMITS.map((name) => {
      const text = place[LIMIT_KEYS[name]]
      return [name, text === NONE ? null : (whole(text) ?? limitInForce(inForce, name))]
    }),
  )
  return {
    panel: oneOf(PANELS, place.panel) ?? 'limits',
    limits: limits as unknown as TriedLimits,
    promptCut: oneOf(PROMPT_CUTS, place.cut) ?? 'left',
    completionPer: oneOf(COMPLETION_LIMITS, place.per) ?? inForce?.max_completion_length?.per ?? 'completion',
    curve: TRIED_LIMITS.find((name) => LIMIT_KEYS[name] === place.curve) ?? firstKnown(inForce) ?? 'max_seq_len',
    loss: {
      scaling: oneOf(LAB_SCALINGS, place.scaling) ?? 'recorded',
      eps: place.eps !== undefined && Number.isFinite(eps) && eps >= 0 && eps <= 10 ? eps : 1e-4,
      lossType: oneOf(LOSS_TYPES, place.loss) ?? 'grpo',
      localRows: whole(place.rows) || null,
    },
    policy: oneOf(POLICIES, place.policy),
    intend: place.intend?.split('.').filter((code) => /^[A-Z]\d\d$/.test(code)) ?? null,
    rollout: whole(place.rollout),
    maskedWhole: place.whole === 'yes',
  }
}

export function useLabPlace(): LabPlace {
  const place = usePlace('lab')
  const inForce = useFiles((files) => files.report?.limits ?? null)
  return useMemo(() => parseLabPlace(place, inForce), [place, inForce])
}

export function labPlace(): LabPlace {
  return parseLabPlace(usePlaces.getState().lab ?? NOWHERE, useFiles.getState().report?.limits ?? null)
}

/** Tries a limit, or none. */
export function tryLimit(name: TriedLimit, value: number | null): void {
  goTo('lab', { [LIMIT_KEYS[name]]: value === null ? NONE : String(Math.round(value)), curve: LIMIT_KEYS[name] })
}

export function showCurve(name: TriedLimit): void {
  goTo('lab', { curve: LIMIT_KEYS[name] })
}

/** Takes back what was tried of limits: those in force stand again. */
export function limitsInForceAgain(names: readonly TriedLimit[] = TRIED_LIMITS): void {
  const keys = names.map((name) => LIMIT_KEYS[name])
  goTo(
    'lab',
    Object.fromEntries(
      [...keys, ...(names.includes('max_completion_length') ? ['per'] : [])].map((key) => [key, null]),
    ),
  )
}

export function noLimits(): void {
  goTo('lab', Object.fromEntries(TRIED_LIMITS.map((name) => [LIMIT_KEYS[name], NONE])))
}

/** Everything is as it was recorded again; the panel stays. */
export function resetLab(): void {
  const { panel } = labPlace()
  const all = Object.keys(usePlaces.getState().lab ?? NOWHERE)
  goTo('lab', { ...Object.fromEntries(all.map((name) => [name, null])), ...(panel === 'limits' ? {} : { panel }) })
}

function firstKnown(inForce: Report['limits'] | null): TriedLimit | null {
  const order = ['max_seq_len', 'max_completion_length', 'max_prompt_length', 'max_tool_response_length'] as const
  return order.find((name) => limitInForce(inForce, name) !== null) ?? null
}

function oneOf<Name extends string>(known: readonly Name[], text: string | undefined): Name | null {
  return known.find((name) => name === text) ?? null
}
