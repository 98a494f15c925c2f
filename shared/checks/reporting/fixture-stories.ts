import type { CheckStory } from './stories.ts'

/** Written by `npm run docs` from the fixtures of checks and defects. */
export const STORIES: Readonly<Record<string, CheckStory>> = {
  A01: {
    trips: 'every rollout of one group failed',
    nearMiss: 'three rollouts of four have the same reward, the fourth has not',
    defects: ['V13'],
  },
  A02: {
    trips: 'a gap of 0.01 is divided by its own std, as the stored advantages show',
    nearMiss: 'the same rewards, and advantages that are not scaled',
  },
  A03: {
    trips: 'in one group the std was that of rounding residue, and the advantage went to thousands',
    nearMiss: 'one success of four: the advantage is at its bound of 1.5, and rightly so',
  },
  A04: {
    trips: 'in one group the advantages stand in another order than the rewards',
    nearMiss: 'a formula of the run’s own: the deviation from the mean, squashed and weighted',
  },
  A05: {
    trips: 'one rollout stands in the group of another question',
    nearMiss: 'every prompt of the run names another moment of the day',
  },
  A06: {
    trips: 'two of four rollouts are the same, token by token: the engine was seeded alike',
    nearMiss: 'all rollouts begin with the same long passage, and differ in their last word',
    defects: ['A06'],
  },
  A07: {
    trips: 'a mean over each rollout, and failures that are ten times as long',
    nearMiss: 'the same rollouts under a mean over all tokens',
  },
  A08: {
    trips: 'the reported length is that of everything after the prompt',
    nearMiss: 'the reported length is the sum of the mask',
  },
  A09: {
    trips: 'a penalty on length takes away what a right answer brings',
    nearMiss:
      'a right answer and its citation go together, the format is always right, a metric that does not count goes against both',
  },
  A10: {
    trips: 'the reward of one rollout is no number',
    nearMiss: 'a hard question that every rollout fails, beside one that some solve',
    defects: ['V13'],
  },
  A11: {
    trips: 'the reward comes and goes with the reply of the tool, and the model never says a word of the answer',
    nearMiss: 'the model words the answer otherwise, and a judge that reads meaning rewards it',
  },
  A12: {
    trips: 'in one rollout the sum restarts at the tool reply: the first turn gets nothing',
    nearMiss: 'a critic gives every token an advantage of its own, in every rollout',
  },
  C01: {
    trips: 'the prompt limit kept the last tokens: the rows begin in the middle of the system turn',
    nearMiss: 'the dump stores completions alone, so every row begins with sampled text',
    defects: ['C01'],
  },
  C02: {
    trips: 'the system turn stops in its middle, and the question follows',
    nearMiss: 'the environment shortened the question itself: its message is another text, not a longer one',
    defects: ['C02'],
  },
  C03: {
    trips: 'one rollout hit its limit, is not flagged, is trained and keeps its reward; the others close their turns',
    nearMiss: 'the run stops on a string: no rollout has an end token, and nothing says that any was cut',
    defects: ['V10', 'V12', 'V14'],
  },
  C04: {
    trips: 'the cut rollout is masked, and its reward is in the mean of the group',
    nearMiss: 'the cut rollout is masked, and the mean is that of the rollouts that train',
    defects: ['M04', 'V11'],
  },
  C05: {
    trips: 'the server stopped the last turn at its limit, and the row is not flagged as truncated',
    nearMiss: 'the run stops on a string that the writer leaves out, and says stop',
    defects: ['V10'],
  },
  C06: {
    trips: 'cut rollouts get -1, the value of a text that does not parse; wrong answers get 0',
    nearMiss: 'cut rollouts get 0, as every wrong answer does',
  },
  C07: {
    trips: 'the limit fell inside the arguments of a tool call',
    nearMiss: 'a whole call whose arguments hold braces and quotes inside a string',
  },
  C08: {
    trips: 'the environment keeps 256 characters of every reply and cuts its middle',
    nearMiss: 'a whole document about truncation, with brackets and dots',
    defects: ['C08'],
  },
  C09: {
    trips: 'the tool brought the supporting document, the trained ids hold its first half',
    nearMiss: 'one supporting document is there, the other was never retrieved',
    defects: ['C08'],
  },
  C10: {
    trips: 'the prompt is 40 tokens above its limit, and its schema has 50',
    nearMiss: 'the prompt fits its limit to the token',
  },
  C11: {
    trips: 'of 24 prompts the six longest were dropped, all others have a rollout',
    nearMiss: 'a step of the run: many prompts have no rollout yet, short ones and long ones',
  },
  C12: {
    trips: 'the ids were cut before the answer after the whole text had been scored',
    nearMiss: 'only the end token was cut: the ids still hold the answer that was scored',
    defects: ['V12'],
  },
  C13: {
    trips: 'turns of four rollouts stop at the completion limit, and the rollouts go on',
    nearMiss: 'rollouts of several turns stay within their limit',
  },
  C14: {
    trips: 'the cut kept the prompt and dropped the completion',
    nearMiss: 'a rollout that was cut and is masked on purpose still holds what the model wrote',
    defects: ['C14'],
  },
  L01: {
    trips: 'the trainer runs in another precision: every token is off by up to 0.3, in either direction',
    nearMiss: 'numerics of two engines: 0.02 on average',
    defects: ['L08'],
  },
  L02: {
    trips: 'the trainer does not see the tool reply: it agrees in the first turn and not in the second',
    nearMiss: 'the first token of the second turn was a surprise to both engines, and they differ on it alone',
    defects: ['V1', 'V9'],
  },
  L03: {
    trips: 'the trainer divides by the temperature of 0.7 and the sampler reports raw logprobs',
    nearMiss: 'sampled at 0.7, and both report the logprobs of that temperature',
  },
  L04: {
    trips: 'the sampler reports logprobs within top-p 0.9: at or above the trainer on every token',
    nearMiss: 'a fifth of the logprobs exactly 0 where the trainer is a little below, the others on either side',
  },
  L05: {
    trips: 'a sentinel of 1.0 was left in the logprobs of two trained tokens',
    nearMiss: 'nineteen exact zeros in a row, which the trainer finds nearly certain as well',
  },
  L06: {
    trips: 'the trainer stored its logprobs one index late',
    nearMiss: 'every token is as unlikely as the one before it: the arrays look alike at a shift too',
  },
  L07: {
    trips: "the sampler's logprobs were stored in both places",
    nearMiss: 'both were rounded to two decimals, and agree on most tokens but not on all',
  },
  L08: {
    trips: 'the adapter never reaches the sampler: the gap grows at every step, though each step alone would pass',
    nearMiss: 'an asynchronous sampler gets new weights every second step: the gap goes up and down',
    defects: ['L08'],
  },
  L09: {
    trips:
      'new weights arrived while the second turn was being written, and the trainer has moved away from what the old ones wrote',
    nearMiss: 'one version on every sampled token, and -1 on all others',
  },
  L10: {
    trips: 'policy and reference are exchanged in the exponent',
    nearMiss: 'k3, times a beta of 0.04',
  },
  L11: {
    trips: 'the mean entropy was taken over prompt and tool reply as well',
    nearMiss: 'the mean entropy of the trained tokens',
  },
  L12: {
    trips: 'four tokens at random places are far apart, all others agree, and the model is a mixture of experts',
    nearMiss: 'the same tokens in a dense model',
  },
  M01: {
    trips: 'the trainer ran with mask_env_responses off: the content of every tool reply is trained',
    nearMiss: 'the model itself wrote <tool_response> inside its answer: sampled, and rightly trained',
    defects: ['M01'],
  },
  M02: {
    trips: 'the environment is trained and the actions are not',
    nearMiss: 'a rollout whose prompt is far longer than what was sampled: 0 is right nearly everywhere',
  },
  M03: {
    trips: 'only the last assistant turn is trained, and nobody declared so',
    nearMiss: 'the run declares that only the last turn is trained',
  },
  M04: {
    trips: 'the template has no generation markers, so nothing at all is trained',
    nearMiss: 'a rollout of one short turn: few trained tokens are not none',
    defects: ['C14', 'M04', 'M06', 'V11'],
  },
  M05: {
    trips: 'the end of the first assistant turn was not found: its span runs to the end of the row',
    nearMiss: 'the row ends with a trained assistant turn, as it should',
    defects: ['M05'],
  },
  M06: {
    trips:
      'the mask comes one token late: the first sampled token of each turn is not trained, the newline after it is',
    nearMiss: 'headers are trained and ends are right: the starts lie three tokens early, but that is no shift',
    defects: ['M06'],
  },
  M07: {
    trips: 'the mask was built without the empty think blocks that the template writes',
    nearMiss: 'the blocks are there and the mask knows of them',
    defects: ['V7'],
  },
  M08: {
    trips: 'the old path: the header of the second assistant turn is trained',
    nearMiss: 'the second turn has no header at all: there is none that could be trained',
    defects: ['M01', 'T03', 'V5', 'V7'],
  },
  M09: {
    trips: 'the empty think block that the generation prompt supplies is trained',
    nearMiss: 'the same block is there and masked',
    defects: ['V8'],
  },
  M10: {
    trips: 'the end token was sampled, as its flag says, and is masked in every turn',
    nearMiss: 'the environment stops on a string and appends the end token: it is flagged as not sampled, and masked',
    defects: ['M13', 'T03'],
  },
  M11: {
    trips: 'the newline after each assistant turn is trained',
    nearMiss: 'the run declares the convention of SFT data, which trains it',
    defects: ['M01', 'M05', 'V5'],
  },
  M12: {
    trips: 'the mask of padded rows was filled with 1 to the end',
    nearMiss: 'a base model ended its last turn with the id that is also its pad: one, sampled and trained',
    defects: ['M01', 'M05'],
  },
  M13: {
    trips: 'rows are padded with the end token, and the mask is 0 wherever an id equals it',
    nearMiss: 'rows are padded with the end token, and the mask goes by lengths',
    defects: ['M13'],
  },
  M14: {
    trips: 'the framework closed the last turn: its end token has a placeholder of 0 and is unlikely to the trainer',
    nearMiss: 'the model was certain that the turn ends: exactly 0 for the sampler, nearly so for the trainer',
  },
  M15: {
    trips: 'one tensor is both loss mask and attention mask: prompt and reply are hidden',
    nearMiss: 'padding on both sides is not attended to, everything else is',
    defects: ['V1'],
  },
  M16: {
    trips: 'the thought of every turn is left out of the loss',
    nearMiss: 'only the opening tag is masked, which the generation prompt of a thinking model supplies',
  },
  M17: {
    trips: 'the row was cut inside the reply, and the fix-up for cut rows marked its last token',
    nearMiss: 'the row was cut inside the answer, whose last token is the model’s',
  },
  M18: {
    trips: 'the reward looks for the answer in the whole text, and finds it in the reply of the tool',
    nearMiss: 'the reply holds the answer, and the reward waits for the model to say it',
  },
  S01: {
    trips: 'two rollouts share a row, and the positions of the second go on where the first ends',
    nearMiss: 'two rollouts share a row, and the positions of the second begin at 0',
    defects: ['S01'],
  },
  S02: {
    trips: 'positions are counted from the start of the padded row',
    nearMiss: 'positions begin at 0 after the padding',
  },
  S03: {
    trips: 'the mask was built against other ids and is two shorter',
    nearMiss: 'a target-aligned mask has one value less: none for the first token',
  },
  S04: {
    trips: 'a rollout was written twice',
    nearMiss: 'two rollouts of one prompt that differ in their last words alone',
    defects: ['A06'],
  },
  S05: {
    trips: 'the prompt length was measured without the generation prompt’s last tokens',
    nearMiss: 'the prompt ends with words that begin the answer; they were not sampled and carry no loss',
  },
  S06: {
    trips: 'a rollout was compacted and is three rows',
    nearMiss: 'every rollout has one branch',
  },
  T01: {
    trips: 'rendered text that already holds the token was encoded with specials added',
    nearMiss: 'one begin-of-sequence token, behind padding',
    defects: ['V6'],
  },
  T02: {
    trips: 'the answer was decoded and encoded again: " Pantom" has the split of the tokenizer, not the sampled one',
    nearMiss: 'the sampled split is not what the tokenizer would write, and is trained as it was sampled',
  },
  T03: {
    trips: 'the reply was encoded again and got two tokens more than the mask was built for',
    nearMiss: 'the framework trains the whole of every turn, header and newline too: nothing drifts',
    defects: ['T03'],
  },
  T04: {
    trips: 'sampled ids are joined without the newline that the template puts after them',
    nearMiss: 'turns of Llama abut: its template has no newline there',
    defects: ['V3'],
  },
  T05: {
    trips: 'no generation prompt between the reply and the ids of the second assistant turn',
    nearMiss: 'text of the environment stands between two turns without a header; nobody sampled or trains it',
    defects: ['T15', 'V2'],
  },
  T06: {
    trips: 'the generation prompt was added twice, and its role was sampled into the answer',
    nearMiss: 'the answer is about an assistant',
  },
  T07: {
    trips: 'the prompt was rendered without the tools that inference had',
    nearMiss: 'the environment describes its tool in words of its own, and the record has no schema',
    defects: ['C01', 'C02', 'V4'],
  },
  T08: {
    trips: 'tools=[] was passed: Llama announces an environment for tools that do not exist',
    nearMiss: 'the same line stands in a prompt that describes a tool',
  },
  T09: {
    trips: 'messages were rendered one by one, and each got the default system turn',
    nearMiss: 'the default stands once, the messages have no system message, and a reminder of the environment follows',
    defects: ['C01', 'C02', 'S01'],
  },
  T10: {
    trips: 'the whole conversation was rendered at its end, and the template took the thought out of the first answer',
    nearMiss: 'the first answer is history of the prompt: rendered without its thought for the sampler too, and masked',
    defects: ['V8'],
  },
  T11: {
    trips: 'each reply was rendered as a conversation of its own, and has a user turn of its own',
    nearMiss: 'two replies in one user turn, as the template writes them',
  },
  T12: {
    trips: 'the call was parsed and rendered again, with other spaces than the model wrote',
    nearMiss: 'the same difference, but the dump proves that the ids were sampled: it is the message that was tidied',
  },
  T13: {
    trips: 'the model spoke before it called, and the template dropped that',
    nearMiss: 'the model only called, as the message says',
  },
  T14: {
    trips: 'the template writes the day, and one prompt was rendered with the date that it has when none is given',
    nearMiss: 'every prompt has the date that the template has when none is given',
  },
  T15: {
    trips: 'a document spells the end token, and encoding made it one',
    nearMiss: 'the same document was encoded as text',
    defects: ['T15'],
  },
  T16: {
    trips: 'the closing tag of a thought is spelt in letters that were not sampled, by a family that has it as an id',
    nearMiss: 'a family without such an id spells it',
  },
  T17: {
    trips: 'ids of the thinking tags of Qwen3 stand in a run of Qwen2.5',
    nearMiss: 'the family has those ids',
  },
  T18: {
    trips: 'the answer begins with a newline, and the row was encoded from text',
    nearMiss: 'the question begins with a newline: a prompt is encoded from text',
  },
  T19: {
    trips: 'the prompt limit cut two of the six placeholders of an image',
    nearMiss: 'an image of 4 by 6 patches has the six placeholders that its grid makes',
  },
}
