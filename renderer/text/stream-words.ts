import { STREAMS, type Stream } from '../../shared/model/streams.ts'
import { STREAM_WORDS } from './words.ts'

/** Ids that are no words; the others read as what they are (`rewards`, `messages`). Where one is told as the field of a record it is one. */
const IDS = new RegExp(
  `(?<!field |[\\w.])(?:${STREAMS.filter((id) => /[._]/.test(id))
    .map((id) => id.replace('.', '\\.'))
    .join('|')})(?![\\w.]*\\w)`,
  'g',
)

/** A sentence of the engine, which names streams by their ids, with their names: the files may call them otherwise. */
export function inStreamWords(sentence: string): string {
  return sentence.replace(IDS, (id) => STREAM_WORDS[id as Stream].name)
}
