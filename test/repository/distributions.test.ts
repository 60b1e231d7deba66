/** Distributions as resources of their own: read and added, over a real store. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { base, prefixes } from '../support/repository.ts'
import { distributionsFixture } from './distributions-fixture.ts'

let repo: Awaited<ReturnType<typeof distributionsFixture>>
let dataset = ''
beforeAll(async () => {
  repo = await distributionsFixture()
})
afterAll(() => repo.close())
beforeEach(async () => {
  dataset = await repo.fresh()
})

describe('a distribution that is read', () => {
  it('comes with its blank nodes and what it leads to, and without its dataset and its neighbours', async () => {
    const { first } = await repo.ids(dataset)
    const found = await repo.turtle(`/distributions/${first}`)
    for (const there of ['"First"@en', '"Open"', '"Ours"', '"Mine"']) expect(found).toContain(there)
    for (const absent of ['"Second"', '"Water"', 'genid', 'Board'])
      expect(found).not.toContain(absent)
  })

  it('has an entity tag that is the same in all formats and changes with the distribution alone', async () => {
    const { first, second } = await repo.ids(dataset)
    const tag = async (path: string) => (await repo.ask(path)).headers.get('ETag')
    const before = await tag(`/distributions/${first}`)
    expect(before).toMatch(/^"[0-9a-f]{64}"$/)
    expect(await tag(`/distributions/${first}.nt`)).toBe(before)
    await repo.send(
      'PUT',
      `/distributions/${second}`,
      `${prefixes}<> a dcat:Distribution ; dct:title "New" .`,
    )
    expect(await tag(`/distributions/${first}`)).toBe(before)
    const fresh = await repo.ask(`/distributions/${first}`, {
      headers: { 'If-None-Match': before ?? '' },
    })
    expect(fresh.status).toBe(304)
  })

  it('names the graph of its dataset in TriG', async () => {
    const { first } = await repo.ids(dataset)
    const answer = await repo.ask(`/distributions/${first}.trig`)
    const found = await parse(await answer.text(), 'trig', { baseIri: base })
    expect(new Set(found.map((q) => q.graph.value))).toEqual(
      new Set([`${base}set/data/${dataset}`]),
    )
  })

  it('is unknown under another id', async () => {
    const answer = await repo.ask('/distributions/nowhere')
    expect(await answer.json()).toMatchObject({
      status: 404,
      type: 'urn:cartulary:problem:unknown-distribution',
    })
  })
})

describe('a distribution that is added', () => {
  const third = `${prefixes}<https://example.org/dist/3> a dcat:Distribution ; dct:title "Third" ; dct:license [ dct:title "x" ] .`

  it('gets 201, an IRI as Location, a link from the dataset and its source IRI as identifier', async () => {
    const before = await repo.content(dataset)
    const answer = await repo.post(dataset, third)
    expect(answer.status).toBe(201)
    expect(await answer.text()).toBe('')
    const iri = answer.headers.get('Location') ?? ''
    expect(iri).toMatch(`${base}set/distribution/`)
    expect(answer.headers.get('Index-Status')).toBe('done')
    const read = await repo.ask(`/distributions/${iri.split('/').at(-1)}`)
    expect(answer.headers.get('ETag')).toBe(read.headers.get('ETag'))
    const after = await repo.content(dataset)
    expect(before.filter((line) => !after.includes(line))).toEqual([])
    expect(after).toContain(
      `<${base}set/data/${dataset}> <http://www.w3.org/ns/dcat#distribution> <${iri}> .`,
    )
    expect(after).toContain(
      `<${iri}> <http://purl.org/dc/terms/identifier> "https://example.org/dist/3" .`,
    )
    expect(after.length - before.length).toBe(6)
  })

  it('is refused when the dataset has one with the same key', async () => {
    const answers = [
      third,
      third,
      `${prefixes}<https://example.org/dist/1> a dcat:Distribution .`,
      `${prefixes}[] a dcat:Distribution ; dct:title "Second" .`,
      `${prefixes}[] a dcat:Distribution ; dct:identifier "https://example.org/dist/2" ; dct:title "Other" .`,
    ].map((body) => () => repo.post(dataset, body))
    const statuses: number[] = []
    for (const ask of answers) statuses.push((await ask()).status)
    expect(statuses).toEqual([201, 409, 409, 409, 409])
    const problem = await (await repo.post(dataset, third)).json()
    expect(problem).toMatchObject({ type: 'urn:cartulary:problem:already-exists' })
  })

  it('may have the title of another one when a better key tells them apart', async () => {
    const body = `${prefixes}<https://example.org/dist/4> a dcat:Distribution ; dct:title "Second" .`
    expect((await repo.post(dataset, body)).status).toBe(201)
  })

  it('does not get mixed up with its twin: blank nodes of two bodies stay apart', async () => {
    const body = (url: string) =>
      `${prefixes}[] a dcat:Distribution ; dcat:accessURL <${url}> ; dct:license [ dct:title "L" ] .`
    const one = await repo.post(dataset, body('https://example.org/a'))
    await repo.post(dataset, body('https://example.org/b'))
    await repo.send('DELETE', `/distributions/${one.headers.get('Location')?.split('/').at(-1)}`)
    const left = await repo.turtle(`/datasets/${dataset}`)
    expect(left.match(/"L"/g)).toHaveLength(1)
  })

  it('takes nothing of the body that is not about it', async () => {
    const before = await repo.content(dataset)
    const body = `${prefixes}<> a dcat:Distribution ; dct:title "Mine" .
      <${base}set/data/${dataset}> dct:title "Stolen" ; dcat:distribution <> .
      <https://example.org/else> dct:title "Stolen" . [] a dcat:Dataset ; dct:title "Stolen" .
      <${base}set/record/${dataset}> dct:title "Stolen" . <${base}id/catalogue/other> dct:title "Stolen" .`
    expect((await repo.post(dataset, body)).status).toBe(201)
    expect(await repo.graphOf(dataset)).not.toContain('Stolen')
    expect((await repo.content(dataset)).length - before.length).toBe(4)
  })

  const refused: readonly (readonly [string, number, string, string])[] = [
    ['no distribution', 422, 'missing-class', `${prefixes}<> a dcat:Dataset .`],
    ['a data service', 422, 'missing-class', `${prefixes}<> a dcat:DataService .`],
    [
      'two of them',
      422,
      'ambiguous-subject',
      `${prefixes}<a:1> a dcat:Distribution . <a:2> a dcat:Distribution .`,
    ],
    ['a syntax error', 400, 'malformed-rdf', '<a> <b> '],
    ['an empty body', 400, 'empty-body', ' '],
  ]
  it.each(refused)('%s gives %i and changes nothing', async (_, status, slug, body) => {
    const before = await repo.graphOf(dataset)
    const answer = await repo.post(dataset, body)
    expect(await answer.json()).toMatchObject({ status, type: `urn:cartulary:problem:${slug}` })
    expect(await repo.graphOf(dataset)).toBe(before)
  })
})
