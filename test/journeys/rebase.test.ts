/** A platform moves to another base of its IRIs: everything is there under new addresses, and texts stay as they were. */

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { keptFiles } from '../../src/main/data-files.ts'
import { rebasedFiles } from '../../src/main/rebase-files.ts'
import { rebase, rebaseQuad } from '../../src/rdf/rebase.ts'
import { printOf, VectorFile } from '../../src/search-index/embedding/vector-file.ts'
import { openLease } from '../../src/lease.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  repositoryOf,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'
import { prefixes } from '../support/repository.ts'
import { city, pipeInto, type City } from './harvesting/city.ts'
import { scheduler } from './harvesting/scheduler.ts'

const [from, to] = ['http://old.example/data/', 'https://new.example.org/']
const key = 'key-for-everything-0001'

/** A dataset with the former base in every position, and in texts. */
const intricate = `${prefixes}
<${from}set/data/intricate> a dcat:Dataset ; dct:title "See ${from}set/data/intricate"@en ;
  dct:description "A text with <${from}set/data/intricate> and \\\\\\"quotes\\\\\\" <${from}x>" ;
  dct:publisher <${from}org/1> ; dct:creator <http://old.example/database/1> ;
  dct:relation <http://old.example/data>, <http://old.example/data.org/x>, <${from}set/data/d1> ;
  dcat:landingPage <https://elsewhere.example/?of=${from}> ;
  dcat:contactPoint [ foaf:name "Jane" ; foaf:knows [ foaf:name "Joe" ] ] ;
  dct:identifier "${from}set/data/intricate"^^<http://www.w3.org/2001/XMLSchema#anyURI> ;
  dct:accessRights "1"^^<${from}type> ;
  dcat:distribution <${from}set/distribution/one> .
<${from}set/distribution/one> a dcat:Distribution ; dct:identifier "one" ; dcat:accessURL <${from}files/1.csv> .
<${from}org/1> a foaf:Agent ; foaf:name "${from}" .
`

const scheme = (
  base: string,
) => `<${base}voc> a <http://www.w3.org/2004/02/skos/core#ConceptScheme> .
  <${base}voc/a> a <http://www.w3.org/2004/02/skos/core#Concept> ;
    <http://www.w3.org/2004/02/skos/core#inScheme> <${base}voc> ;
    <http://www.w3.org/2004/02/skos/core#prefLabel> "A"@en .`

let [folder, pipes, directory] = ['', '', '']
let source: City
let platform: Gateway
let ask: (method: string, path: string, body?: string | object) => Promise<Response>

const start = async (base: string) => {
  platform = await gateway(directory, {
    PLATFORM_BASE_URI: base,
    PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }),
    PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
  })
  const repository = repositoryOf(() => platform)
  ask = (method, path, body) => repository(key, method, path, body)
}
const graph = async (path: string): Promise<string> => {
  const headers = { 'X-API-Key': key, Accept: 'application/n-triples' }
  return (await fetch(`${platform.url}/api/hub/repo${path}`, { headers })).text()
}
const json = async <T>(path: string): Promise<T> => (await ask('GET', path)).json() as Promise<T>
const found = async (q: string) => {
  const { json: read, search } = client(platform)
  type Found = { result: { count: number; results: { resource: string }[] } }
  const path = `/search?filters=dataset&includes=resource&limit=200&q=${encodeURIComponent(q)}`
  return (await read<Found>(search + path)).result
}
/** Runs of harvests, with what they changed. */
const harvested = async () => {
  const { outcome, counts } = await scheduler({ ...platform, key }).harvested('city')
  return { outcome, ...counts }
}
const ids = (catalogue: string) =>
  json<string[]>(`/catalogues/${catalogue}/datasets?valueType=identifiers&limit=1000`)

