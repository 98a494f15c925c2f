/**
 * JSON with the numbers that Python writes: typed arrays are arrays, NaN and the infinities are bare words, minus zero
 * keeps its sign. Fields that are undefined are left out. What is read by this program reads the same again.
 */
export function jsonText(value: unknown): string {
  if (typeof value === 'number') return numberText(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (ArrayBuffer.isView(value)) return arrayText(value as unknown as ArrayLike<number>)
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`
  const fields: string[] = []
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) fields.push(`${JSON.stringify(key)}: ${jsonText(item)}`)
  }
  return `{${fields.join(', ')}}`
}

/** JSON in which nothing is bare that a terminal obeys or that turns the direction of text. */
export function inertJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function arrayText(values: ArrayLike<number>): string {
  const texts = new Array<string>(values.length)
  for (let i = 0; i < values.length; i++) texts[i] = numberText(values[i]!)
  return `[${texts.join(', ')}]`
}

function numberText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0'
  return String(value)
}
