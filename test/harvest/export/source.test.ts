/** From the document of a real source into the catalogue: what the importer has to know of the exporter. */

import { describe, expect, it, onTestFinished } from 'vitest'
import type { Pipe } from '../../../src/pipe/document.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { outboundFixture } from '../../support/portals/outbound.ts'
import { portal } from '../../support/portals/portal.ts'
import { rdfPortal } from '../../support/portals/rdf-portal.ts'
import { dataset, harvestFixture, pipeOf } from './harvest-fixture.ts'

const two = [
  { id: 'a', title: 'A' },
  { id: 'b', title: 'B' },
]
const ids = ['a', 'b']

function reading(address: string, config: JsonObject = {}): Pipe {
  const pipe = pipeOf('p', { address, ...config })
  const [first, ...rest] = pipe.body.segments
  if (!first) throw new Error('a pipe has two segments')
  const header = { ...first.header, name: 'importing-rdf' }
  return { ...pipe, body: { segments: [{ ...first, header }, ...rest] } }
}

async function sourced(address: string, config: JsonObject = {}) {
  const { client } = outboundFixture({})
  onTestFinished(() => client.close())
  const fixture = await harvestFixture({ harvest: { outbound: client } })
  fixture.pipes.set('p', reading(address, config))
  return fixture
}

async function published(records = two) {
  const portal = await rdfPortal(records, { conditional: true })
  onTestFinished(() => portal.close())
  return { portal, fixture: await sourced(portal.address) }
}

describe('a source that has not changed', () => {
  it('is not read again as long as the catalogue holds what came from it', async () => {
    const { fixture } = await published()
    expect(await fixture.run()).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    expect(await fixture.run()).toMatchObject({ outcome: 'not-modified' })
    await fixture.hub.putDataset('city', 'mine', dataset('mine', 'by hand'))
    expect(await fixture.ids()).toEqual(['a', 'b', 'mine'])
    expect(await fixture.run()).toMatchObject({ outcome: 'not-modified' })
  })

  it('is read again when the catalogue was deleted and made anew', async () => {
    const { fixture } = await published()
    await fixture.run()
    const deleted = await fixture.hub.ask('/catalogues/city', { method: 'DELETE' })
    expect(deleted.status).toBe(204)
    await fixture.hub.putCatalogue('city')
    expect(await fixture.ids()).toEqual([])
    fixture.requests.length = 0
    expect(await fixture.run()).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    expect(await fixture.ids()).toEqual(ids)
    const lists = fixture.requests.filter(({ path }) => path.includes('valueType=originalIds'))
    expect(lists).toHaveLength(1)
    expect(await fixture.run()).toMatchObject({ outcome: 'not-modified' })
  })

  it('is read again also when a run has met the catalogue as gone in between', async () => {
    const { fixture } = await published()
    await fixture.run()
    await fixture.hub.ask('/catalogues/city', { method: 'DELETE' })
    expect(await fixture.run()).toMatchObject({ status: 'failed' })
    await fixture.hub.putCatalogue('city')
    expect(await fixture.run()).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    expect(await fixture.ids()).toEqual(ids)
  })

  it('is read again when one of its records was deleted by hand', async () => {
    const { fixture } = await published()
    await fixture.run()
    await fixture.hub.ask('/catalogues/city/datasets/origin?originalId=a', { method: 'DELETE' })
    expect(await fixture.ids()).toEqual(['b'])
    expect(await fixture.run()).toMatchObject({ counts: { created: 1, unchanged: 1 } })
    expect(await fixture.ids()).toEqual(ids)
  })
})

