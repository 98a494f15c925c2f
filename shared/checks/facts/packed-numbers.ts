export type Numbers = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array

/** In the narrowest array that holds all of them. A number that is not there stands as 0. */
export function packNumbers(values: readonly (number | null | undefined)[]): Numbers {
  let least = 0
  let most = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (value === null || value === undefined) continue
    if (!Object.is(value | 0, value)) return Float64Array.from(values, (each) => each ?? 0)
    if (value < least) least = value
    if (value > most) most = value
  }
  // One that is not there becomes 0 by itself.
  return narrowest(values as readonly number[], true, least, most)
}

/** As `packNumbers`, of what may be anything; null where another than a number is among it. One loop: the elements of lists are many. */
export function packIfNumbers(values: readonly unknown[]): Numbers | null {
  let least = 0
  let most = 0
  let areWhole = true
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (typeof value !== 'number') return null
    if (!Object.is(value | 0, value)) areWhole = false
    else if (value < least) least = value
    else if (value > most) most = value
  }
  return narrowest(values as readonly number[], areWhole, least, most)
}

/** @param least not above 0; @param most not below it */
function narrowest(values: readonly number[], areWhole: boolean, least: number, most: number): Numbers {
  if (!areWhole) return Float64Array.from(values)
  if (least < 0 || most > 0xffff) return Int32Array.from(values)
  return most > 0xff ? Uint16Array.from(values) : Uint8Array.from(values)
}
