/**
 * JSON as Python's `json.dumps(value, ensure_ascii=False)` spells it, which is what chat templates get from their `tojson`
 * filter: a space after every comma and colon; with `indent`, one entry a line.
 */
export function pythonJson(value: unknown, indent?: number): string {
  if (indent !== undefined) return JSON.stringify(value, null, indent)
  if (Array.isArray(value)) return `[${value.map((one) => pythonJson(one)).join(', ')}]`
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonJson(one)}`)
    return `{${entries.join(', ')}}`
  }
  return JSON.stringify(value)
}
