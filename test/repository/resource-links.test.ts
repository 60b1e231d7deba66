/** What a resource says of itself beside its triples: its state, its name, its relatives, its other formats. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { logger } from '../../src/log.ts'
import { formats } from '../../src/rdf/media-types.ts'
import { names } from '../../src/rdf/names.ts'
import { redirectToDescriptions } from '../../src/repository/resource-iris.ts'
import { base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
const service = `${base}api/hub/repo`
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('water', `${prefixes}<> a dcat:Catalog ; dct:title "Water" .`)
  await repo.putDataset('water', 'one', `${prefixes}<> a dcat:Dataset ; dct:title "One" .`)
  await repo.ask('/vocabularies/colours', {
    method: 'PUT',
    type: 'text/turtle',
    body: `${prefixes}<https://example.org/farben/größe> a skos:ConceptScheme .`,
  })
})
afterAll(() => repo.close())

const paths = ['/datasets/one', '/catalogues/water', '/vocabularies/colours']
const links = (answer: Response) =>
  [
    ...(answer.headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"(?:; type="([^"]*)")?/g),
  ].map(([, target, relation, type]) => ({ target, relation, type }))
const target = (answer: Response, relation: string) =>
  links(answer).find((link) => link.relation === relation)?.target

describe('the Link header of a resource', () => {
  it('names its IRI, and of a dataset its record and its catalogue', async () => {
    const answer = await repo.ask('/datasets/one')
    expect(target(answer, 'canonical')).toBe(`${base}set/data/one`)
    expect(target(answer, 'describedby')).toBe(`${base}set/record/one`)
    expect(target(answer, 'collection')).toBe(`${base}id/catalogue/water`)
    const origin = await repo.ask('/catalogues/water/datasets/origin?originalId=one')
    expect(links(origin)).toEqual(links(answer))
    expect(target(await repo.ask(paths[1] ?? ''), 'canonical')).toBe(`${base}id/catalogue/water`)
    const vocabulary = target(await repo.ask(paths[2] ?? ''), 'canonical')
    expect(decodeURI(vocabulary ?? '')).toBe('https://example.org/farben/größe')
  })

  it.each(paths)('of %s leads to every other format, and each of them is there', async (path) => {
    const others = links(await repo.ask(path)).filter(({ relation }) => relation === 'alternate')
    expect(new Set(others.map(({ type }) => type))).toEqual(
      new Set(Object.values(formats).map(({ mediaType }) => mediaType)),
    )
    for (const { target: address = '', type = '' } of others) {
      const answer = await repo.ask(address.slice(service.length), {
        headers: { Accept: 'text/html' },
      })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('Content-Type')?.split(';')[0]).toBe(type)
    }
  })
})

describe('the state of a resource', () => {
  it.each(paths)(
    'of %s has one tag in all formats and is 304 to those who have it',
    async (path) => {
      const tag = (await repo.ask(path)).headers.get('ETag') ?? ''
      expect(tag).toMatch(/^"[0-9a-f]{64}"$/)
      for (const { mediaType } of Object.values(formats)) {
        const answer = await repo.ask(path, {
          headers: { Accept: mediaType, 'If-None-Match': `"x", W/${tag}` },
        })
        expect([answer.status, answer.headers.get('ETag'), await answer.text()]).toEqual([
          304,
          tag,
          '',
        ])
        expect(answer.headers.get('Vary')).toContain('Accept')
      }
      expect((await repo.ask(path, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200)
    },
  )

  it.each(paths.slice(0, 2))('of %s says when it changed last', async (path) => {
    const answer = await repo.ask(path)
    expect(answer.headers.get('Last-Modified')).toBe('Sat, 21 Nov 2026 10:00:00 GMT')
    expect(answer.headers.get('Cache-Control')).toBe('no-cache')
  })

  it.each(paths)('of %s is told by HEAD as by GET', async (path) => {
    const [get, head] = [
      await repo.ask(path),
      await repo.ask(path, { method: 'HEAD', headers: { 'X-API-Key': '' } }),
    ]
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    for (const name of [
      'ETag',
      'Last-Modified',
      'Link',
      'Content-Type',
      'Vary',
      'Content-Length',
      'Content-Disposition',
    ])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
    expect(Number(get.headers.get('Content-Length'))).toBe((await get.arrayBuffer()).byteLength)
  })

  it.each(paths)(
    'of %s cannot be had in a format that nobody knows: 406 tells what can',
    async (path) => {
      const answer = await repo.ask(path, { headers: { Accept: 'application/pdf' } })
      expect(answer.status).toBe(406)
      const { detail } = (await answer.json()) as { detail: string }
      for (const { mediaType } of Object.values(formats)) expect(detail).toContain(mediaType)
    },
  )
})

describe('a resource IRI', () => {
  const at = (publicBase: string, pages?: (kind: string, id: string) => string) => {
    const resources = names(publicBase)
    const publicAddress = { base: resources.base }
    const app = newApp({ log: logger('silent'), name: 'root', publicAddress })
    app.use(redirectToDescriptions(resources, '/api/hub/repo', pages))
    return { resources, ask: (iri: string, headers = {}) => app.request(iri, { headers }) }
  }

  it('of every kind leads to its description by 303, its suffix carried over', async () => {
    const { resources, ask } = at(base)
    const table = [
      [resources.dataset('x'), '/datasets/x'],
      [`${resources.dataset('x')}.ttl`, '/datasets/x.ttl'],
      [`${resources.record('x')}.jsonld`, '/datasets/x.jsonld/record'],
      [resources.metrics('x'), '/datasets/x/metrics'],
      [`${resources.distribution('1-2')}.nq`, '/distributions/1-2.nq'],
      [resources.catalogue('C_1'), '/catalogues/C_1'],
      [`${resources.vocabulary('v')}.rdf`, '/vocabularies/v.rdf'],
      [`${resources.resource('data-service', 'ogc')}.ttl`, '/customresources/data-service/ogc.ttl'],
      [resources.resourceRecord('data-service', 'ogc'), '/customresources/data-service/ogc'],
    ] as const
    for (const [iri, path] of table) {
      const answer = await ask(iri)
      expect([answer.status, answer.headers.get('Location')]).toEqual([303, `/api/hub/repo${path}`])
    }
    expect((await ask(`${base}set/data/no.such`)).status).toBe(404)
    expect((await ask(`${base}set/data/a/b`)).status).toBe(404)
    expect((await ask(`${base}set/resource/a`)).status).toBe(404)
    expect((await ask(`${base}set/record/a/b/c`)).status).toBe(404)
  })

  it('of a dataset or a catalogue leads people to its page, where there is a portal', async () => {
    const portal = 'https://portal.example/'
    const { resources, ask } = at(base, (kind, id) => `${portal}${kind}s/${id}`)
    const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const turtle = { Accept: 'text/turtle, text/html;q=0.5' }
    const table = [
      [resources.dataset('x'), browser, `${portal}datasets/x`, true],
      [resources.catalogue('c'), { Accept: 'text/html' }, `${portal}catalogues/c`, true],
      [resources.dataset('x'), turtle, '/api/hub/repo/datasets/x', true],
      [resources.dataset('x'), { Accept: '*/*' }, '/api/hub/repo/datasets/x', true],
      [resources.dataset('x'), {}, '/api/hub/repo/datasets/x', true],
      [`${resources.dataset('x')}.ttl`, browser, '/api/hub/repo/datasets/x.ttl', false],
      [resources.record('x'), browser, '/api/hub/repo/datasets/x/record', false],
    ] as const
    for (const [iri, headers, location, varies] of table) {
      const answer = await ask(iri, headers)
      expect([answer.status, answer.headers.get('Location')]).toEqual([303, location])
      expect(answer.headers.get('Vary')?.includes('Accept') ?? false).toBe(varies)
    }
    const without = at(base)
    const answer = await without.ask(resources.dataset('x'), browser)
    expect(answer.headers.get('Location')).toBe('/api/hub/repo/datasets/x')
  })

  it('under a base with a path leads there too, whether or not a proxy takes that path off', async () => {
    const { resources, ask } = at('https://data.example/open/')
    for (const iri of [resources.dataset('x'), 'http://localhost/set/data/x'])
      expect((await ask(iri)).headers.get('Location')).toBe('/open/api/hub/repo/datasets/x')
  })
})
