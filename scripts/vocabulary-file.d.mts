export function vocabularyFile(tokenizer: unknown): unknown