/** Graph as this test expects it: the base of IRIs replaced by hand; labels of blank nodes and the checksum left out. */
const expected = (lines: string) =>
  lines
    .split('\n')
    .filter((line) => !line.includes('checksumValue'))
    .map((line) => {
      const literal = /"(?:[^"\\]|\\.)*"/.exec(line)?.[0] ?? '"none"'
      const [before = '', after = ''] = line.split(literal)
      const moved = (text: string) => text.replaceAll(`<${from}`, `<${to}`)
      return moved(before) + (line.includes(literal) ? literal : '') + moved(after)
    })
    .map((line) => line.replaceAll(/_:\w+/g, '_:b'))
    .sort()

const catalogue = (title: string) => `${prefixes}<> a dcat:Catalog ; dct:title "${title}"@en .`

/** Contents of all files of a directory but those of locks and open logs. */
const contentOf = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/process\.lease|-shm$|-wal$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')])

const run = (words: string) => cartulary(words.split(' '), { cwd: folder })

it('a platform has records of every kind with the base in every position', async () => {
  ;[folder, pipes] = [await temporaryDirectory(), await temporaryDirectory()]
  directory = join(folder, 'data')
  source = await city(20)
  pipes = await pipeInto(pipes, source.address)
  await start(from)
  await ask('PUT', '/catalogues/city', catalogue('City'))
  await ask('PUT', '/catalogues/water', catalogue('Water'))
  await ask('PUT', '/catalogues/gone', catalogue('Gone'))
  expect(await harvested()).toMatchObject({ outcome: 'complete', created: 20 })
  const put = async (id: string, body: string) =>
    expect((await client({ ...platform, key }).putDataset('water', id, body)).ok).toBe(true)
  const dataset = (title: string) =>
    `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en ; <${from}prop> "x" ;
      dct:description "Text"@en ; dcat:keyword "lake"@en ; dcat:contactPoint [ foaf:name "Jim" ] .`
  // Each 20th version has the whole state.
  const more = Array.from({ length: 20 }, (_, n) => `Number ${n}`)
  for (const title of ['One', 'Two', 'Three', ...more, `At ${from}set/data/d1`])
    await put('d1', dataset(title))
  await put('intricate', intricate)
  // Data that come back from here name everything by its IRI.
  const back = await graph('/datasets/intricate')
  const same = { 'Content-Type': 'application/n-triples' }
  expect((await client({ ...platform, key }).put('/datasets/intricate', back, same)).status).toBe(
    204,
  )
  await put('away', dataset('Away'))
  expect((await ask('DELETE', '/datasets/away')).status).toBe(204)
  expect((await ask('DELETE', '/catalogues/gone')).ok).toBe(true)
  expect((await ask('PUT', '/vocabularies/voc', scheme(from))).ok).toBe(true)
  const draft = `${prefixes}<> a dcat:Dataset ; dct:title "At ${from}"@en ; dct:publisher <${from}org/1> ;
    <${from}prop> "${from}" ; dct:description "Text"@en ; dcat:keyword "lake"@en . <${from}org/1> a foaf:Agent ; foaf:name "One" .`
  expect((await ask('PUT', '/drafts/datasets/drafted?catalogue=water', draft)).status).toBe(201)
  expect((await ask('POST', '/drafts/datasets?of=d1')).ok).toBe(true)
  const [jim = ''] = /^.*"Jim" \.$/m.exec(await graph('/drafts/datasets/d1')) ?? []
  const patch = { remove: [jim], add: [jim.replace('"Jim"', '"Jill"')] }
  expect((await ask('PATCH', '/drafts/datasets/d1', patch)).ok).toBe(true)
  const rules = {
    required: [`${from}prop`],
    defaults: [{ path: `${from}prop`, value: `<${from}v>` }],
  }
  expect((await ask('PUT', '/catalogues/water/rules', rules)).ok).toBe(true)
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await source.end()
  await Promise.all([folder, pipes].map(remove))
})

