/** The part of a bundler's plugin that this one uses. */
interface AsCommonJs {
  readonly name: string
  generateBundle(
    this: { emitFile(file: { type: 'asset'; fileName: string; source: string }): string },
    options: unknown,
    bundle: Readonly<Record<string, { code?: string }>>,
  ): void
}

/** What scripts of CommonJS take besides that are named `.js` in a package of modules, and that are to be read fast. */
export function asCommonJs(): AsCommonJs {
  return {
    name: 'as-common-js',
    generateBundle(_options, bundle) {
      this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' })
      for (const chunk of Object.values(bundle)) {
        if (chunk.code !== undefined) chunk.code = inAscii(chunk.code)
      }
    },
  }
}

/**
 * One sign that is not ASCII makes a script take twice the memory, and ten times as long to be read. Throws on a raw template that holds one:
 * it takes an escape for what it is spelt with.
 */
function inAscii(code: string): string {
  const raw = /\bString\.raw\s*`[^`]*[^\0-\x7f`][^`]*`/.exec(code)
  if (raw !== null) throw new Error(`String.raw with a sign that is not ASCII cannot be written in ASCII: ${raw[0]}`)
  return code.replace(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