describe('a valid document without datasets', () => {
  it('is all of the source as long as the pipe owns nothing', async () => {
    const { portal, fixture } = await published([])
    expect(await fixture.run()).toMatchObject({ outcome: 'complete', problem: null })
    portal.show(two)
    expect(await fixture.run()).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    portal.show([])
    expect(await fixture.run()).toMatchObject({
      outcome: 'incomplete',
      problem: { type: 'urn:cartulary:problem:source-empty' },
      counts: { removed: 0, held: 0 },
    })
    expect(await fixture.ids()).toEqual(ids)
  })

  it('removes nothing that the pipe is told to adopt', async () => {
    const { fixture } = await published([])
    await fixture.hub.putDataset('city', 'mine', dataset('mine', 'by hand'))
    const { body, ...pipe } = fixture.pipes.get('p') ?? pipeOf('p')
    const segments = body.segments.map((segment) => ({
      ...segment,
      body: { config: { ...segment.body.config, adoptUnowned: true } },
    }))
    fixture.pipes.set('p', { ...pipe, body: { segments } })
    expect(await fixture.run()).toMatchObject({
      problem: { type: 'urn:cartulary:problem:removal-held' },
      counts: { removed: 0, held: 1 },
    })
  })
})

describe('a credential in the address of a source', () => {
  const canary = 'canary-of-the-address'
  const turtle = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
    @prefix hydra: <http://www.w3.org/ns/hydra/core#> .
    <#d1> a dcat:Dataset ; dct:title "one" ; dcat:landingPage <page> .
    <urn:x:2> a dcat:Dataset ; dct:title "two" .
    [] a dcat:Dataset ; dct:title "nameless" .`

  it('goes to the source alone: into no id, no graph and no report', async () => {
    const { address, asked } = await canaryPortal(() => turtle)
    const fixture = await sourced(`${address}/frag.ttl?apikey=${canary}`)
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ created: 2, failed: 1 })
    expect(asked.every((path) => path.includes(canary))).toBe(true)
    expect(await fixture.ids()).toEqual([`${address}/frag.ttl#d1`, 'urn:x:2'])
    expect(JSON.stringify([fixture.runs.get(run.id), fixture.items(run)])).not.toContain(canary)
    for (const id of await fixture.ids()) expect(await fixture.text(id)).not.toContain(canary)
  })

  it('is not shown of the address of a record either', async () => {
    const { address } = await canaryPortal(
      () => `<https://a.example/d?token=${canary}&q=1> a <http://www.w3.org/ns/dcat#Dataset> ;
        <http://purl.org/dc/terms/identifier> "own" .`,
    )
    const fixture = await sourced(`${address}/frag.ttl`)
    expect(fixture.items(await fixture.run())).toMatchObject([
      { originalId: 'own', sourceUrl: 'https://a.example/d?q=1' },
    ])
  })

  it('does not hide from a page which of its views it is', async () => {
    const { address, asked } = await canaryPortal((page, url) => {
      const view = (to: number) => `${url.origin}${url.pathname}?apikey=${canary}&page=${to}`
      const views = `<${url.href}> hydra:next <${view(2)}> . <${view(2)}> hydra:next <${view(3)}> .`
      return page > 1 ? '<urn:x:9> a <http://www.w3.org/ns/dcat#Dataset> .' : turtle + views
    })
    const fixture = await sourced(`${address}/frag.ttl?apikey=${canary}`)
    await fixture.run()
    expect(asked.at(-1)).toContain('page=2')
    expect(asked.every((path) => path.includes(canary))).toBe(true)
    expect(await fixture.ids()).toEqual([`${address}/frag.ttl#d1`, 'urn:x:2', 'urn:x:9'])
  })

  async function canaryPortal(body: (page: number, url: URL) => string) {
    const asked: string[] = []
    const site = await portal((request) => {
      const url = new URL(request.url)
      if (url.pathname !== '/frag.ttl') return new Response('', { status: 404 })
      asked.push(url.search)
      const page = Number(url.searchParams.get('page') ?? 1)
      return new Response(body(page, url), { headers: { 'Content-Type': 'text/turtle' } })
    })
    onTestFinished(() => site.close())
    return { address: site.url, asked }
  }
})
