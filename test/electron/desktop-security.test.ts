import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chromiumMissing } from '../helpers/chromium.ts'
import { type Desktop, standInHost } from './desktop.ts'
import { realHost } from './real-electron.ts'

for (const host of [standInHost(chromiumMissing), realHost()]) {
  const title = `what the page may do in the ${host.name}${host.missing === null ? '' : ` (${host.missing})`}`
  describe.skipIf(host.missing !== null)(title, () => {
    let folder: string
    let desktop: Desktop

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-files-'))
    })

    afterEach(async () => {
      await desktop.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test('nothing that was not opened can be read', async () => {
      writeFileSync(join(folder, 'secret.jsonl'), 'secret')
      desktop = await host.start([])
      const statuses = await desktop.page.evaluate(
        (paths) => Promise.all(paths.map((path) => fetch(path).then((response) => response.status))),
        [
          '/file/AAAAAAAAAAAAAAAAAAAAAA',
          `/file/${encodeURIComponent(join(folder, 'secret.jsonl'))}`,
          '/file/..%2f..%2fpackage.json',
          '/..%2f..%2fpackage.json',
          '/%2e%2e/%2e%2e/package.json',
          '/tokenizers/..%2f..%2fpackage.json',
          '/.built-from',
        ],
      )
      expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 404])
    })

    test('the page cannot be led elsewhere', async () => {
      desktop = await host.start([])
      const before = desktop.page.url()
      await desktop.page.evaluate(() => {
        location.href = 'https://example.com/'
      })
      await expect.poll(() => desktop.askedToLeaveFor()).toEqual(['https://example.com/'])
      expect(desktop.page.url()).toBe(before)
      expect(await desktop.page.evaluate(() => typeof window.inspector)).toBe('object')
    })

    test('a page that was not led elsewhere goes on: it saves, and takes what is opened', async () => {
      desktop = await host.start([])
      const target = join(folder, 'kept.jsonl')
      await desktop.answerSaveDialog(target)
      const id = await desktop.page.evaluate(async () => {
        const arrived: string[] = []
        Object.assign(window, { arrived })
        window.inspector!.onOpenFiles(({ files }) => arrived.push(...files.map(({ name }) => name)))
        await window.inspector!.ready()
        const begun = await window.inspector!.beginSaving('kept.jsonl')
        location.href = 'https://example.com/'
        return begun!.id
      })
      await expect.poll(() => desktop.askedToLeaveFor()).toEqual(['https://example.com/'])
      const saved = await desktop.page.evaluate(async (id) => {
        await window.inspector!.writePiece(id, 'kept.jsonl', new Uint8Array([65]))
        return window.inspector!.endSaving(id)
      }, id)
      expect(saved).toEqual({ kind: 'saved', names: ['kept.jsonl'] })
      await desktop.startAgain([target])
      await expect.poll(() => desktop.inPage('arrived')).toEqual(['kept.jsonl'])
    })

    // What the stand-in shows is a page of https, whose other addresses are no matter of Electron's.
    if (!host.name.startsWith('stand-in'))
      test('the page cannot be led to another host of its own scheme, nor to a page that it made itself', async () => {
        desktop = await host.start([])
        const before = desktop.page.url()
        const made = await desktop.page.evaluate(() => {
          const made = URL.createObjectURL(new Blob(['<p>made</p>'], { type: 'text/html' }))
          location.href = made
          return made
        })
        await expect.poll(() => desktop.askedToLeaveFor()).toEqual([made])
        await desktop.page.evaluate(() => {
          location.href = 'rollout-inspector://other/'
        })
        await expect.poll(() => desktop.askedToLeaveFor()).toEqual([made, 'rollout-inspector://other/'])
        expect(desktop.page.url()).toBe(before)
        expect(await desktop.page.evaluate(() => typeof window.inspector)).toBe('object')
      })

    test('no second window opens, and only known sites go to the browser', async () => {
      desktop = await host.start([])
      await desktop.page.evaluate(() => {
        window.open('https://example.com/')
        window.open('https://github.com.example.com/')
        window.open('http://github.com/huggingface/trl')
        window.open('https://github.com/huggingface/trl')
      })
      await expect.poll(() => desktop.openedOutside()).toEqual(['https://github.com/huggingface/trl'])
      await expect.poll(() => desktop.windowCount()).toBe(1)
    })

    test('the page reaches no network', async () => {
      desktop = await host.start([])
      const reached = await desktop.page.evaluate(() =>
        fetch('https://example.com/').then(
          () => true,
          () => false,
        ),
      )
      expect(reached).toBe(false)
    })

    test('every permission is denied', async () => {
      desktop = await host.start([])
      const states = await desktop.page.evaluate(async () => {
        const names = ['geolocation', 'notifications', 'clipboard-read'] as PermissionName[]
        return Promise.all(names.map(async (name) => (await navigator.permissions.query({ name })).state))
      })
      expect(states).not.toContain('granted')
    })

    test('what a person would be asked for is refused without asking', async () => {
      desktop = await host.start([])
      const outcomes = await desktop.page.evaluate(async () => {
        const outcome = (asked: Promise<unknown>) =>
          asked.then(
            (value) => `given: ${value}`,
            () => 'refused',
          )
        return {
          notices: await Notification.requestPermission(),
          camera: await outcome(navigator.mediaDevices.getUserMedia({ video: true })),
          screen: await outcome(navigator.mediaDevices.getDisplayMedia()),
          place: await outcome(new Promise((...ends) => navigator.geolocation.getCurrentPosition(...ends))),
          clipboard: await outcome(navigator.clipboard.readText()),
          storage: await navigator.storage.persisted(),
        }
      })
      expect(outcomes).toEqual({
        notices: 'denied',
        camera: 'refused',
        screen: 'refused',
        place: 'refused',
        clipboard: 'refused',
        storage: false,
      })
    })

    test('the page has nothing of Node or Electron but what is lent to it, and a frame of it has not even that', async () => {
      desktop = await host.start([])
      const seen = await desktop.page.evaluate(() => {
        const names = ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron', '__dirname']
        const frame = document.createElement('iframe')
        document.body.append(frame)
        const webview = document.createElement('webview')
        return {
          page: names.filter((name) => name in window),
          frame: [...names, 'inspector'].filter((name) => name in frame.contentWindow!),
          webview: 'getWebContentsId' in webview || 'reload' in webview,
          lent: Object.values(window.inspector!).every((verb) => ['function', 'string'].includes(typeof verb)),
        }
      })
      expect(seen).toEqual({ page: [], frame: [], webview: false, lent: true })
    })

    test('the content policy refuses text that becomes a script, frames, and what lies elsewhere', async () => {
      desktop = await host.start([])
      const refused = await desktop.page.evaluate(async () => {
        const refused: string[] = []
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          refused.push(effectiveDirective)
        })
        const add = (name: string, given: Record<string, string>) =>
          document.body.append(Object.assign(document.createElement(name), given))
        // By itself what a test runs in a page may do this.
        // biome-ignore lint/security/noGlobalEval: that it is refused is what is tested
        setTimeout(() => eval('1'))
        add('img', { src: 'https://example.com/a.png' })
        add('iframe', { src: 'https://example.com/' })
        add('object', { data: 'https://example.com/' })
        add('script', { src: 'https://example.com/a.js' })
        add('link', { rel: 'stylesheet', href: 'https://example.com/a.css' })
        add('base', { href: 'https://example.com/' })
        await fetch('https://example.com/').catch(() => undefined)
        await new Promise((later) => setTimeout(later, 200))
        return [...new Set(refused)].sort()
      })
      expect(refused).toEqual([
        'base-uri',
        'connect-src',
        'frame-src',
        'img-src',
        'object-src',
        'script-src',
        'script-src-elem',
        'style-src-elem',
      ])
    })

    test('scripts that are not files of the page do not run', async () => {
      desktop = await host.start([])
      const ran = await desktop.page.evaluate(() => {
        const script = document.createElement('script')
        script.textContent = 'window.inlineRan = true'
        document.head.append(script)
        return 'inlineRan' in window
      })
      expect(ran).toBe(false)
    })
  })
}
