/** The command itself, as somebody types it: its exit code and its words. */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doubleKey, repositoryDouble, type RepositoryDouble } from '../support/repository-double.ts'

const entry = new URL('../../src/harvest/import.ts', import.meta.url).pathname
const cache = new URL('../../src/compile-cache.js', import.meta.url).href
const folder = mkdtempSync(join(tmpdir(), 'import-test-'))
const good = '<a:d> a <http://www.w3.org/ns/dcat#Dataset> .\n'
let double: RepositoryDouble

beforeAll(async () => {
  double = await repositoryDouble({
    mischief: (put) => (put.originalId === 'a:no' ? { status: 422 } : undefined),
  })
  writeFileSync(join(folder, 'good.ttl'), good)
  writeFileSync(join(folder, 'good.ttl.gz'), gzipSync(good))
  writeFileSync(join(folder, 'refused.ttl'), good.replace('a:d', 'a:no'))
  writeFileSync(join(folder, 'broken.ttl'), `${good}<a:e> a <a:f\n`)
  writeFileSync(join(folder, 'good.txt'), good)
  writeFileSync(join(folder, 'api-key'), `${doubleKey}\n`)
})
afterAll(async () => {
  await double.close()
  rmSync(folder, { recursive: true })
})

type Ran = { code: number | null; out: string; error: string }

/** Runs the command with the double as server; `input` goes to standard input. */
function run(words: readonly string[], input = '', env: Record<string, string> = {}): Promise<Ran> {
  const list = ['--import', cache, entry, ...words, '--server', double.service]
  const child = spawn(process.execPath, list, {
    cwd: folder,
    env: { PATH: process.env['PATH'], PLATFORM_API_KEY: doubleKey, ...env },
  })
  const ran: Ran = { code: null, out: '', error: '' }
  child.stdout.on('data', (part) => (ran.out += String(part)))
  child.stderr.on('data', (part) => (ran.error += String(part)))
  child.stdin.end(input)
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ran, code })))
}

const into = ['--catalogue', 'c']

describe('npm run import', () => {
  it('ends with 0 and an account when everything is in, without a progress line in a pipe', async () => {
    const ran = await run(['good.ttl', ...into])
    expect(ran).toMatchObject({ code: 0, error: '' })
    expect(ran.out).toContain('1 created, 0 updated, 0 unchanged, 0 failed')
  })

  it.each([
    ['nothing', '', 'the document holds no dcat:Dataset; it holds no statement'],
    [
      'a catalogue of services',
      '<a:c> a <http://www.w3.org/ns/dcat#Catalog> . <a:s> a <http://www.w3.org/ns/dcat#DataService> .',
      'the document holds no dcat:Dataset, only 1 catalogue and 1 data service',
    ],
  ])('ends with 1 when there is %s to import, and sends nothing', async (_, text, words) => {
    const before = double.puts.length
    const ran = await run(['-', '--format', 'ttl', ...into], text)
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.error).toBe(`standard input: ${words}\nnothing was sent\n`)
    expect(double.puts.length).toBe(before)
  })

  it('ends with 1 when a dataset failed', async () => {
    const ran = await run(['refused.ttl', ...into])
    expect(ran.code).toBe(1)
    expect(ran.out).toContain('failed: a:no: HTTP 422')
  })

  it('ends with 1 on a syntax error, and says file and line', async () => {
    const before = double.puts.length
    const ran = await run(['broken.ttl', ...into])
    expect(ran.code).toBe(1)
    expect(ran.error).toMatch(/^broken\.ttl:[23]/)
    expect(double.puts).toHaveLength(before)
  })

  it.each([
    [['good.ttl', '--colour'], '--colour'],
    [['good.ttl'], '--catalogue'],
    [['good.txt', ...into], '--format'],
    [['-', ...into], '--format'],
    [['good.ttl', '--format', 'csv', ...into], '--format'],
    [['missing.ttl', ...into], 'missing.ttl'],
  ])('%j ends with 2 and names the argument', async (words, named) => {
    const ran = await run(words)
    expect(ran.code).toBe(2)
    expect(ran.error).toContain(named)
  })

  it('asks for a key when it can find none', async () => {
    const ran = await run(['good.ttl', ...into], '', { PLATFORM_API_KEY: '' })
    expect(ran.code).toBe(2)
    expect(ran.error).toContain('--key')
  })

  it('reads standard input, packed files, and the key in the data directory', async () => {
    expect(await run(['-', '--format', 'ttl', ...into], good)).toMatchObject({ code: 0 })
    const env = { PLATFORM_API_KEY: '', PLATFORM_DATA_DIR: folder }
    expect(await run(['good.ttl.gz', ...into], '', env)).toMatchObject({ code: 0 })
  })

  it('fetches an address and trusts its content type before its suffix', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/turtle; charset=utf-8' }).end(good)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const ran = await run([`http://127.0.0.1:${port}/dump.nt`, '--catalogue', 'web'])
    server.close()
    expect(ran).toMatchObject({ code: 0, error: '' })
    expect(double.datasets.has('web/a:d')).toBe(true)
  })
})
