import { bytesOf, isWhole } from '../arguments.ts'
import type { Build } from '../context.ts'
import { fieldOf, PyObject, type PyValue } from '../values.ts'

/** Python's dates and times, as ISO 8601 texts. */
export const DATES: Readonly<Record<string, Build>> = {
  'datetime.datetime': ([packed, zone], context) => {
    const bytes = bytesOf(packed, context)?.data
    if (bytes?.length !== 10 || !(zone === undefined || zone === null || typeof zone === 'string')) return undefined
    const date = dateText(bytes)
    const time = timeText(bytes.subarray(4))
    return date === null || time === null ? undefined : `${date}T${time}${zoneSuffix(zone)}`
  },
  'datetime.date': ([packed], context) => {
    const bytes = bytesOf(packed, context)?.data
    return bytes?.length === 4 ? (dateText(bytes) ?? undefined) : undefined
  },
  'datetime.time': ([packed, zone], context) => {
    const bytes = bytesOf(packed, context)?.data
    if (bytes?.length !== 6 || !(zone === undefined || zone === null || typeof zone === 'string')) return undefined
    const time = timeText(bytes)
    return time === null ? undefined : time + zoneSuffix(zone)
  },
  'datetime.timedelta': ([days = 0, seconds = 0, microseconds = 0]) => {
    if (!isWhole(days) || !isWhole(seconds) || !isWhole(microseconds)) return undefined
    if (Math.abs(days) > 999_999_999 || seconds < 0 || seconds >= 86_400 || microseconds < 0 || microseconds >= 1e6) {
      return undefined
    }
    const delta = new PyObject('datetime.timedelta')
    delta.fields.set('days', days).set('seconds', seconds).set('microseconds', microseconds)
    delta.value = durationText(days, seconds, microseconds)
    return delta
  },
  'datetime.timezone': ([delta, name]) => {
    if (!(delta instanceof PyObject) || delta.className !== 'datetime.timedelta' || typeof name === 'object') {
      return undefined
    }
    const seconds = (fieldOf(delta, 'days') as number) * 86_400 + (fieldOf(delta, 'seconds') as number)
    if (Math.abs(seconds) >= 86_400) return undefined
    const minutes = Math.floor(Math.abs(seconds) / 60)
    return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  },
  'zoneinfo.ZoneInfo._unpickle': ([key]) => (typeof key === 'string' ? key : undefined),
}

function dateText(bytes: Uint8Array): string | null {
  const year = ((bytes[0] as number) << 8) | (bytes[1] as number)
  // The highest bit of the month says which of two equal hours is meant when clocks are set back.
  const month = (bytes[2] as number) & 0x7f
  const day = bytes[3] as number
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) return null
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

function timeText(bytes: Uint8Array): string | null {
  const hour = (bytes[0] as number) & 0x7f
  const [, minute = 0, second = 0, high = 0, middle = 0, low = 0] = bytes
  const micro = (high << 16) | (middle << 8) | low
  if (hour > 23 || minute > 59 || second > 59 || micro > 999_999) return null
  return `${two(hour)}:${two(minute)}:${two(second)}${fraction(micro)}`
}

function zoneSuffix(zone: PyValue | undefined): string {
  if (typeof zone !== 'string') return ''
  // An offset is part of the ISO text, a zone's name stands behind it in brackets (RFC 9557).
  return /^[+-]\d\d:\d\d$/.test(zone) ? zone : `[${zone}]`
}

function durationText(days: number, seconds: number, micro: number): string {
  const time = seconds === 0 && micro === 0 ? '' : `T${seconds}${fraction(micro)}S`
  return `P${days === 0 && time !== '' ? '' : `${days}D`}${time}`
}

function fraction(micro: number): string {
  return micro === 0 ? '' : `.${String(micro).padStart(6, '0')}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
