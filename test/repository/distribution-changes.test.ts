/** Distributions as resources of their own: replaced and deleted, over a real store. */

import { isomorphic } from 'rdf-isomorphic'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { alpineKey, base, prefixes } from '../support/repository.ts'
import { distributionsFixture, source } from './distributions-fixture.ts'

let repo: Awaited<ReturnType<typeof distributionsFixture>>
let dataset = ''
beforeAll(async () => {
  repo = await distributionsFixture()
})
afterAll(() => repo.close())
beforeEach(async () => {
  dataset = await repo.fresh()
})

describe('a distribution that is replaced', () => {
  it('keeps its IRI and its identifier, and everything else of the dataset to the letter', async () => {
    const { first } = await repo.ids(dataset)
    const before = await repo.content(dataset)
    const own = before.filter(
      (line) =>
        line.startsWith(`<${base}set/distribution/${first}>`) ||
        /Ours|Mine|example.org\/own/.test(line),
    )
    const answer = await repo.send(
      'PUT',
      `/distributions/${first}`,
      `${prefixes}[] a dcat:Distribution ; dct:title "Changed" .`,
    )
    expect(answer.status).toBe(204)
    expect(answer.headers.get('Content-Location')).toBe(`${base}set/distribution/${first}`)
    const after = await repo.content(dataset)
    const others = before.filter((line) => !own.includes(line) && !line.includes('LicenseDocument'))
    expect(others.filter((line) => !after.includes(line))).toEqual([])
    const about = after.filter((line) => line.startsWith(`<${base}set/distribution/${first}>`))
    expect(about.map((line) => line.split(' ').slice(2).join(' ')).sort()).toEqual([
      '"Changed" .',
      '"https://example.org/dist/1" .',
      '<http://www.w3.org/ns/dcat#Distribution> .',
    ])
    const all = after.join('\n')
    expect(all).toContain('"Open"')
    expect(all).not.toMatch(/Ours|Mine/)
  })

  it('sets the date of change and the hash of the record anew', async () => {
    const { first } = await repo.ids(dataset)
    const before = await repo.ask(`/datasets/${dataset}`)
    repo.clock.now = new Date('2026-11-22T10:00:00Z')
    await repo.send('PUT', `/distributions/${first}`, `${prefixes}<> a dcat:Distribution .`)
    const after = await repo.ask(`/datasets/${dataset}`)
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    expect(after.headers.get('Last-Modified')).toBe('Sun, 22 Nov 2026 10:00:00 GMT')
    expect((await repo.graphOf(dataset)).match(/checksumValue|terms\/modified/g)).toHaveLength(2)
    const old = await repo.send('PUT', `/datasets/${dataset}`, source, {
      'If-Match': before.headers.get('ETag') ?? '',
    })
    expect(old.status).toBe(412)
  })

  it('makes the next PUT of the unchanged source write again, and a dataset sent back as it is gives 304', async () => {
    const { first } = await repo.ids(dataset)
    await repo.send(
      'PUT',
      `/distributions/${first}`,
      `${prefixes}<> a dcat:Distribution ; dct:license [ dct:title "b" ] .`,
    )
    const back = await repo.send(
      'PUT',
      `/datasets/${dataset}`,
      await repo.turtle(`/datasets/${dataset}`),
    )
    expect(back.status).toBe(304)
    expect((await repo.putDataset('alpine-water', dataset, source)).status).toBe(204)
    expect((await repo.ids(dataset)).first).toBe(first)
  })

  it('answers 304 when it is sent back as it was read, in any format', async () => {
    const { first } = await repo.ids(dataset)
    for (const [suffix, type] of [
      ['ttl', 'text/turtle'],
      ['jsonld', 'application/ld+json'],
      ['nq', 'application/n-quads'],
    ] as const) {
      const body = await (await repo.ask(`/distributions/${first}.${suffix}`)).text()
      const answer = await repo.ask(`/distributions/${first}`, { method: 'PUT', type, body })
      expect([suffix, answer.status]).toEqual([suffix, 304])
      expect(answer.headers.get('Content-Location')).toBe(`${base}set/distribution/${first}`)
    }
  })

  it('is refused with 412 when it is not in the state that the client knows', async () => {
    const { first } = await repo.ids(dataset)
    const body = `${prefixes}<> a dcat:Distribution .`
    expect(
      (await repo.send('PUT', `/distributions/${first}`, body, { 'If-Match': '"0"' })).status,
    ).toBe(412)
    const tag = (await repo.ask(`/distributions/${first}`)).headers.get('ETag') ?? ''
    expect(
      (await repo.send('PUT', `/distributions/${first}`, body, { 'If-Match': tag })).status,
    ).toBe(204)
    expect(
      (await repo.send('DELETE', `/distributions/${first}`, undefined, { 'If-Match': tag })).status,
    ).toBe(412)
  })

  it('is read as it was sent, but for the identifier', async () => {
    const { second } = await repo.ids(dataset)
    const body = `${prefixes}<> a dcat:Distribution ; dct:identifier "2" ; dct:title "Zwei"@DE-at ; dct:license [ dct:title "x" , "y" ] .`
    await repo.send('PUT', `/distributions/${second}`, body)
    const sent = await parse(body, 'turtle', { baseIri: `${base}set/distribution/${second}` })
    expect(isomorphic([...(await repo.quads(`/distributions/${second}`))], [...sent])).toBe(true)
  })

  it('is never created by a PUT', async () => {
    const answer = await repo.send(
      'PUT',
      '/distributions/nowhere',
      `${prefixes}<> a dcat:Distribution .`,
    )
    expect(answer.status).toBe(404)
  })
})

