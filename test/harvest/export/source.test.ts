/** From the document of a real source into the catalogue: what the importer has to know of the exporter. */

import { describe, expect, it, onTestFinished } from 'vitest'
import type { Pipe } from '../../../src/pipe/document.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { stage } from '../../support/portals/outbound.ts'
import { portal } from '../../support/portals/portal.ts'
import { rdfPortal } from '../../support/portals/rdf-portal.ts'
import { dataset, harvestGround, pipeOf } from './ground.ts'

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
  const { client } = stage({})
  onTestFinished(() => client.close())
  const ground = await harvestGround({ harvest: { outbound: client } })
  ground.pipes.set('p', reading(address, config))
  return ground
}

async function published(records = two) {
  const portal = await rdfPortal(records, { conditional: true })
  onTestFinished(() => portal.close())
  return { portal, ground: await sourced(portal.address) }
}

describe('a source that has not changed', () => {
  it('is not read again as long as the catalogue holds what came from it', async () => {
    const { ground } = await published()
    expect(await ground.run()).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    expect(await ground.run()).toMatchObject({ outcome: 'not-modified' })
    await ground.hub.putDataset('city', 'mine', dataset('mine', 'by hand'))
    expect(await ground.ids()).toEqual(['a', 'b', 'mine'])
    expect(await ground.run()).toMatchObject({ outcome: 'not-modified' })
  })

  it('is read again when the catalogue was deleted and made anew', async () => {
    const { ground } = await published()
    await ground.run()
    const deleted = await ground.hub.ask('/catalogues/city', { method: 'DELETE' })
    expect(deleted.status).toBe(204)
    await ground.hub.putCatalogue('city')
    expect(await ground.ids()).toEqual([])
    ground.requests.length = 0
    expect(await ground.run()).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    expect(await ground.ids()).toEqual(ids)
    const lists = ground.requests.filter(({ path }) => path.includes('valueType=originalIds'))
    expect(lists).toHaveLength(1)
    expect(await ground.run()).toMatchObject({ outcome: 'not-modified' })
  })

  it('is read again also when a run has met the catalogue as gone in between', async () => {
    const { ground } = await published()
    await ground.run()
    await ground.hub.ask('/catalogues/city', { method: 'DELETE' })
    expect(await ground.run()).toMatchObject({ status: 'failed' })
    await ground.hub.putCatalogue('city')
    expect(await ground.run()).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    expect(await ground.ids()).toEqual(ids)
  })

  it('is read again when one of its records was deleted by hand', async () => {
    const { ground } = await published()
    await ground.run()
    await ground.hub.ask('/catalogues/city/datasets/origin?originalId=a', { method: 'DELETE' })
    expect(await ground.ids()).toEqual(['b'])
    expect(await ground.run()).toMatchObject({ counts: { created: 1, unchanged: 1 } })
    expect(await ground.ids()).toEqual(ids)
  })
})

describe('a valid document without datasets', () => {
  it('is all of the source as long as the pipe owns nothing', async () => {
    const { portal, ground } = await published([])
    expect(await ground.run()).toMatchObject({ outcome: 'complete', problem: null })
    portal.show(two)
    expect(await ground.run()).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    portal.show([])
    expect(await ground.run()).toMatchObject({
      outcome: 'incomplete',
      problem: { type: 'urn:cartulary:problem:source-empty' },
      counts: { removed: 0, held: 0 },
    })
    expect(await ground.ids()).toEqual(ids)
  })

  it('removes nothing that the pipe is told to adopt', async () => {
    const { ground } = await published([])
    await ground.hub.putDataset('city', 'mine', dataset('mine', 'by hand'))
    const { body, ...pipe } = ground.pipes.get('p') ?? pipeOf('p')
    const segments = body.segments.map((segment) => ({
      ...segment,
      body: { config: { ...segment.body.config, adoptUnowned: true } },
    }))
    ground.pipes.set('p', { ...pipe, body: { segments } })
    expect(await ground.run()).toMatchObject({
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
    const ground = await sourced(`${address}/frag.ttl?apikey=${canary}`)
    const run = await ground.run()
    expect(run.counts).toMatchObject({ created: 2, failed: 1 })
    expect(asked.every((path) => path.includes(canary))).toBe(true)
    expect(await ground.ids()).toEqual([`${address}/frag.ttl#d1`, 'urn:x:2'])
    expect(JSON.stringify([ground.runs.get(run.id), ground.items(run)])).not.toContain(canary)
    for (const id of await ground.ids()) expect(await ground.text(id)).not.toContain(canary)
  })

  it('is not shown of the address of a record either', async () => {
    const { address } = await canaryPortal(
      () => `<https://a.example/d?token=${canary}&q=1> a <http://www.w3.org/ns/dcat#Dataset> ;
        <http://purl.org/dc/terms/identifier> "own" .`,
    )
    const ground = await sourced(`${address}/frag.ttl`)
    expect(ground.items(await ground.run())).toMatchObject([
      { originalId: 'own', sourceUrl: 'https://a.example/d?q=1' },
    ])
  })

  it('does not hide from a page which of its views it is', async () => {
    const { address, asked } = await canaryPortal((page, url) => {
      const view = (to: number) => `${url.origin}${url.pathname}?apikey=${canary}&page=${to}`
      const views = `<${url.href}> hydra:next <${view(2)}> . <${view(2)}> hydra:next <${view(3)}> .`
      return page > 1 ? '<urn:x:9> a <http://www.w3.org/ns/dcat#Dataset> .' : turtle + views
    })
    const ground = await sourced(`${address}/frag.ttl?apikey=${canary}`)
    await ground.run()
    expect(asked.at(-1)).toContain('page=2')
    expect(asked.every((path) => path.includes(canary))).toBe(true)
    expect(await ground.ids()).toEqual([`${address}/frag.ttl#d1`, 'urn:x:2', 'urn:x:9'])
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
