/** The telnet door over a real socket: the key without echo, three tries, commands, Ctrl-C, and an end. */

import { afterEach, describe, expect, it } from 'vitest'
import { commandsOf } from '../../src/console/command-table.ts'
import { execution } from '../../src/console/execution.ts'
import { openTelnet, type TelnetOptions } from '../../src/console/telnet.ts'
import { apiKeys } from '../../src/http/api-key.ts'
import { logger } from '../../src/log.ts'
import { consoleParts } from '../support/console/console-parts.ts'
import { keyConfig } from '../support/console/console-fixture.ts'
import { telnetClient } from '../support/console/telnet-client.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function door(options: Partial<TelnetOptions> = {}) {
  const runsFixture = consoleParts()
  const ending = new AbortController()
  const log = logger('silent')
  const running = execution({ log, now: Date.now, clean: (text) => text, stopping: ending.signal })
  const server = await openTelnet({
    table: commandsOf(runsFixture.parts),
    execution: running,
    keys: apiKeys(keyConfig),
    log,
    host: '127.0.0.1',
    port: 0,
    ...options,
  })
  ends.push(async () => {
    ending.abort()
    await server.close()
    await running.idle()
    await runsFixture.close()
  })
  return { ...runsFixture, server, client: () => telnetClient(server.port) }
}

async function inside(options: Partial<TelnetOptions> = {}) {
  const opened = await door(options)
  const client = await opened.client()
  expect(await client.heard('key: ')).toBe(true)
  client.send('operator\r\n')
  expect(await client.heard('key: ', '\r\n> ')).toBe(true)
  return { ...opened, client }
}

const willEcho = Buffer.of(255, 251, 1)
const wontEcho = Buffer.of(255, 252, 1)

it('rejects when the port is taken, with the setting that chooses it', async () => {
  const { server } = await door()
  await expect(door({ port: server.port })).rejects.toThrow(
    /^port \d+ is taken: .* \(PLATFORM_HUB_SHELL_CONFIG\)$/,
  )
})

describe('the door', () => {
  it('listens where it is told to and nowhere else', async () => {
    const { server } = await door()
    expect(server.host).toBe('127.0.0.1')
  })

  it('asks for the key before anything else, and takes the echo away meanwhile', async () => {
    const { client } = await inside()
    const bytes = client.bytes()
    expect(bytes.indexOf(willEcho)).toBe(0)
    expect(bytes.indexOf(wontEcho)).toBeGreaterThan(bytes.indexOf('key: '))
    expect(client.text()).not.toContain('operator')
  })

  it('[T14] closes after three wrong keys and has run nothing', async () => {
    const { client: open, seen } = await door()
    const client = await open()
    client.send('clear city\r\nclear city\r\nclear city\r\nclear city\r\n')
    await client.isClosed()
    expect(client.text().match(/does not open/g)).toHaveLength(3)
    expect(seen.clears).toEqual([])
  })

  it('[T14] refuses a known key that may not use the console', async () => {
    const client = await (await door()).client()
    client.send('steward\r\n')
    expect(await client.heard('this key does not open the console')).toBe(true)
  })

  it('gives a key that was mistyped another chance, backspace and all', async () => {
    const client = await (await door()).client()
    client.send('wrong\r\n')
    expect(await client.heard('does not open')).toBe(true)
    client.send('operatoü\u007fr\r\0')
    expect(await client.heard('> ')).toBe(true)
  })

  it('closes when no key comes in time, and when nothing is typed for too long', async () => {
    const hasty = await (await door({ keyMs: 20 })).client()
    expect(await hasty.heard('no key was entered in time')).toBe(true)
    await hasty.isClosed()
    const { client } = await inside({ mostIdleMs: 200 })
    expect(await client.heard('nothing was typed for too long')).toBe(true)
    await client.isClosed()
  })

  it('lets in no more clients than it has places', async () => {
    const { client, server } = await door({ connections: 1 })
    const first = await client()
    expect(await first.heard('key: ')).toBe(true)
    const second = await telnetClient(server.port)
    await second.isClosed()
    expect(second.text()).toBe('')
    expect(first.closed()).toBe(false)
  })
})

