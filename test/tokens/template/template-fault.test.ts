import { expect, it } from 'vitest'
import { templateFault } from '../../../shared/tokens/template/rerender.ts'
import { KIMI } from './other-families.ts'

it.each([
  ['{% for m in messages %}{{ m.content }', /cannot be read/],
  ["{{ raise_exception('not for chats') }}", /not for chats/],
])('%s: a template that cannot be used says why', (template, why) => {
  expect(templateFault(template)).toMatch(why)
})

it.each([
  KIMI.template,
  `{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}${KIMI.template}`,
])('one that can be learned has no fault, whatever roles it refuses', (template) => {
  expect(templateFault(template)).toBeNull()
})