describe('a dry run', () => {
  it('refuses a directory in use, another base and the same base', async () => {
    const command = `rebase --from ${from} --to ${to} --data ${directory}`
    expect((await run(command)).err).toContain('is in use')
    await platform.stop()
    expect((await run(`rebase --from http://x.example --to ${to} --data data`)).err).toContain(
      `has the base IRI ${from}, not http://x.example/`,
    )
    expect((await run(`rebase --from ${from} --to ${from} --data data`)).code).toBe(2)
    expect((await run(`rebase --from ${from} --to new.example --data data`)).code).toBe(2)
    expect((await run(`rebase --from ${from} --data data`)).code).toBe(2)
    expect((await run(`rebase --from ${from} --to ${to} --data nowhere`)).err).toContain(
      'is no data directory',
    )
  })

  it('counts, and changes nothing', async () => {
    const before = contentOf(directory)
    const { code, out, err } = await run(`rebase --from ${from} --to ${to} --data data --dry-run`)
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(
      /^would change: terms \d{3,}, versions \d+, graphs \d+, tombstones 2, drafts 2\n$/,
    )
    expect(contentOf(directory)).toEqual(before)
    expect(readdirSync(folder)).toEqual(['data'])
  })
})

describe('after a rebase', () => {
  type Seen = {
    graphs: Map<string, string>
    tags: Map<string, string>
    versions: unknown
    firsts: string[]
  }
  const paths = [
    '/datasets/d1',
    '/datasets/intricate',
    '/catalogues/water',
    '/catalogues/city',
    '/datasets/city-3',
  ]
  const seen = async (): Promise<Seen> => {
    const [graphs, tags] = [new Map<string, string>(), new Map<string, string>()]
    for (const path of [
      ...paths,
      '/vocabularies/voc',
      '/drafts/datasets/drafted',
      '/drafts/datasets/d1',
    ]) {
      graphs.set(path, await graph(path))
      tags.set(path, (await ask('GET', path)).headers.get('ETag') ?? '')
    }
    const versions = await json('/datasets/d1/versions')
    const firsts = await Promise.all(
      [1, 2, 3, 20, 23].map((n) => graph(`/datasets/d1/versions/${n}`)),
    )
    return { graphs, tags, versions, firsts }
  }
  let before: Seen
  it('the data as they were are kept beside', async () => {
    await start(from)
    before = await seen()
    await platform.stop()
    const vectors = new VectorFile(join(directory, 'search', 'vectors.db'))
    vectors.add([{ print: printOf('a', 'text'), vector: Int8Array.of(1, 2) }], 'a')
    vectors.close()
    mkdirSync(`${directory}.rebased`)
    const left = await run(`rebase --from ${from} --to ${to} --data data`)
    expect([left.code, left.err]).toEqual([1, expect.stringContaining('was cut short: remove it')])
    await remove(`${directory}.rebased`)
    const { code, out, err } = await run(
      `rebase --from ${from.slice(0, -1)} --to ${to} --data data`,
    )
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('the data as they were are in ')
    const same = new VectorFile(join(directory, 'search', 'vectors.db'))
    expect(same.read([printOf('a', 'text')])).toEqual([Int8Array.of(1, 2)])
    same.close()
    await start(to)
  }, 120_000)

  it('every record, vocabulary and draft has its new IRIs, and the same texts', async () => {
    const after = await seen()
    for (const [path, lines] of before.graphs) {
      expect([path, lines]).toEqual([path, expect.stringContaining(`<${from}`)])
      expect([path, expected(after.graphs.get(path) ?? '')]).toEqual([path, expected(lines)])
    }
    const lines = after.graphs.get('/datasets/intricate') ?? ''
    for (const text of [
      `"See ${from}set/data/intricate"@en`,
      `"${from}set/data/intricate"^^<http://www.w3.org/2001/XMLSchema#anyURI>`,
      `<http://old.example/database/1>`,
      `<http://old.example/data>`,
      `<http://old.example/data.org/x>`,
      `<https://elsewhere.example/?of=${from}>`,
      `"1"^^<${to}type>`,
      `<${to}org/1>`,
    ])
      expect(lines).toContain(text)
    expect(readFileSync(join(directory, 'cartulary.json'), 'utf8')).toContain(`"baseUri": "${to}"`)
  })

  it('no term of the store begins with the former base, and skolem IRIs are those of the new names', async () => {
    const { out } = await run('export --files --all --data data')
    const withoutTexts = out.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    expect(withoutTexts).not.toContain(`<${from}`)
    const prefix = createHash('sha256').update(`${to}set/data/d1`).digest('hex').slice(0, 16)
    expect(withoutTexts).toContain(`<${to}.well-known/genid/${prefix}/`)
  })

  it('versions can be read, and say the same', async () => {
    const after = await seen()
    expect(after.versions).toEqual(before.versions)
    expect(after.firsts.map(expected)).toEqual(before.firsts.map(expected))
  })

  it('drafts are published over what they were made from, and versions go on from there', async () => {
    for (const id of ['drafted', 'd1']) {
      const { status } = await ask('PUT', `/drafts/datasets/publish/${id}`)
      expect([id, status]).toEqual([id, id === 'd1' ? 204 : 201])
    }
    expect(await graph('/datasets/drafted')).toContain(`<${to}org/1>`)
    const names = (await graph('/datasets/d1')).match(/"J\w+" \.$/gm)
    expect(names).toEqual(['"Jill" .'])
    expect((await ask('POST', '/datasets/d1/versions/2/restore')).status).toBe(204)
    expect(await graph('/datasets/d1')).toContain('"Two"@en')
  })

  it('what was deleted is gone and can be restored', async () => {
    expect((await ask('GET', '/datasets/away')).status).toBe(410)
    expect((await ask('POST', '/datasets/away/restore')).status).toBe(201)
    expect(await graph('/datasets/away')).toContain(`<${to}set/data/away>`)
    expect((await ask('POST', '/catalogues/gone/restore')).ok).toBe(true)
    expect(await graph('/catalogues/gone')).toContain(`<${to}id/catalogue/gone>`)
  })

  it('rules have the new IRIs', async () => {
    expect(await json('/catalogues/water/rules')).toMatchObject({
      required: [`${to}prop`],
      defaults: [{ path: `${to}prop`, value: `<${to}v>` }],
    })
  })

  it('search finds records by their texts, under their new IRIs', async () => {
    expect(await eventually(async () => (await found('revision')).count === 20)).toBe(true)
    const { results } = await found('intricate')
    expect(results.map(({ resource }) => resource)).toContain(`${to}set/data/intricate`)
  })

  it('the next harvest of the same pipe changes nothing, also when the source is read anew', async () => {
    const unchanged = {
      outcome: 'complete',
      offered: 20,
      created: 0,
      updated: 0,
      removed: 0,
      failed: 0,
    }
    const was = (await ids('city')).sort()
    expect(await harvested()).toMatchObject({ ...unchanged, outcome: 'not-modified', offered: 0 })
    await platform.stop()
    await remove(join(directory, 'harvest.sqlite'))
    await start(to)
    expect(await harvested()).toMatchObject(unchanged)
    expect((await ids('city')).sort()).toEqual(was)
  })

  it('the entity tag of a harvested record still holds, and that of one named by its IRI is that of its new form', async () => {
    const put = (path: string, body: string, tag: string) =>
      client({ ...platform, key }).put(path, body, {
        'If-Match': tag,
        'Content-Type': 'application/n-triples',
      })
    const { tags } = await seen()
    expect(tags.get('/datasets/city-3')).toBe(before.tags.get('/datasets/city-3'))
    expect(tags.get('/datasets/intricate')).not.toBe(before.tags.get('/datasets/intricate'))
    const old = before.tags.get('/datasets/intricate') ?? ''
    const body = await graph('/datasets/intricate')
    expect((await put('/datasets/intricate', body, old)).status).toBe(412)
    expect(
      (await put('/datasets/intricate', body, tags.get('/datasets/intricate') ?? '')).status,
    ).toBe(304)
    const water = await ask('PUT', '/catalogues/water', catalogue('Water'))
    expect(water.status).toBe(304)
    expect((await ask('PUT', '/vocabularies/voc', scheme(to))).status).toBe(304)
  })

  it('the former directory starts as it was', async () => {
    await platform.stop()
    const former = readdirSync(folder).find((name) => name.startsWith('data.before-')) ?? ''
    const current = directory
    directory = join(folder, former)
    await start(from)
    expect(expected(await graph('/datasets/intricate'))).toEqual(
      expected(before.graphs.get('/datasets/intricate') ?? ''),
    )
    await platform.stop()
    directory = current
    await expect(start(from)).rejects.toThrow('cartulary rebase --from')
    await start(to)
  })
})

