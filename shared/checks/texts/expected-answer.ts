import { Hash64 } from '../../model/hash.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { KeptTexts } from './kept-texts.ts'

/** Rollouts of a group have one answer. */
const kept = new KeptTexts<number>(16)

/** 32 bits over the expected answer, without case and outer white space; null where the record has none. Two of the same bits are one often enough. */
export function expectedAnswer({ answer }: Pick<Trajectory, 'answer'>): { readonly expectedAnswer: number } | null {
  return answer === null || answer.trim() === '' ? null : { expectedAnswer: kept.of(answer, bitsOf) }
}

function bitsOf(answer: string): number {
  return Number.parseInt(new Hash64().text(answer.trim().toLowerCase()).digest().slice(0, 8), 16)
}
