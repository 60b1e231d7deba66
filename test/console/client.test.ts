/** `npm run console`: a command of the console from the command line, with its answer alone on standard output. */

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WrongUsage } from '../../src/errors.ts'
import { runRemotely, parseClientArguments } from '../../src/console/console-client.ts'
import { serve } from '../../src/http/serve.ts'
import { consoleFixture, type ConsoleFixture } from '../support/console/console-fixture.ts'

const script = new URL('../../src/console/console.ts', import.meta.url).pathname

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await consoleFixture()
})
afterAll(() => fixture.stop())

async function run(argumentList: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [script, ...argumentList], {
    env: { ...process.env, PLATFORM_API_KEY: 'operator', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const code = new Promise((resolve) => {
    child.once('close', resolve)
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, out, err }
}

const asked = async (line: string, more: { address?: string; key?: string } = {}) => {
  let [out, err] = ['', '']
  const code = await runRemotely(
    { address: fixture.url, key: 'operator', line, ...more },
    { out: (text) => (out += text), err: (text) => (err += text) },
    AbortSignal.timeout(10_000),
  )
  return { code, out, err }
}

describe('the client', () => {
  it('prints the answer and ends with 0', async () => {
    const done = await run(['--to', `${fixture.url}/shell.html`, 'vocabularies'])
    expect(done).toEqual({ code: 0, out: 'language  1,200 concepts\n1 vocabulary\n', err: '' })
  })

  it('ends with 1 and tells why when the command failed', async () => {
    const failed = { code: 1, out: '', err: 'Command failed: there is no run none\n' }
    expect(await asked('run none')).toEqual(failed)
  })

  it('ends with 2 when the command was not understood', async () => {
    expect(await asked('lanch city')).toMatchObject({ code: 2, out: '' })
    expect(await run([])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^no command\n\nnpm run/),
    })
  })

  it('tells a refused key and a platform that is not there', async () => {
    expect(await asked('help', { key: 'wrong' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('valid API key'),
    })
    const to = 'http://127.0.0.1:9/shell'
    expect(await asked('help', { address: to })).toMatchObject({
      code: 1,
      err: expect.stringContaining('no answer'),
    })
  })

  it('says how a platform without a console gets one', async () => {
    const closed = await serve({ fetch: () => new Response(null, { status: 404 }) }, { port: 0 })
    const { code, err } = await asked('runs', { address: closed.url })
    expect(code).toBe(1)
    expect(err).toContain('PLATFORM_HUB_SHELL_CONFIG={"http":{}}')
    await closed.close()
  })

  it('takes an answer without its last line for one that broke off', async () => {
    const half = await serve({ fetch: () => new Response('one\ntwo\n') }, { port: 0 })
    const told = { code: 1, out: 'one\n', err: 'two\n' }
    expect(await asked('help', { address: half.url })).toEqual(told)
    await half.close()
  })
})

describe('its arguments', () => {
  it.each<[readonly string[], object]>([
    [['help'], { address: 'http://localhost:8080/shell', line: 'help' }],
    [['--server', 'http://a.example', 'help'], { address: 'http://a.example/shell', line: 'help' }],
    [
      ['--server', 'http://a.example/x/shell', 'help'],
      { address: 'http://a.example/x/shell', line: 'help' },
    ],
    [
      ['--to=http://a.example:8085/', '--key', '-k1', 'runs', '-n', '5'],
      { address: 'http://a.example:8085', key: '-k1', line: 'runs -n 5' },
    ],
    [
      ['launch', 'city', '{"a":{"b":"c d"}}'],
      {
        address: 'http://localhost:8080/shell',
        line: String.raw`launch city "{\"a\":{\"b\":\"c d\"}}"`,
      },
    ],
  ])('%j', (argumentList, wanted) => {
    expect(parseClientArguments(argumentList)).toEqual(wanted)
  })

  it.each([
    ['--to'],
    ['--to', 'ftp://a', 'help'],
    ['--server', 'ftp://a', 'help'],
    ['--nothing', 'help'],
    ['--to', 'http://u@a', 'help'],
  ])('are refused: %s %s', (...argumentList) => {
    expect(() => parseClientArguments(argumentList)).toThrow(WrongUsage)
  })
})
