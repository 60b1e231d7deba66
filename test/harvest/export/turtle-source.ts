/** A source of Turtle whose documents a test changes, and a harvest of it. */

import { onTestFinished } from 'vitest'
import { outboundFixture } from '../../support/portals/outbound.ts'
import { portal } from '../../support/portals/portal.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import type { Pipe } from '../../../src/pipe/document.ts'
import { harvestFixture, pipeOf, type HarvestFixture } from './harvest-fixture.ts'

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
  @prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix hydra: <http://www.w3.org/ns/hydra/core#> .
  @prefix e: <https://s.example/> .\n`

/** A pipe whose first segment is the named importer. */
export function importing(name: string, config: JsonObject): Pipe {
  const pipe = pipeOf('p', config)
  const [first, ...rest] = pipe.body.segments
  if (!first) throw new Error('a pipe has two segments')
  const header = { ...first.header, name }
  return { ...pipe, body: { segments: [{ ...first, header }, ...rest] } }
}

/** A harvest over the real outbound client. */
export async function reachingGround(): Promise<HarvestFixture> {
  const { client } = outboundFixture({})
  onTestFinished(() => client.close())
  return harvestFixture({ harvest: { outbound: client } })
}

/** `say`: Turtle for the number of a page, or the status of its answer; other paths are asked for `other`. */
export async function turtleSource(say: (page: number, base: string) => string | number) {
  const told = { say, other: (path: string): number => (path === '' ? 200 : 404) }
  const site = await portal((request) => {
    const { pathname, searchParams, origin } = new URL(request.url)
    if (pathname !== '/c.ttl') return new Response('', { status: told.other(pathname) })
    const said = told.say(Number(searchParams.get('page') ?? 1), `${origin}/c.ttl?page=`)
    if (typeof said === 'number') return new Response('', { status: said })
    return new Response(prefixes + said, { headers: { 'Content-Type': 'text/turtle' } })
  })
  onTestFinished(() => site.close())
  const fixture = await reachingGround()
  const read = (config: JsonObject = {}) =>
    fixture.pipes.set('p', importing('importing-rdf', { address: `${site.url}/c.ttl`, ...config }))
  read()
  return Object.assign(told, { site, fixture, read })
}
