import { useMemo } from 'react'
import { LOSS_TYPES } from '../../../shared/checks/groups/token-weights.ts'
import type { PolicyId } from '../../../shared/model/policy.ts'
import {
  PROMPT_CUTS,
  type PromptCut,
  TRIED_LIMITS,
  type TriedLimit,
  type TriedLimits,
} from '../../../shared/session/lab/limits.ts'
import { LAB_SCALINGS, type LossSettings } from '../../../shared/session/lab/loss.ts'
import { goTo, NOWHERE, type Place, usePlace, usePlaces } from '../../state/place.ts'

export const PANELS = ['limits', 'loss', 'policy', 'repair'] as const
export type Panel = (typeof PANELS)[number]

const POLICIES: readonly PolicyId[] = ['rl', 'sft', 'last-turn']

/** What is tried in the lab, as it stands in the address. */
export interface LabPlace {
  readonly panel: Panel
  readonly limits: TriedLimits
  readonly promptCut: PromptCut
  /** The limit whose cost is drawn over its values. */
  readonly curve: TriedLimit
  readonly loss: LossSettings
  readonly policy: PolicyId | null
  readonly intend: readonly string[]
  /** Index of the rollout whose masks are laid beside each other; null = the first that changes. */
  readonly rollout: number | null
}

const LIMIT_KEYS: Readonly<Record<TriedLimit, string>> = {
  max_prompt_length: 'prompt',
  max_completion_length: 'completion',
  max_seq_len: 'sequence',
  max_tool_response_length: 'reply',
}

/** Reads a place that anyone may have typed: what cannot be understood is left out. */
export function parseLabPlace(place: Place): LabPlace {
  const whole = (text: string | undefined) => (/^\d{1,8}$/.test(text ?? '') ? Number(text) : null)
  const eps = Number(place.eps)
  const limits = Object.fromEntries(TRIED_LIMITS.map((name) => [name, whole(place[LIMIT_KEYS[name]])]))
  return {
    panel: oneOf(PANELS, place.panel) ?? 'limits',
    limits: limits as unknown as TriedLimits,
    promptCut: oneOf(PROMPT_CUTS, place.cut) ?? 'left',
    curve: TRIED_LIMITS.find((name) => LIMIT_KEYS[name] === place.curve) ?? 'max_seq_len',
    loss: {
      scaling: oneOf(LAB_SCALINGS, place.scaling) ?? 'recorded',
      eps: place.eps !== undefined && Number.isFinite(eps) && eps >= 0 && eps <= 10 ? eps : 1e-4,
      lossType: oneOf(LOSS_TYPES, place.loss) ?? 'grpo',
      localRows: whole(place.rows) || null,
    },
    policy: oneOf(POLICIES, place.policy),
    intend: (place.intend ?? '').split('.').filter((code) => /^[A-Z]\d\d$/.test(code)),
    rollout: whole(place.rollout),
  }
}

export function useLabPlace(): LabPlace {
  const place = usePlace('lab')
  return useMemo(() => parseLabPlace(place), [place])
}

export function labPlace(): LabPlace {
  return parseLabPlace(usePlaces.getState().lab ?? NOWHERE)
}

export function tryLimit(name: TriedLimit, value: number | null): void {
  goTo('lab', { [LIMIT_KEYS[name]]: value === null ? null : String(Math.round(value)), curve: LIMIT_KEYS[name] })
}

/** Everything is as it was recorded again; the panel stays. */
export function resetLab(): void {
  const { panel } = labPlace()
  const all = Object.keys(usePlaces.getState().lab ?? NOWHERE)
  goTo('lab', { ...Object.fromEntries(all.map((name) => [name, null])), ...(panel === 'limits' ? {} : { panel }) })
}

function oneOf<Name extends string>(known: readonly Name[], text: string | undefined): Name | null {
  return known.find((name) => name === text) ?? null
}
