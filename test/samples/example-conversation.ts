import { RETRIEVE_TOOL } from '../../samples/conversation.ts'
import type { Rendered } from '../../samples/frames.ts'

/** The conversation that the files in `rendered/` hold, as each family's own chat template renders it. */
export const EXAMPLE: Rendered = {
  system: 'Answer from the documents.',
  user: 'Which river flows through the town where the Orchard Museum stands?',
  tools: [RETRIEVE_TOOL],
  turns: [
    {
      thought: 'First I look for the town.',
      call: { id: 'call_0', query: 'Orchard Museum, "location"' },
      text: '',
      reply: '[1] Orchard Museum\nThe Orchard Museum stands in Veltham.\n\n[2] Kesmark\nKesmark is a town.',
    },
    {
      thought: 'Document [1] names Veltham.\n\nNow the river.',
      call: { id: 'call_1', query: 'Veltham river' },
      text: '',
      reply: '[3] Veltham\nThe river Ilver flows through its centre.',
    },
    { thought: 'It is the Ilver.', call: null, text: '<cite>[1, 3]</cite>\n<answer>Ilver</answer>', reply: '' },
  ],
}
