import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addExperiment, editExperiment } from '../../shared/notebook/edit.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { parametersOf } from '../../shared/notebook/parameters.ts'
import { withoutSecrets } from '../../shared/notebook/secrets.ts'
import { minute } from './edits.ts'

describe('a command line is kept without its secrets', () => {
  test.each([
    ['WANDB_API_KEY=abc python train.py', 'WANDB_API_KEY=*** python train.py'],
    ['export HF_TOKEN="a b"; python x', 'export HF_TOKEN=***; python x'],
    ['train --no-scale-rewards WANDB_API_KEY=abc --lr 1', 'train --no-scale-rewards WANDB_API_KEY=*** --lr 1'],
    ['train --hub-token abc --lr 1', 'train --hub-token *** --lr 1'],
    ['train --wandb.api_key=abc', 'train --wandb.api_key=***'],
    ["train --db-password 'a b' -x", 'train --db-password *** -x'],
    ['curl hf_ABCDEFGHIJKLMNOPQRST', 'curl ***'],
  ])('%s', (text, kept) => {
    expect(withoutSecrets(text).text).toBe(kept)
    expect(withoutSecrets(text).masked).toHaveLength(1)
    expect(withoutSecrets(kept)).toEqual({ text: kept, masked: [] })
  })

  test.each([
    'python -m verl data.prompt_key=question reward_fn_key=x --tokenizer qwen --max_tokens=512',
    'train --eos-token "<|im_end|>" EOS_TOKEN=x --pad-token y --input_key prompt --label-key answer',
    'HF_TOKEN=$HF_TOKEN train --hub-token $HUB --push-to-hub --secret --lr 1',
  ])('and what is none stays: %s', (text) => {
    expect(withoutSecrets(text)).toEqual({ text, masked: [] })
  })

  test('is masked whole where it is put together of quoted and bare pieces', () => {
    expect(withoutSecrets(`train --token "abc"def'g h' --lr 1`).text).toBe('train --token *** --lr 1')
    expect(withoutSecrets('API_KEY=abc"def" train').text).toBe('API_KEY=*** train')
  })

  test('of any characters comes out the same a second time', () => {
    const word = fc.constantFrom('API_KEY', '=', ' ', '"', "'", '--token', '\\', '$X', 'abc', '***', '\n', ';')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const { text } = withoutSecrets(words.join(''))
        expect(withoutSecrets(text).text).toBe(text)
      }),
    )
  })

  test('in the notebook, its history and its settings', () => {
    const { notebook } = addExperiment(newNotebook(), 'A', 'First', { at: minute(0) })
    const command = 'train --lr 1 --no-scale-rewards WANDB_API_KEY=abcdef'
    const kept = editExperiment(
      notebook,
      'A1',
      { command, parameters: [{ name: 'api_key', value: 'abcdef' }] },
      { at: minute(1) },
    )
    expect(JSON.stringify(kept)).not.toContain('abcdef')
    const [experiment] = kept.experiments
    expect(Object.fromEntries(parametersOf({ parameters: [], command: experiment?.command ?? '' }))).toEqual({
      'learning-rate': { value: '1', from: 'command' },
      scaling: { value: 'off', from: 'command' },
    })
  })
})
