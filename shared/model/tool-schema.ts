/** What a record, or a prompt, says of a tool. Null is what it does not say. */
export interface ToolSchema {
  readonly name: string | null
  readonly description: string | null
  /** What is said of each parameter, by its name and in the order of the schema. */
  readonly parameters: ReadonlyMap<string, JsonFields> | null
  /** Names of parameters that a call must have. */
  readonly required: readonly string[] | null
}

type JsonFields = Readonly<Record<string, unknown>>

/** A tool in the usual two shapes: `{type: 'function', function: {name, …}}`, or the inner object alone. Whatever else it is says nothing. */
export function toolSchema(tool: unknown): ToolSchema {
  const { name, description, parameters } = innerOf(tool)
  const { properties, required } = fieldsOf(parameters) ?? {}
  const listed = fieldsOf(properties)
  return {
    name: textOf(name),
    description: textOf(description),
    parameters: listed && new Map(Object.entries(listed).map(([key, value]) => [key, fieldsOf(value) ?? {}])),
    required: Array.isArray(required) ? required.map(String) : null,
  }
}

/** Its name alone, for what asks each rollout for it. */
export function toolName(tool: unknown): string | null {
  return textOf(innerOf(tool).name)
}

/** A tool in the shape that chat templates are given: the Responses API has what they expect in `function` beside its type. */
function toolOfTemplates(tool: unknown): unknown {
  const fields = fieldsOf(tool)
  if (fields?.type !== 'function' || fieldsOf(fields.function) !== null) return tool
  const { type, ...inner } = fields
  return { type, function: inner }
}

/**
 * Tools in the shapes in which a template may have been given them: as the record has them, and where it has the inner object alone (verifiers), as frameworks
 * hand that on, with its fields of null and without.
 */
export function toolShapes(tools: readonly unknown[]): readonly (readonly unknown[])[] {
  const asStored = tools.map(toolOfTemplates)
  const isInner = (tool: unknown) =>
    textOf(fieldsOf(tool)?.name) !== null && fieldsOf(fieldsOf(tool)?.parameters) !== null
  if (!asStored.some(isInner)) return [asStored]
  const outer = (of: (inner: unknown) => unknown) =>
    asStored.map((tool) => (isInner(tool) ? { type: 'function', function: of(tool) } : tool))
  return [asStored, outer((inner) => inner), outer(withoutNulls)]
}

function withoutNulls(inner: unknown): unknown {
  return Object.fromEntries(Object.entries(fieldsOf(inner) ?? {}).filter(([, value]) => value !== null))
}

function innerOf(tool: unknown): JsonFields {
  const outer = fieldsOf(tool)
  return fieldsOf(outer?.function) ?? outer ?? {}
}

function fieldsOf(value: unknown): JsonFields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
