/** The contract of the program `cartulary`: help, usage, exit codes, signals, what it reads and prints. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verbs } from '../../src/program/verbs.ts'
import { remove, temporaryDirectory } from '../support/gateway.ts'
import { cartulary, programFile } from '../support/program.ts'

let directory: string
/** A server that answers as a platform does at first, and then never again. */
let silent: Server
beforeAll(async () => {
  directory = await temporaryDirectory()
  silent = createServer((request, response) => {
    if (request.method === 'HEAD') response.end()
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
})
afterAll(async () => {
  silent.closeAllConnections()
  silent.close()
  await remove(directory)
})

/** Verbs that run without a platform. */
const local =
  /^(?:start|demo|check|backup|verify|restore|rebase|migrate|profile .*|configuration|completion)$/
const nowhere = { CARTULARY_SERVER: 'http://127.0.0.1:1', CARTULARY_KEY: 'k' }

describe('each verb', () => {
  it.concurrent.each(verbs.map(({ name }) => name))('%s has help with an example', async (name) => {
    const { code, out, err } = await cartulary([...name.split(' '), '--help'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(`\nExample:\n  cartulary ${name}`)
    expect(out).toContain('--server <url>')
  })

  it.concurrent.each(verbs.filter(({ name }) => !local.test(name)).map(({ example }) => [example]))(
    'ends with 3, and says so at once, when no platform answers: %s',
    async (example) => {
      const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, bare]) => quoted ?? bare ?? '',
      )
      const { code, out, err } = await cartulary([...words, '--yes'], { env: nowhere })
      expect([code, out]).toEqual([3, ''])
      expect(err).toMatch(/http:\/\/127\.0\.0\.1:1 does not answer.*--server.*\n$/)
    },
  )
})

describe('wrong usage', () => {
  it.concurrent.each([
    [[], 'Commands:'],
    [['statsu'], 'Did you mean status?'],
    [['pipe'], 'dry-run'],
    [['status', '--nope'], "unknown option '--nope'"],
    [['start', '--reset', 'store'], '--reset store: can be harvest or triggers'],
    [['export', '--format', 'ttl'], 'it is nq or nt'],
    [['key', 'revoke', 'x'], 'Give --yes to confirm'],
  ])('%j ends with 2 and says what is wrong', async (words, says) => {
    const { code, out, err } = await cartulary(words, { cwd: directory })
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(says)
  })

  it('is told as JSON where that is asked for', async () => {
    const { err } = await cartulary(['status', '--json'], { env: nowhere })
    expect(JSON.parse(err)).toEqual({ error: expect.stringContaining('does not answer') })
  })
})

describe('the process', () => {
  it('ends with 0 and without a word when its reader leaves', async () => {
    const child = spawn(process.execPath, [programFile, 'configuration'])
    child.stdout.once('data', () => child.stdout.destroy())
    let err = ''
    child.stderr.on('data', (part) => (err += String(part)))
    expect([...(await once(child, 'exit')), err]).toEqual([0, null, ''])
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends by %s with %i', async (signal, code) => {
    const { port } = silent.address() as AddressInfo
    const child = spawn(process.execPath, [programFile, 'console', 'runs'], {
      env: { ...process.env, CARTULARY_SERVER: `http://127.0.0.1:${port}`, CARTULARY_KEY: 'k' },
    })
    const asked = once(silent, 'request').then(() => once(silent, 'request'))
    await asked
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([code, null])
  })

  it('of a platform ends at a second signal, although requests are under way', async () => {
    const env = { ...process.env, PLATFORM_PORT: '0', PLATFORM_DATA_DIR: join(directory, 'busy') }
    const child = spawn(process.execPath, [programFile, 'start'], { env })
    let out = ''
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (part) => {
        out += String(part)
        if (out.includes('is ready')) resolve()
      })
    })
    const [url = ''] = /http:\/\/[^/]+/.exec(out) ?? []
    const endless = new ReadableStream({ pull: () => new Promise(() => undefined) })
    const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit
    const asking = fetch(`${url}/sparql`, init).catch(() => undefined)
    await fetch(`${url}/health/live`)
    const ended = once(child, 'exit')
    const again = setInterval(() => child.kill('SIGTERM'), 100)
    const [code] = (await ended) as [number]
    clearInterval(again)
    await asking
    expect(code).toBe(143)
  })
})

