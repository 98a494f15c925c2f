/** What `JSON.parse` gives of what `JSON.stringify` wrote, but that integers which no double tells from their neighbours are texts. */
export function exactly(text: string): unknown {
  return JSON.parse(text, (_key, value) => {
    const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && !/e/.test(String(value))
    return isRounded ? String(value) : value
  })
}
