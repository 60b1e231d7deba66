/** `cartulary import` as somebody types it: its exit code and its words. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cartulary } from '../support/program.ts'
import { doubleKey, repositoryDouble, type RepositoryDouble } from '../support/repository-double.ts'

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
  writeFileSync(join(folder, 'half.ttl'), good + good.replace('a:d', 'a:no'))
  writeFileSync(join(folder, 'broken.ttl'), `${good}<a:e> a <a:f\n`)
  writeFileSync(join(folder, 'good.txt'), good)
  writeFileSync(join(folder, 'api-key'), `${doubleKey}\n`)
})
afterAll(async () => {
  await double.close()
  rmSync(folder, { recursive: true })
})

/** Runs the command with the double as server; `input` goes to standard input. */
const run = (words: readonly string[], input = '', env: Record<string, string> = {}) =>
  cartulary(['import', ...words, '--server', double.service], {
    input,
    cwd: folder,
    env: { CARTULARY_KEY: doubleKey, ...env },
  })

const into = ['--catalogue', 'c']

describe('cartulary import', () => {
  it('ends with 0 and an account when everything is in, without a progress line in a pipe', async () => {
    const ran = await run(['good.ttl', ...into])
    expect(ran).toMatchObject({ code: 0, err: '' })
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
    expect(ran.err).toBe(`standard input: ${words}\nnothing was sent\n`)
    expect(double.puts.length).toBe(before)
  })

  it('ends with 1 when no dataset is in, with 4 when some are', async () => {
    const ran = await run(['refused.ttl', ...into])
    expect(ran.code).toBe(1)
    expect(ran.out).toContain('failed: a:no: HTTP 422')
    expect((await run(['half.ttl', ...into])).code).toBe(4)
  })

  it('takes several documents, and prints what became of each as JSON where asked', async () => {
    const ran = await run(['good.ttl', 'refused.ttl', '--json', ...into])
    expect(ran.code).toBe(1)
    expect(
      ran.out
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toMatchObject([
      { location: 'good.ttl', unchanged: 1, failed: 0 },
      { location: 'refused.ttl', failed: 1 },
    ])
    expect(ran.err).toMatch(/^\{"progress":\{"what":"reading"/)
  })

  it('ends with 1 on a syntax error, and says file and line', async () => {
    const before = double.puts.length
    const ran = await run(['broken.ttl', ...into])
    expect(ran.code).toBe(1)
    expect(ran.err).toMatch(/^broken\.ttl:[23]/)
    expect(double.puts).toHaveLength(before)
  })

  it.each([
    [[], 'file'],
    [['good.ttl', '--colour'], '--colour'],
    [['good.ttl', '--catalogue', 'no blanks'], '--catalogue'],
    [['good.ttl', '--base', 'relative', ...into], '--base'],
    [['good.ttl'], '--catalogue'],
    [['good.txt', ...into], 'RDF format'],
    [['-', ...into], 'RDF format'],
    [['good.ttl', '--format', 'csv', ...into], '--format'],
    [['missing.ttl', ...into], 'missing.ttl'],
  ])('%j ends with 2 and names the argument', async (words, named) => {
    const ran = await run(words)
    expect(ran.code).toBe(2)
    expect(ran.err).toContain(named)
  })

  it('asks for a key when it can find none', async () => {
    const ran = await run(['good.ttl', ...into], '', { CARTULARY_KEY: '' })
    expect(ran.code).toBe(2)
    expect(ran.err).toContain('--key-file')
  })

  it('reads standard input, packed files, and the key in the data directory', async () => {
    expect(await run(['-', '--format', 'ttl', ...into], good)).toMatchObject({ code: 0 })
    const env = { CARTULARY_KEY: '', PLATFORM_DATA_DIR: folder }
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
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(double.datasets.has('web/a:d')).toBe(true)
  })
})