describe('check', () => {
  it('finds nothing wrong with an empty directory, and shows settings without secrets', async () => {
    const file = join(directory, 'settings.env')
    await writeFile(file, `PLATFORM_PORT=8099\nPLATFORM_SECRETS={"mail":"hunter22"}\n`)
    const { code, out } = await cartulary(['check', '--env-file', file, '--data', directory])
    expect(code).toBe(0)
    expect(out).toMatch(/^configuration {2}can be used$/m)
    expect(out).toMatch(/^ {2}port {10} 8099$/m)
    expect(out).toContain(`${directory} is not begun`)
    expect(out).not.toContain('hunter22')
  })

  it('ends with 5 and names every problem', async () => {
    await writeFile(join(directory, 'cartulary.json'), '{}')
    const wrong = await cartulary(['check', '--json', '--connect'], {
      env: {
        PLATFORM_DATA_DIR: directory,
        PLATFORM_TRIPLESTORE_CONFIG: '{"dialect":"fuseki","address":"http://127.0.0.1:1/ds"}',
      },
    })
    const { parts } = JSON.parse(wrong.out) as { parts: { part: string; problems: string[] }[] }
    const found = parts.filter(({ problems }) => problems.length > 0)
    expect([wrong.code, found.map(({ part }) => part)]).toEqual([5, ['data', 'store']])
    expect(found[0]?.problems[0]).toContain('cartulary.json is damaged')
    const setting = await cartulary(['check'], { env: { PLATFORM_PORT: 'eighty' } })
    expect([setting.code, setting.out]).toEqual([5, expect.stringMatching(/^! PLATFORM_PORT/m)])
  })
})

describe('check --connect', () => {
  it.each([
    ['{"number":"2.19.1","distribution":"opensearch"}', 0, 'opensearch 2.19.1 answers'],
    ['{"number":"8.19.2"}', 5, 'The search engine is Elasticsearch 8.19.2, which is not supported'],
  ])('names the search engine that is %s', async (version, code, sentence) => {
    const node = createServer((_, answer) => {
      answer.setHeader('Content-Type', 'application/json').end(`{"version":${version}}`)
    })
    node.listen(0, '127.0.0.1')
    await once(node, 'listening')
    const urls = [`http://127.0.0.1:${(node.address() as AddressInfo).port}`]
    const engine = JSON.stringify({ engine: 'opensearch', urls })
    const env = { PLATFORM_DATA_DIR: join(directory, 'new'), PLATFORM_SEARCH_ENGINE_CONFIG: engine }
    const checked = await cartulary(['check', '--connect'], { env })
    node.close()
    expect([checked.code, checked.out]).toEqual([code, expect.stringContaining(sentence)])
  })
})

describe('completion', () => {
  const completed = async (...words: string[]) => {
    const script = `source <(${process.execPath} ${programFile} completion bash); COMP_WORDS=(cartulary "$@"); COMP_CWORD=$#; _cartulary; echo "\${COMPREPLY[@]}"`
    const { stdout } = await promisify(execFile)('bash', ['-euc', script, 'bash', ...words])
    return stdout.trim()
  }

  it('knows verbs and options', async () => {
    expect(await completed('pi')).toBe('pipe')
    expect(await completed('pipe', '')).toBe('list run dry-run runs confirm')
    expect(await completed('import', '--server', 'x', '--up')).toBe('--update-catalogue')
    const { out } = await cartulary(['completion', 'fish'])
    expect(out).toContain('__fish_seen_subcommand_from pipe; and __fish_seen_subcommand_from run')
    expect((await cartulary(['completion', 'zsh'])).out).toMatch(/^#compdef cartulary$/m)
    expect((await cartulary(['completion', 'tcsh'])).code).toBe(2)
  })
})
