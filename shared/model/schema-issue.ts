/** What is wrong with a field, in words a person can act on: zod calls a field that is not there an `undefined` one. */
export function issueWords(message = 'it is damaged'): string {
  const wrong = /^Invalid input: expected (.+), received (.+)$/.exec(message)
  if (wrong === null) return message
  return wrong[2] === 'undefined'
    ? `it is missing (${wrong[1]} is expected)`
    : `${wrong[1]} is expected, not ${wrong[2]}`
}
