/** `cartulary vocabularies` against a real platform, and against one that says no. */

import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { officialIds, officialAddress } from '../../src/console/vocabulary-client.ts'
import { cartulary } from '../support/program.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

type Out = { readonly out: string }

describe('the command line', () => {
  it.each([
    [[], /list[^]*install[^]*check/],
    [['remove'], /unknown command 'remove'/],
    [['list', 'x'], /too many arguments/],
    [['list', '--official'], /unknown option '--official'/],
    [['install', '--from', 'x.ttl'], /the one vocabulary/],
    [['install', 'a', 'b', '--from', 'x.ttl'], /the one vocabulary/],
    [['install', 'a', '--official', '--from', 'x.ttl'], /two sources/],
    [['install', 'a/b'], /a\/b is no id/],
    [['list', '--server', 'ftp://x'], /no http or https address/],
  ])('%j ends with 2 and says what is wrong', async (words, says) => {
    const { code, err } = await cartulary(['vocabularies', ...words])
    expect([code, err]).toEqual([2, expect.stringMatching(says)])
  })

  it('knows addresses of the EU tables, which are never asked here', () => {
    expect(officialIds).toContain('corporate-body')
    for (const id of officialIds)
      expect(officialAddress(id)).toMatch(/^http:\/\/publications\.europa\.eu\/resource\//)
    expect(officialAddress('nope')).toBeUndefined()
  })
})

describe('a platform', () => {
  let directory: string
  let platform: Gateway
  let files: Server
  const table = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    <http://voc.example/s> a skos:ConceptScheme . <http://voc.example/s/1> a skos:Concept ; skos:inScheme <http://voc.example/s> ; skos:prefLabel "One"@en .`
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory)
    files = createServer((request, response) => {
      const found = request.url === '/table'
      response.writeHead(found ? 200 : 404, { 'Content-Type': 'text/turtle; charset=utf-8' })
      response.end(found ? table : '')
    })
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    files.close()
    await platform.stop()
    await remove(directory)
  })
  const ask = (...options: readonly string[]) =>
    cartulary(['vocabularies', ...options], {
      env: { CARTULARY_SERVER: platform.url, CARTULARY_KEY: platform.key },
    })
  const lines = ({ out }: Out) => out.trim().split('\n').sort()

  it('gets bundled tables, once', async () => {
    const first = await ask('install', 'access-right', 'frequency')
    expect([first.code, lines(first)]).toEqual([0, ['access-right  created', 'frequency  created']])
    const again = await ask('install', 'frequency')
    expect([again.code, lines(again)]).toEqual([0, ['frequency  unchanged']])
    const listed = await ask('list')
    expect(lines(listed)).toEqual(['access-right  6 concepts', 'frequency  38 concepts'])
  })

  it('gets all bundled tables, which break nothing', async () => {
    const { code, out } = await ask('install')
    const ids = lines({ out }).map((line) => line.split('  ')[0])
    expect([code, ids.length]).toEqual([0, 17])
    const checked = await ask('check')
    expect(lines(checked)).toEqual(ids.map((id) => `${id}  nothing found`))
  })

  it('gets a table from an address and from a file', async () => {
    const { port } = files.address() as AddressInfo
    const address = `http://127.0.0.1:${port}`
    const web = await ask('install', 'mine', '--from', `${address}/table`)
    expect([web.code, web.out]).toEqual([0, 'mine  created\n'])
    const file = join(directory, 'table.ttl')
    await writeFile(file, table.replace('One', 'Uno'))
    expect((await ask('install', 'mine', '--from', file)).out).toBe('mine  replaced\n')
    const gone = await ask('install', 'mine', '--from', `${address}/nope`)
    expect([gone.code, gone.out]).toEqual([1, `mine  failed: ${address}/nope: answered 404\n`])
    expect(
      await client(platform).json<object>(`${client(platform).search}/vocabularies/mine/1`),
    ).toMatchObject({ result: { pref_label: { en: 'Uno' } } })
  })

  it('says what went wrong, and goes on with the others', async () => {
    const some = await ask('install', 'nope', 'continent')
    expect(some.code).toBe(1)
    expect(lines(some)).toEqual([
      'continent  unchanged',
      expect.stringMatching(/^nope {2}failed: not bundled; known are access-right, /),
    ])
    const refused = await cartulary(['vocabularies', 'install', 'continent'], {
      env: { CARTULARY_SERVER: platform.url, CARTULARY_KEY: 'wrong' },
    })
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringMatching(/^continent {2}failed: .*\(401\)\n$/),
    ])
  })

  it('is told to be away when it is', async () => {
    const away = await cartulary(['vocabularies', 'list', '--server', 'http://127.0.0.1:9'])
    expect([away.code, away.err]).toEqual([3, expect.stringContaining('is the platform running')])
  })

  it('tells what of SKOS its vocabularies break', async () => {
    const file = join(directory, 'odd.ttl')
    const odd = table
      .replaceAll('voc.example/s', 'voc.example/t')
      .replace('"One"@en', '"One"@en, "Two"@en')
    await writeFile(file, odd)
    expect((await ask('install', 'odd', '--from', file)).code).toBe(0)
    const { code, out } = await ask('check', 'odd')
    expect([code, out.split('\n')]).toEqual([
      5,
      [
        'odd  ',
        '  S14  1  one preferred label per language',
        expect.stringContaining('<http://voc.example/t/1>'),
        '',
      ],
    ])
  })
})