describe('a distribution that is deleted', () => {
  it('goes with its link and its own nodes, and leaves what others refer to', async () => {
    const { first, second } = await repo.ids(dataset)
    expect((await repo.send('DELETE', `/distributions/${first}`)).status).toBe(204)
    const left = await repo.turtle(`/datasets/${dataset}`)
    expect(left).not.toMatch(/First|Ours|Mine/)
    expect(left).toMatch(/Open/)
    expect((await repo.ids(dataset)).all).toEqual([second])
    expect((await repo.ask(`/distributions/${first}`)).status).toBe(404)
    expect((await repo.send('DELETE', `/distributions/${first}`)).status).toBe(404)
  })
})

describe('writers of one dataset', () => {
  it('lose nothing when they add and replace distributions side by side', async () => {
    const { first } = await repo.ids(dataset)
    const bodies = Array.from(
      { length: 8 },
      (_, n) => `${prefixes}<a:${n}> a dcat:Distribution ; dct:title "n${n}" .`,
    )
    const answers = await Promise.all([
      ...bodies.map((body) => repo.post(dataset, body)),
      repo.send(
        'PUT',
        `/distributions/${first}`,
        `${prefixes}<> a dcat:Distribution ; dct:title "last" .`,
      ),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([...bodies.map(() => 201), 204])
    const left = await repo.turtle(`/datasets/${dataset}`)
    for (const title of ['"last"', ...bodies.map((_, n) => `"n${n}"`)])
      expect(left).toContain(title)
    expect((await repo.ids(dataset)).all).toHaveLength(10)
  })
})

describe('permission for a distribution', () => {
  it('is that of the catalogue of its dataset', async () => {
    await repo.putDataset('other', `other-${dataset}`, source)
    const theirs = (await repo.ids(`other-${dataset}`)).first
    const own = (await repo.ids(dataset)).first
    const headers = { 'X-API-Key': alpineKey }
    const body = `${prefixes}<> a dcat:Distribution .`
    expect((await repo.send('PUT', `/distributions/${theirs}`, body, headers)).status).toBe(403)
    expect((await repo.send('DELETE', `/distributions/${theirs}`, undefined, headers)).status).toBe(
      403,
    )
    expect(
      (await repo.send('POST', `/datasets/other-${dataset}/distributions`, body, headers)).status,
    ).toBe(403)
    expect((await repo.send('PUT', `/distributions/${own}`, body, headers)).status).toBe(204)
    expect((await repo.send('PUT', '/distributions/nowhere', body, headers)).status).toBe(404)
  })
})
