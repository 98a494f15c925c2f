/** The number, null for what is none or has no end: JSON has neither NaN nor infinity. */
export function finite(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : value
}
