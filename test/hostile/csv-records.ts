/** Records of RFC 4180. Throws where a quote stands in the middle of a cell. */
export function csvRecords(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])/y
  const records: string[][] = [[]]
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const found = cell.exec(text)
    if (found === null) throw new Error(`no cell at ${at}: ${text.slice(at, at + 80)}`)
    const [, quoted, plain, end] = found
    records.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\n') records.push([])
  }
  return records.slice(0, -1)
}

/** What a spreadsheet takes for a formula (OWASP, "CSV injection"), the full-width forms too. */
export const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
