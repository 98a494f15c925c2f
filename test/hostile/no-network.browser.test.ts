import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describePage } from '../browser/describe-page.ts'
import { SAMPLES } from '../browser/inspector-page.ts'

describePage('the page behind a proxy that sees everything', (tests) => {
  let proxy: Server
  const asked = { own: 0, elsewhere: [] as string[] }

  beforeAll(async () => {
    proxy = createServer((incoming, answer) => {
      if (new URL(incoming.url ?? '').host !== `127.0.0.1:${tests.server.port}`) {
        asked.elsewhere.push(incoming.url ?? '')
        answer.writeHead(403).end()
        return
      }
      asked.own++
      const { method, headers } = incoming
      const onward = request(incoming.url ?? '', { method, headers }, (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers)
        got.pipe(answer)
      })
      onward.on('error', () => answer.destroy())
      incoming.pipe(onward)
    })
    proxy.on('connect', (incoming, socket) => {
      asked.elsewhere.push(incoming.url ?? '')
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  })
  afterAll(() => void proxy.close())

  test('asks nobody but its own server, whatever a person does in it', async () => {
    const server = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const window = await tests.open({ proxy: { server, bypass: '<-loopback>' } })
    const { page } = window
    page.on('download', () => undefined)
    await page.getByRole('button', { name: 'Open the sample run' }).click()
    await window.read()
    for (const key of [
      '1',
      '2',
      'j',
      'f',
      'Enter',
      'b',
      'r',
      'm',
      'w',
      'w',
      'o',
      'Escape',
      'Escape',
      '3',
      'j',
      'd',
      '4',
      ']',
      ']',
      ']',
      '6',
      'r',
      'x',
      'p',
    ]) {
      await page.keyboard.press(key)
      // A time, as keys of all kinds end in nothing common: each gets a while in which it could ask the network.
      await page.waitForTimeout(100)
    }
    await page.keyboard.press('5')
    await page.getByRole('heading', { name: 'Drop a second run here' }).waitFor()
    await window.drop([join(SAMPLES, 'clean-qwen2.5.jsonl.gz')])
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await page.getByRole('button', { name: /^tokenizer/ }).click()
    await page.getByRole('button', { name: 'Llama 3.1 and later' }).click()
    await page.getByRole('button', { name: /^tokenizer.*llama3/ }).waitFor()
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('e')
    const exporting = page.getByRole('dialog', { name: 'Export rollouts' }).getByRole('button', { name: /^Export \d/ })
    const [download] = await Promise.all([page.waitForEvent('download'), exporting.click()])
    await download.path()
    expect(window.errors).toEqual([])
    expect(asked.own).toBeGreaterThan(10)
    expect(asked.elsewhere).toEqual([])
    // The proxy does see what goes elsewhere.
    const other = await page.context().newPage()
    await other.goto('http://evil.example/x').catch(() => undefined)
    expect(asked.elsewhere).toContain('http://evil.example/x')
    await window.close()
  })
})
