/** A command of the console from the command line, with its answer alone on standard output. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runRemotely } from '../../src/console/console-client.ts'
import { WrongUsage } from '../../src/errors.ts'
import { serve } from '../../src/http/serve.ts'
import { consoleFixture, type ConsoleFixture } from '../support/console/console-fixture.ts'
import { cartulary } from '../support/program.ts'

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await consoleFixture()
})
afterAll(() => fixture.stop())

const run = (...words: readonly string[]) =>
  cartulary(['console', '--server', `${fixture.url}/shell.html`, ...words], {
    env: { CARTULARY_KEY: 'operator' },
  })

const asked = async (line: string, more: { address?: string; key?: string } = {}) => {
  let out = ''
  const order = { address: fixture.url, key: 'operator', line, ...more }
  const print = async (text: string) => {
    out += text
  }
  const error: unknown = await runRemotely(order, print, AbortSignal.timeout(10_000)).catch(
    (failure: unknown) => failure,
  )
  return { out, error }
}

describe('the client', () => {
  it('prints the answer and ends with 0', async () => {
    const done = { code: 0, out: 'language  1,200 concepts\n1 vocabulary\n', err: '' }
    expect(await run('vocabularies')).toEqual(done)
    const lines = '{"line":"language  1,200 concepts"}\n{"line":"1 vocabulary"}\n'
    expect(await run('vocabularies', '--json')).toEqual({ ...done, out: lines })
  })

  it('ends with 1 and tells why when the command failed', async () => {
    const failed = { code: 1, out: '', err: 'Command failed: there is no run none\n' }
    expect(await run('run', 'none')).toEqual(failed)
  })

  it('ends with 2 when the command was not understood, or there is none', async () => {
    expect(await run('lanch', 'city')).toMatchObject({ code: 2, out: '' })
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('console help') })
    expect((await asked('lanch city')).error).toBeInstanceOf(WrongUsage)
  })

  it('passes options and quotes on as they are', async () => {
    expect(await run('launch', '-h')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^launch </),
    })
    const { err } = await run('launch', 'city', '{"a":{"b":"c d"}}')
    expect(err).toMatch(/^Command failed: configs names segments .* a is not a segment of city/)
  })

  it('tells a refused key and a platform that is not there', async () => {
    const refused = await asked('help', { key: 'wrong' })
    expect(String(refused.error)).toContain('valid API key')
    const away = await asked('help', { address: 'http://127.0.0.1:9/shell' })
    expect(String(away.error)).toContain('no answer')
  })

  it('says how a platform without a console gets one', async () => {
    const closed = await serve({ fetch: () => new Response(null, { status: 404 }) }, { port: 0 })
    const { error } = await asked('runs', { address: closed.url })
    expect(String(error)).toContain('PLATFORM_HUB_SHELL_CONFIG={"http":{}}')
    await closed.close()
  })

  it('takes an answer without its last line for one that broke off', async () => {
    const half = await serve({ fetch: () => new Response('one\ntwo\n') }, { port: 0 })
    const { out, error } = await asked('help', { address: half.url })
    expect([out, String(error)]).toEqual(['one\n', 'Error: two'])
    await half.close()
  })
})
