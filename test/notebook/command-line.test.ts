import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCommand } from '../../shared/notebook/command-line.ts'
import { compareExperiments, parametersOf } from '../../shared/notebook/parameters.ts'

function pairs(text: string): Record<string, string> {
  return Object.fromEntries(parseCommand(text).map(({ name, value }) => [name, value]))
}

describe('a command line', () => {
  test('is read as a shell reads it, with the notes that people leave in it', () => {
    const text = [
      'export MODEL="Qwen/Qwen2.5-7B-Instruct"',
      '',
      'CUDA_VISIBLE_DEVICES=1,2,3 accelerate launch --num-processes 3 \\',
      '    scripts/train.py train \\',
      '    --datasets "musique-mini,answerable,train[:32]" \\ # 100 a hop',
      '    --no-peft \\  # all parameters',
      '    --model $MODEL \\',
      '    --bf16 \\',
      "    --loss-type='dr_grpo' \\",
      '    2>&1 | tee outputs/train-$(date +%s).log --not-a-parameter 1',
    ].join('\n')
    expect(pairs(text)).toEqual({
      'num-processes': '3',
      datasets: 'musique-mini,answerable,train[:32]',
      peft: 'false',
      model: 'Qwen/Qwen2.5-7B-Instruct',
      bf16: 'true',
      'loss-type': 'dr_grpo',
    })
  })

  test('may be written as keys and values', () => {
    const text =
      'python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.optim.lr=1e-6 +trainer.seed=7 --verbose x.y=1'
    expect(pairs(text)).toEqual({
      m: 'verl.trainer.main_ppo',
      'actor_rollout_ref.actor.optim.lr': '1e-6',
      'trainer.seed': '7',
      verbose: 'true',
      'x.y': '1',
    })
  })

  test('keeps negative numbers as values', () => {
    expect(pairs('run --top-k -1 --lr -0.5')).toEqual({ 'top-k': '-1', lr: '-0.5' })
  })

  test('of any characters is read without an error', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        for (const { name } of parseCommand(text)) expect(name).toMatch(/^[A-Za-z_]/)
      }),
    )
  })
})

describe('parameters of an experiment', () => {
  const experiment = {
    parameters: [
      { name: 'LoRA Config', value: 'r=64, alpha=128' },
      { name: 'Training', value: 'batch_size=16, num_generations=8, grad_accum=8' },
      { name: 'Dataset', value: '`musique,answerable,train`' },
    ],
    command: '--lora-r 16 --scale-rewards --data.max_prompt_length 4096 --learning-rate 1e-5',
  }

  test('have the columns of the table, whatever they are called', () => {
    const found = parametersOf(experiment)
    expect(Object.fromEntries([...found].map(([id, { value }]) => [id, value]))).toEqual({
      'lora-r': '64',
      'lora-alpha': '128',
      batch: '16',
      n: '8',
      accumulation: '8',
      dataset: 'musique,answerable,train',
      scaling: 'on',
      'prompt-length': '4096',
      'learning-rate': '1e-5',
    })
    expect(found.get('lora-r')).toEqual({ value: '64', from: 'written' })
    expect(found.get('scaling')).toEqual({ value: 'on', from: 'command' })
  })

  test('without adapters have no rank', () => {
    expect(parametersOf({ parameters: [], command: 'train --no-peft' }).get('lora-r')?.value).toBe('none')
  })

  test('of two experiments differ only where they do', () => {
    const other = { ...experiment, command: '--lora-r 8 --learning-rate 0.00001 --no-scale-rewards --seed 3' }
    expect(compareExperiments(experiment, other)).toEqual([
      { id: 'scaling', title: 'Scaling', a: 'on', b: 'off' },
      { id: 'prompt-length', title: 'Prompt length', a: '4096', b: null },
      { id: 'seed', title: 'Seed', a: null, b: '3' },
    ])
  })
})
