/** What the program asks of a running platform: its state, and its records as one file. */

import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  const { put, putDataset } = client(platform)
  for (const id of ['city', 'lakes'])
    await put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "${id}"@en .`)
  await putDataset('city', 'd1', `${prefixes}<> a dcat:Dataset ; dct:title "Trees"@en .`)
  await put(
    '/vocabularies/colours',
    `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <urn:c> a skos:ConceptScheme . <urn:c:red> skos:inScheme <urn:c> ; a skos:Concept ; skos:prefLabel "Red"@en .`,
  )
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const run = (...words: string[]) =>
  cartulary(words, { env: { CARTULARY_SERVER: platform.url }, cwd: directory })

describe('status', () => {
  it('shows the health, and ends with 0', async () => {
    const { code, out } = await run('status')
    expect([code, out]).toEqual([0, expect.stringMatching(/^status +up\n[^]*^store +ready true/m)])
    const { out: json } = await run('status', '--json')
    expect(JSON.parse(json)).toMatchObject({ status: 'up', store: { ready: true } })
  })
})

describe('export', () => {
  it('writes everything public as N-Quads, with the graph of each statement', async () => {
    const { code, out, err } = await run('export')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/"Trees"@en <http:\/\/localhost:8080\/set\/data\/d1> \.$/m)
    expect(out).toMatch(/<urn:c:red> .*"Red"@en <\S+> \.$/m)
    expect(out).toContain('"lakes"@en')
  })

  it('writes one catalogue as N-Triples into a packed file', async () => {
    const words = 'export --catalogue city --format nt --gzip --output city.nt.gz'
    const { code, out } = await run(...words.split(' '))
    expect([code, out]).toEqual([0, ''])
    const text = gunzipSync(await readFile(join(directory, 'city.nt.gz'))).toString()
    expect(text).toMatch(/"Trees"@en \.$/m)
    expect(text).not.toContain('lakes')
  })

  it('leaves no file and an older one as it is when it fails', async () => {
    await writeFile(join(directory, 'kept.nq'), 'kept')
    const { code, err } = await run('export', '--catalogue', 'none', '--output', 'kept.nq')
    expect([code, err]).toEqual([1, expect.stringContaining('(404)')])
    expect(await readFile(join(directory, 'kept.nq'), 'utf8')).toBe('kept')
    expect((await readdir(directory)).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

describe('the key', () => {
  it('is read from a file, from standard input, or from the data directory', async () => {
    const file = join(directory, 'records.ttl')
    await writeFile(file, `${prefixes}<urn:d> a dcat:Dataset ; dct:title "Tram"@en .`)
    const words = ['import', file, '--catalogue', 'city', '--server', platform.url]
    const keyFile = join(directory, 'api-key')
    for (const more of [
      ['--key-file', keyFile],
      ['--key-file', '-'],
      ['--data', directory],
    ]) {
      const ended = await cartulary([...words, ...more], { input: platform.key })
      expect(ended).toMatchObject({ code: 0, err: '' })
    }
    const wrong = await cartulary(words, { env: { CARTULARY_KEY: 'wrong' } })
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('stopped: ')])
  })
})
