import { useEffect, useRef, useState } from 'react'
import type { FieldMapping } from '../../shared/formats/mapping.ts'
import type { FieldProposal } from '../../shared/session/protocol.ts'
import { rememberedMapping } from '../data/mappings.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import type { Unmapped } from '../state/mapping.ts'

/** What may be mapped in a file, and the mapping that is chosen: the one it was read with, the remembered one, else the proposal. */
export function useFieldProposal(file: Unmapped) {
  const [found, setFound] = useState<FieldProposal | null>(null)
  const [map, setMap] = useState<FieldMapping>({})
  const [remembered, setRemembered] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(true)
  const running = useRef<AbortController | null>(null)

  const request = async (under: FieldMapping | null, signal: AbortSignal): Promise<FieldProposal> => {
    const { source, name, options } = file
    const { map: _, ...others } = options
    const asked = under === null ? others : { ...others, map: under as Readonly<Record<string, string>> }
    return ask('proposeMapping', { source, name, options: asked }, signal)
  }

  const begin = async (work: (signal: AbortSignal) => Promise<void>) => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    setAsking(true)
    setFailure(null)
    try {
      await work(own.signal)
    } catch (error) {
      if (!own.signal.aborted && !(error instanceof Cancelled)) setFailure(sentenceOf(error))
    }
    if (!own.signal.aborted) setAsking(false)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a file is looked at once
  useEffect(() => {
    void begin(async (signal) => {
      const proposed = await request(null, signal)
      const before = await rememberedMapping(proposed.shape)
      const given = (file.options.map as FieldMapping | undefined) ?? before
      const shown = given === null ? proposed : await request(given, signal)
      if (signal.aborted) return
      setRemembered(before !== null && given === before)
      setMap(given ?? proposed.proposal ?? {})
      setFound(shown)
    })
    return () => running.current?.abort()
  }, [file])

  const choose = (next: FieldMapping) => {
    setMap(next)
    setRemembered(false)
    void begin(async (signal) => {
      const shown = await request(next, signal)
      if (!signal.aborted) setFound(shown)
    })
  }

  return { found, map, remembered, failure, isAsking, choose }
}
