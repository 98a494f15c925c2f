import { expect, it } from 'vitest'
import type { TrajectoryView } from '../../shared/checks/check.ts'
import { promptTools } from '../../shared/checks/template/prompt-tools.ts'
import { createView } from '../../shared/checks/view.ts'
import {
  assistant,
  conversation,
  SEARCH_TOOL,
  system,
  trajectoryOf,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

const tokenizer = await testTokenizer('qwen2.5')
const options = { tokenizer, settings: settings(), unsampledLogprob: null }

function viewOf(prompt: string): TrajectoryView {
  const row = conversation(tokenizer, [system(prompt), user('Who?'), assistant('She.')], { tools: [SEARCH_TOOL] })
  return createView(trajectoryOf(row), options) as TrajectoryView
}

it('a prompt is read anew where its ids are others, and where the same ids are of another vocabulary', () => {
  const described = viewOf(withToolSchema('Find it.'))
  expect(promptTools(described)?.state).toBe('described')
  expect(promptTools(viewOf('Find it.'))?.state).toBe('missing')
  expect(promptTools({ ...described })?.state).toBe('described')
  // One token of as many is another.
  const ids = described.ids.slice()
  ids[5] = (ids[5] as number) + 1
  expect(promptTools({ ...described, ids, text: () => 'Find it.' })?.state).toBe('missing')
  expect(promptTools({ ...described })?.state).toBe('described')
  const other = { ...tokenizer, frame: tokenizer.frame, table: { ...tokenizer.table } }
  expect(promptTools({ ...described, tokenizer: other, text: () => 'Find it.' })?.state).toBe('missing')
})
