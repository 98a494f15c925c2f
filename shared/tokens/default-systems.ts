/** What the chat template of Qwen2.5's instruct models writes where a conversation has no system message (`tokenizer_config.json`). No later family has one. */
export const QWEN25_DEFAULT_SYSTEM = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.'
