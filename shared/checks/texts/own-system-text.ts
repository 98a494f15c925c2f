import { toolsInText, withToolsAlike } from './tools-in-text.ts'

/** A system text, and what a template wrote around it. */
export interface OwnSystemText {
  /** The text itself, empty where the template wrote all there is. */
  readonly own: string
  /** The block of tools, its tools in one order; empty where there is none. */
  readonly tools: string
  /** Whether Llama's template wrote its dates before it. */
  readonly dated: boolean
}

/** What Llama's template writes before a system text; the line on the environment stands there only with tools. */
const LLAMA_LINES =
  /^(?:Environment: ipython\n)?(?:Tools: [^\n]*\n+)?(?<dates>Cutting Knowledge Date: [^\n]*\nToday Date: [^\n]*)(?:\n+|$)/

/** Where Qwen's templates begin their block of tools, behind the text or without one. */
const QWEN_TOOLS = /(?:^|\n\n)# Tools\n\n[^\n]*\n\n[^\n]*<tools>/

/** The one line that Llama's template writes before the tools, where they do not stand in the user's turn. */
const LLAMA_TOOLS = /^You have access to the following functions\.[^\n]*\n/

/** Takes off a system text what the templates of Qwen and Llama write around it: blocks of tools, and lines of dates. */
export function ownSystemText(text: string): OwnSystemText {
  const lines = LLAMA_LINES.exec(text)
  const rest = lines === null ? text : text.slice(lines[0].length)
  const dated = lines !== null
  const listed = toolsInText(rest)
  if (listed !== null) {
    const block = QWEN_TOOLS.exec(rest)
    if (block !== null)
      return { own: rest.slice(0, block.index).trim(), tools: withToolsAlike(rest.slice(block.index).trim()), dated }
    const opening = LLAMA_TOOLS.exec(rest)
    if (opening !== null)
      return {
        own: listed.beside.slice(opening[0].length).trim(),
        tools: withToolsAlike(listed.tools.map((tool) => JSON.stringify(tool)).join('\n')),
        dated,
      }
  }
  return { own: rest.trim(), tools: '', dated }
}
