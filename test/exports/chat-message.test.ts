import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatMessage } from '../../shared/exports/chat-message.ts'
import { messagesOf } from '../../shared/formats/messages.ts'
import type { Message } from '../../shared/model/trajectory.ts'

const text = fc.string({ minLength: 1, maxLength: 12 })
const message: fc.Arbitrary<Message> = fc.record(
  {
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    content: fc.option(fc.string()),
    reasoning: text,
    toolCalls: fc.array(fc.record({ id: fc.option(text), name: text, arguments: fc.string() }), { minLength: 1 }),
    toolCallId: text,
    name: text,
  },
  { requiredKeys: ['role', 'content'] },
)

test('a message that is written is read again with everything that was in it', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
      const written = JSON.parse(JSON.stringify(messages.map((each) => chatMessage(each))))
      expect(messagesOf(written)).toEqual(messages)
    }),
  )
})
