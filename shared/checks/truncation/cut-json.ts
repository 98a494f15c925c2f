/**
 * Whether a call's JSON object ends before it is complete: inside a string, or with brackets open. A call that is merely wrong
 * (a missing comma, a bare word) is the model's own and no cut.
 */
export function isCutJson(call: string): boolean {
  const start = call.indexOf('{')
  if (start < 0) return false
  const end = call.lastIndexOf('</')
  const json = call.slice(start, end > start ? end : undefined)
  let depth = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const char = json[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') {
      depth--
      if (depth === 0) return false
    }
  }
  return true
}

/** Whether a brace stands last in a call, before the tag that closes it. */
export function isBracedCall(call: string): boolean {
  return /\}\s*(?:<\/[^<>]*>\s*)?$/.test(call)
}