describe('a visit', () => {
  it('runs the same commands with the same last lines', async () => {
    const { client } = await inside()
    client.send('runs\r\n')
    expect(await client.heard('no runs\r\n', 'Command finished\r\n> ')).toBe(true)
    client.send('run none\nlanch\n')
    expect(
      await client.heard('Command failed: there is no run none\r\n', 'did you mean launch?', '> '),
    ).toBe(true)
  })

  it('is UTF-8 in both directions, in whatever pieces', async () => {
    const { client } = await inside()
    for (const byte of Buffer.from('run münchen-✓\r\n')) client.send(Uint8Array.of(byte))
    expect(await client.heard('there is no run münchen-✓')).toBe(true)
  })

  it('refuses every option of the protocol and keeps it out of the lines', async () => {
    const { client } = await inside()
    const naws = [255, 251, 31, 255, 250, 31, 0, 80, 0, 24, 255, 240]
    client.send(Uint8Array.of(...Buffer.from('ru'), ...naws, 255, 253, 3, ...Buffer.from('ns\r\n')))
    expect(await client.heard('no runs')).toBe(true)
    expect(client.bytes().includes(Buffer.of(255, 254, 31))).toBe(true)
    expect(client.bytes().includes(Buffer.of(255, 252, 3))).toBe(true)
  })

  it.each<[string, string | Uint8Array]>([
    ['Ctrl-C', '\u0003'],
    ['the interrupt of the protocol', Uint8Array.of(255, 244)],
  ])('%s ends the current output and what waits, and the visit goes on', async (_, sent) => {
    const { client, seen } = await inside()
    client.send('tombstones\r\nclear city\r\n')
    expect(await client.heard('gone-1')).toBe(true)
    client.send(sent)
    expect(await client.heard('^C\r\n> ')).toBe(true)
    expect(seen.left).toBe(true)
    client.send('triggers city\r\n')
    expect(await client.heard('^C', 'cron 0 3 * * *', 'Command finished')).toBe(true)
    expect(seen.clears).toEqual([])
  })

  it('Ctrl-C leaves work on records alone and says that it goes on', async () => {
    const { client, finishWork } = await inside()
    client.send('index city\r\n')
    client.send('\u0003')
    expect(await client.heard('^C')).toBe(true)
    finishWork()
    client.send('help exit\r\n')
    expect(await client.heard('leaves the console')).toBe(true)
  })

  it.each(['exit\r\n', '\u0004'])('ends with %j', async (sent) => {
    const { client } = await inside()
    client.send(sent)
    await client.isClosed()
    expect(client.closed()).toBe(true)
  })

  it('answers all lines of a client that has closed its side already', async () => {
    const client = await (await door()).client()
    client.socket.end('operator\r\nvocabularies\r\npending\r\n')
    await client.heard(
      '1,200 concepts',
      '2 records pending, the oldest for 61 s',
      'Command finished',
    )
    await client.isClosed()
    expect(client.closed()).toBe(true)
  })

  it('closes at a line without an end and at lines that nobody can answer so fast', async () => {
    const endless = await inside()
    endless.client.send('x'.repeat(20_000))
    endless.client.send('\r\n')
    expect(await endless.client.heard('longer than 10000 bytes')).toBe(true)
    await endless.client.isClosed()
    const many = await inside()
    many.client.send('index\r\n')
    many.client.send('help\r\n'.repeat(20_000))
    expect(await many.client.heard('too many lines wait')).toBe(true)
    await many.client.isClosed()
  })

  it('is told when the platform stops', async () => {
    const { client, server } = await inside()
    await server.close()
    expect(await client.heard('> \r\nthe console is closing\r\n')).toBe(true)
  })
})
