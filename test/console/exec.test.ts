/** Commands over HTTP: a key first, an answer that streams, and a last line that tells how it ended. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { consoleFixture, type ConsoleFixture } from '../support/console/console-fixture.ts'

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await consoleFixture({ clean: (text) => text.replaceAll('hunter22', '•••') })
})
afterAll(() => fixture.stop())

const post = (path: string, init: RequestInit) =>
  fetch(`${fixture.url}/${path}`, { method: 'POST', ...init })

describe('POST /exec', () => {
  it('answers plain text, not to be kept, whose last line says that the command finished', async () => {
    const answer = await fixture.exec('pipes')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(answer.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
    const lines = (await answer.text()).split('\n')
    expect(lines.slice(-2)).toEqual(['Command finished', ''])
    expect(lines[0]).toMatch(/^city\s+pipes\s+importing-rdf > exporting-hub$/)
    expect(lines).toContain('! pipes bad.yaml: no segments')
  })

  it('says why a command failed in its last line', async () => {
    expect(await fixture.said('run none')).toBe('Command failed: there is no run none\n')
    expect(await fixture.said('launch nowhere')).toBe(
      'Command failed: Pipe nowhere not available\n',
    )
    expect(await fixture.said('launch city metrics')).toBe(
      'Command failed: Pipe metrics not available\n',
    )
  })

  it.each<[string, RegExp]>([
    ['lanch city', /did you mean launch\?\nthe commands are adopt, /],
    ['runs "x', /not closed/],
    ['runs -n 0', /usage: runs \[pipe\] \[-n count\]/],
    ['', /no command/],
  ])('answers 400 to %j, in plain text that tells what would be right', async (line, text) => {
    const answer = await fixture.exec(line)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain/)
    expect(await answer.text()).toMatch(text)
  })

  it.each<[string, number, RequestInit]>([
    ['without a key', 401, {}],
    ['with a wrong key', 401, { headers: { 'X-API-Key': 'wrong' } }],
    ['with a key in the address', 401, {}],
    ['with the key of a catalogue', 403, { headers: { Authorization: 'Bearer steward' } }],
    [
      'as a form',
      415,
      { headers: { 'X-API-Key': 'operator', 'Content-Type': 'application/x-www-form-urlencoded' } },
    ],
    ['as two lines', 400, { headers: { 'X-API-Key': 'operator' }, body: 'help\nhelp' }],
    ['as no UTF-8', 400, { headers: { 'X-API-Key': 'operator' }, body: Uint8Array.of(0xff, 0xfe) }],
    ['as a megabyte', 413, { headers: { 'X-API-Key': 'operator' }, body: 'x'.repeat(2 ** 20) }],
  ])('[T14] runs nothing %s', async (name, status, init) => {
    const before = fixture.seen.clears.length
    const path = name.endsWith('address') ? 'exec?key=operator&X-API-Key=operator' : 'exec'
    const answer = await post(path, { body: 'clear city', ...init })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
    expect(fixture.seen.clears).toHaveLength(before)
  })

  it('takes the key of a permission of its own', async () => {
    expect((await fixture.exec('help', { key: 'typist' })).status).toBe(200)
  })

  it('[T14] logs every command with the id of its key and without configurations', async () => {
    await fixture.said('launch nowhere {"importing-rdf":{"apikey":"hunter22"}} -v')
    const line = fixture.lines().findLast(({ event }) => event === 'command.finished')
    expect(line).toMatchObject({ command: 'launch', transport: 'http', words: ['nowhere'] })
    expect(line?.['key']).toMatch(/^[0-9a-f]{8}$/)
    expect(JSON.stringify(fixture.lines())).not.toContain('hunter22')
  })

  it('[T13] writes out what a terminal would obey, and no secret', async () => {
    const text = await fixture.said('status')
    expect(text).toContain(String.raw`evil          \u001b[2Jcleared\u202e`)
    expect(await fixture.said('vocabularies')).toContain('language  1,200 concepts')
    expect(await fixture.said('run hunter22')).toContain('there is no run •••')
  })

  it('streams: the beginning is there while the command goes on', async () => {
    const answer = await fixture.exec('launch city')
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const first = await reader?.read()
    const id = /^run (\S+)\n/.exec(first?.value ?? '')?.[1] ?? ''
    expect(fixture.runs.get(id)).toMatchObject({ status: 'running', startedBy: 'console' })
    fixture.runs.sink(id).item({ originalId: 'a', stage: 'export', state: 'created' })
    fixture.runs.change(id, { status: 'finished', outcome: 'complete' })
    let rest = ''
    for (let next = await reader?.read(); next?.value; next = await reader?.read())
      rest += next.value
    expect(rest).toMatch(/run \S+ is finished \(complete\): created 1\nCommand finished\n$/)
  })
})

describe('a reader who leaves', () => {
  it('ends a listing', async () => {
    const leaving = new AbortController()
    const answer = await fixture.exec('tombstones', { signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
    await expect.poll(() => fixture.seen.left).toBe(true)
    const line = () => fixture.lines().find(({ command }) => command === 'tombstones')
    await expect.poll(() => line()?.['outcome']).toBe('left')
  })

  it('does not end launched work', async () => {
    const leaving = new AbortController()
    const answer = await fixture.exec('launch lake', { signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
    const mine = () => fixture.lines().filter(({ words }) => String(words) === 'lake')
    await expect.poll(() => mine().some(({ outcome }) => outcome === 'left')).toBe(true)
    const [run] = fixture.runs.list({ pipe: 'lake', offset: 0, limit: 1 })
    expect(run?.status).toBe('running')
  })

  it('does not end what works on the records', async () => {
    const leaving = new AbortController()
    const answer = await fixture.exec('index city lake', { signal: leaving.signal })
    leaving.abort()
    await answer.text().catch(() => '')
    fixture.finishWork()
    const line = () => fixture.lines().find(({ command }) => command === 'index')
    await expect.poll(() => line()?.['outcome']).toBe('finished')
  })
})

describe('the console', () => {
  it('completes words for who has a key', async () => {
    const headers = { 'X-API-Key': 'operator' }
    const answer = await post('complete', { body: 'pipe ci', headers })
    expect(await answer.json()).toEqual({ from: 5, candidates: ['city'] })
    expect((await post('complete', { body: '' })).status).toBe(401)
  })

  it('has commands only for the services of its process', async () => {
    const alone = await consoleFixture({ parts: { status: async () => ({}) } })
    expect(await alone.said('status')).toBe('Command finished\n')
    await expect(alone.said('launch city')).rejects.toThrow(/the commands are exit, help, status/)
    await alone.stop()
  })

  it('tells what is unexpected to the log only', async () => {
    const broken = await consoleFixture({
      parts: {
        status: async () => {
          throw new Error('password=letmein')
        },
      },
    })
    expect(await broken.said('status')).toBe(
      'Command failed: unexpected error; see the log of the platform\n',
    )
    expect(broken.lines().some(({ event }) => event === 'command.failed')).toBe(true)
    await broken.stop()
  })

  it('ends what goes on when it is stopped, and says so', async () => {
    const ending = await consoleFixture()
    const answer = await ending.exec('index')
    const stopped = ending.stop()
    expect(await answer.text()).toMatch(/^Command failed: the console is closing\n$/)
    await stopped
  })

  it('refuses more commands at once than it has room for', async () => {
    const full = await consoleFixture()
    const answers = await Promise.all(Array.from({ length: 33 }, () => full.exec('index')))
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([429])
    full.finishWork()
    await Promise.all(answers.map((answer) => answer.text()))
    await full.stop()
  })

  it('tells what a neighbour complains of, with its places', async () => {
    const errors = [{ pointer: '/body', detail: 'no segments' }]
    const strict = await consoleFixture({
      parts: {
        status: async () => {
          throw new Failure('invalid-pipe', 'not valid', { errors })
        },
      },
    })
    expect(await strict.said('status')).toBe('Command failed: not valid; /body: no segments\n')
    await strict.stop()
  })
})