it('a clash with a graph that is there already is refused by name, and the copy is removed', async () => {
  await platform.stop()
  const store = new DatabaseSync(join(directory, 'store', 'store.db'))
  store.exec("INSERT INTO graph (name, content) VALUES ('https://third.example/set/data/d1', x'')")
  store.close()
  const { code, err } = await run(`rebase --from ${to} --to https://third.example --data data`)
  expect([code, err]).toEqual([1, expect.stringContaining('https://third.example/set/data/d1')])
  expect(existsSync(`${directory}.rebased`)).toBe(false)
  const again = new DatabaseSync(join(directory, 'store', 'store.db'))
  again.exec("DELETE FROM graph WHERE name LIKE 'https://third.example%'")
  again.close()
  const lease = openLease(join(directory, 'process.lease'))
  expect(lease.held()).toBe(true)
  lease.release()
})

it('every file of a backup has its reaction to a new base', () => {
  expect(Object.keys(rebasedFiles).sort()).toEqual(keptFiles.map(({ name }) => name).sort())
})

it('writes a file of N-Quads anew, also literals of the system graph that name IRIs', async () => {
  const quads = [
    '# a comment about <http://a.example/x>',
    '<http://a.example/s> <http://a.example/p> "<http://a.example/o> \\" \u2028 text" <http://a.example/g> .',
    '<http://a.example.org/s> <urn:p> "x"^^<http://a.example/type> <urn:g> .',
    '<http://\\u0061.example/s> <urn:p> _:b .',
    '<urn:cartulary:system> <https://cartulary.org/ns/control#base> "http://a.example/" <urn:cartulary:system> .',
  ]
  const system = /<([^>]*)base>/.exec((await run('export --files --all --data data')).out)?.[1]
  const text = quads.join('\n').replace('https://cartulary.org/ns/control#', system ?? '')
  writeFileSync(join(folder, 'in.nq'), `${text}\n`)
  const words =
    'rebase --from http://a.example --to https://b.example/ --input in.nq --output out.nq'
  const { code, err } = await run(words)
  expect([code, err]).toEqual([0, ''])
  expect(readFileSync(join(folder, 'out.nq'), 'utf8').split('\n')).toEqual([
    '# a comment about <http://a.example/x>',
    '<https://b.example/s> <https://b.example/p> "<http://a.example/o> \\" \u2028 text" <https://b.example/g> .',
    '<http://a.example.org/s> <urn:p> "x"^^<https://b.example/type> <urn:g> .',
    '<https://b.example/s> <urn:p> _:b .',
    `<urn:cartulary:system> <${system}base> "https://b.example/" <urn:cartulary:system> .`,
    '',
  ])
  expect((await run(words)).code).toBe(2)
  const note = `<http://a.example/g> <${system}spelling> "<http://a.example/s> <urn:p> \\"01\\" ." <urn:cartulary:system> .`
  expect(rebaseQuad(rebase('http://a.example/', 'http://b.example/'), note)).toBe(
    note.replaceAll('<http://a.example/', '<http://b.example/'),
  )
})
