/** Work that answers requests: one function for each, which fails with a sentence for people. */
export type RequestHandlers<Requests extends { [Name in keyof Requests]: { input: unknown; output: unknown } }> = {
  [Name in keyof Requests]: (input: Requests[Name]['input'], signal: AbortSignal) => Promise<Requests[Name]['output']>
}
