/** What stands before and after the text of a message. `end` is without the white space after it. */
export interface LearnedTurn {
  readonly header: string
  readonly end: string
}

/** How a chat template lays a conversation out, read off its renderings of probe conversations. */
export interface LearnedTemplate {
  /** What stands before the first turn: BOS. */
  readonly before: string
  /** Null where the template refuses a system message or writes it into the user's. */
  readonly system: LearnedTurn | null
  readonly user: LearnedTurn
  readonly assistant: LearnedTurn
  /** A tool's reply; null where the template does not write them. */
  readonly tool: LearnedTurn | null
  /** The answer to a reply follows the reply's end without a header of its own. */
  readonly answersToolDirectly: boolean
  /** White space after the end of a turn. */
  readonly separator: string
  readonly generationPrompt: string
  /** What the generation prompt adds to the header: an open think tag. */
  readonly prefill: string
  /** What it adds with `enable_thinking=False`: an empty think block. */
  readonly prefillWithoutThinking: string
  /** What the template writes between header and text of the last turn only: an empty think block. */
  readonly lastTurnPrefill: string
  /** System text that stands there although no system message was given. */
  readonly defaultSystem: string | null
  /** The date in the system text: `today` where the template asks for it, else the date that is fixed in it. */
  readonly date: string | null
  /** Thoughts of a turn are removed once the user speaks again. */
  readonly stripsThinking: boolean
  /** Replies to parallel calls share one turn. */
  readonly mergesReplies: boolean
  /** Several calls in one turn are rendered; false where the template refuses them. */
  readonly parallelCalls: boolean
  /** What opens a call before its name; null where calls are not written. */
  readonly callOpening: string | null
}
