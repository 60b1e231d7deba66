/** Datasets that are created without an id at an origin, named by the deprecated parameter, or reached under an alias. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alpineKey, base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('alpine-water')
  await repo.putCatalogue('other')
})
afterAll(() => repo.close())

const body = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}" .`
const send = (method: string, path: string, text?: string, headers: Record<string, string> = {}) =>
  repo.ask(path, {
    method,
    headers,
    ...(text !== undefined && { type: 'text/turtle', body: text }),
  })
const idIn = (answer: Response) => answer.headers.get('Location')?.split('/').at(-1) ?? ''
const originalIds = async (catalogue: string) =>
  (await (
    await repo.ask(`/catalogues/${catalogue}/datasets?valueType=originalIds`)
  ).json()) as string[]
const slug = async (answer: Response) =>
  ((await answer.json()) as { type: string }).type.split(':').at(-1)

describe('a POST of a dataset', () => {
  it.each(['/catalogues/alpine-water/datasets', '/datasets?catalogue=alpine-water'])(
    'to %s always creates, under a random original id',
    async (path) => {
      const answers = [
        await send('POST', path, body('same')),
        await send('POST', path, body('same')),
      ]
      expect(answers.map((answer) => answer.status)).toEqual([201, 201])
      const [first = '', second = ''] = answers.map(idIn)
      expect(first).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      expect(second).not.toBe(first)
      expect(await originalIds('alpine-water')).toEqual(expect.arrayContaining([first, second]))
      expect(await answers[0]?.text()).toBe('')
      expect((await repo.ask(`/datasets/${first}`)).headers.get('ETag')).toBe(
        answers[0]?.headers.get('ETag'),
      )
    },
  )

  it.each([
    ['POST', '/catalogues/alpine-water/datasets?'],
    ['POST', '/catalogues/alpine-water/resources?'],
    ['POST', '/datasets?catalogue=alpine-water&'],
    ['POST', '/resources?catalogue=alpine-water&'],
    ['PUT', '/datasets/draft?catalogue=alpine-water&'],
  ])('as a draft (%s %s) is not published', async (method, path) => {
    const before = await originalIds('alpine-water')
    const answer = await send(method, `${path}publicationStatus=draft`, body('draft'))
    expect([201, 204]).toContain(answer.status)
    const restricted = await send(method, `${path}accessLevel=restricted`, body('draft'))
    expect([restricted.status, await slug(restricted)]).toEqual([400, 'invalid-parameter'])
    expect(await originalIds('alpine-water')).toEqual(before)
    const told = 'publicationStatus=published&accessLevel=public'
    expect([200, 201]).toContain((await send(method, path + told, body('public'))).status)
  })

  it('needs a catalogue that exists', async () => {
    expect((await send('POST', '/datasets', body('x'))).status).toBe(400)
    expect(await slug(await send('POST', '/datasets?catalogue=nowhere', body('x')))).toBe(
      'unknown-catalogue',
    )
    expect(await slug(await send('POST', '/catalogues/nowhere/datasets', body('x')))).toBe(
      'unknown-catalogue',
    )
  })

  it.each([
    ['POST', '/datasets?catalogue=ID'],
    ['POST', '/catalogues/ID/datasets'],
    ['PUT', '/catalogues/ID/datasets/origin?originalId=x'],
    ['PUT', '/catalogues/ID/datasets/bulk'],
  ])('is told of the catalogue before its body is found empty (%s %s)', async (method, path) => {
    const said = async (catalogue: string) => {
      const answer = await send(method, path.replace('ID', catalogue), ' ')
      return [answer.status, await slug(answer)]
    }
    expect(await said('nowhere')).toEqual([404, 'unknown-catalogue'])
    expect(await said('other')).toEqual([400, 'empty-body'])
  })

  it('needs the permission for the catalogue', async () => {
    const headers = { 'X-API-Key': alpineKey }
    expect(
      (await send('POST', '/datasets?catalogue=alpine-water', body('x'), headers)).status,
    ).toBe(201)
    expect((await send('POST', '/datasets?catalogue=other', body('x'), headers)).status).toBe(403)
    expect((await send('POST', '/datasets', body('x'), headers)).status).toBe(403)
    expect((await send('POST', '/catalogues/other/datasets', body('x'), headers)).status).toBe(403)
  })

  it('of a data service on its own is refused', async () => {
    const service = `${prefixes}<> a dcat:DataService ; dct:title "API" .`
    const answers = [
      await send('POST', '/catalogues/other/datasets', service),
      await send('PUT', '/catalogues/other/datasets/origin?originalId=api', service),
    ]
    for (const answer of answers)
      expect([answer.status, await slug(answer)]).toEqual([422, 'missing-class'])
  })
})

describe('the deprecated parameter catalogue', () => {
  const path = `/datasets/${encodeURIComponent('http://example.org/Ä/1.ttl')}?catalogue=other`

  it('makes the id of the path the id at the origin: PUT creates and updates, GET reads, DELETE deletes', async () => {
    const created = await send('PUT', path, body('one'))
    expect(created.status).toBe(201)
    expect(idIn(created)).toBe('http-example-org-a-1-ttl')
    expect((await send('PUT', path, body('one'))).status).toBe(304)
    expect((await send('PUT', `${path}&enforceUpdate=true`, body('one'))).status).toBe(204)
    expect(
      (await send('PUT', `${path}&recordModified=2020-01-01T00:00:00Z`, body('two'))).status,
    ).toBe(409)
    const read = await repo.ask(path)
    expect([read.status, read.headers.get('ETag')]).toEqual([200, created.headers.get('ETag')])
    expect((await send('DELETE', path)).status).toBe(204)
    expect((await repo.ask(path)).status).not.toBe(200)
  })

  it('asks for the permission of that catalogue and for a catalogue that exists', async () => {
    const headers = { 'X-API-Key': alpineKey }
    expect((await send('PUT', path, body('x'), headers)).status).toBe(403)
    expect((await send('DELETE', path, undefined, headers)).status).toBe(403)
    expect(
      (await send('PUT', '/datasets/x?catalogue=alpine-water', body('x'), headers)).status,
    ).toBe(201)
    expect(await slug(await send('PUT', '/datasets/x?catalogue=nowhere', body('x')))).toBe(
      'unknown-catalogue',
    )
    expect((await send('PUT', '/datasets/x?catalogue=a%22b', body('x'))).status).toBe(400)
  })

  it('is no way round the rules of original ids', async () => {
    const answer = await send(
      'PUT',
      `/datasets/${encodeURIComponent('a\nb')}?catalogue=other`,
      body('x'),
    )
    expect(await answer.json()).toMatchObject({ status: 400, errors: [{ parameter: 'datasetId' }] })
  })

  it('is needed to create: PUT by platform id only updates', async () => {
    expect(await slug(await send('PUT', '/datasets/brand-new', body('x')))).toBe('unknown-dataset')
  })
})

describe('/resources', () => {
  it('is another name of /datasets, for reads and writes', async () => {
    const created = await send(
      'PUT',
      '/catalogues/other/resources/origin?originalId=alias',
      body('x'),
    )
    expect([created.status, created.headers.get('Location')]).toEqual([
      201,
      `${base}set/data/alias`,
    ])
    const [twin, alias] = [
      await repo.ask('/datasets/alias.ttl'),
      await repo.ask('/resources/alias.ttl'),
    ]
    expect(await alias.text()).toBe(await twin.text())
    for (const path of [
      '/resources/alias/record',
      '/catalogues/other/resources/origin?originalId=alias',
    ])
      expect((await repo.ask(path)).status).toBe(200)
    expect((await repo.ask('/resources/alias/metrics')).status).toBe(404)
    expect(
      await (await repo.ask('/resources?catalogue=other&valueType=identifiers')).json(),
    ).toContain('alias')
    expect(
      await (await repo.ask('/catalogues/other/resources?valueType=identifiers')).json(),
    ).toContain('alias')
    expect((await send('PUT', '/resources/alias', body('y'))).status).toBe(204)
    expect((await send('DELETE', '/resources/alias')).status).toBe(204)
  })

  it('takes a wished original id with a POST, and another one when that is taken', async () => {
    const path = '/catalogues/other/resources?resourceId=My%20Wish'
    const [first, second] = [
      await send('POST', path, body('x')),
      await send('POST', path, body('x')),
    ]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(idIn(first)).toBe('my-wish')
    expect(await originalIds('other')).toContain('My Wish')
    expect(idIn(second)).not.toMatch('my-wish')
    expect(
      (await send('POST', '/catalogues/other/resources?resourceId=%0A', body('x'))).status,
    ).toBe(400)
    expect(
      idIn(await send('POST', '/catalogues/other/datasets?resourceId=w2', body('x'))),
    ).not.toBe('w2')
  })

  it('lists datasets, and nothing when resourceTypes leaves them out', async () => {
    const list = async (query: string) => {
      const answer = await repo.ask(`/resources?valueType=identifiers&${query}`)
      return ((await answer.json()) as string[]).length
    }
    const all = await list('')
    expect(all).toBeGreaterThan(0)
    expect(await list('resourceTypes=dataset')).toBe(all)
    expect(await list('resourceTypes=Service&resourceTypes=Dataset')).toBe(all)
    expect(await list('resourceTypes=Service')).toBe(0)
  })

  it('says so in the contract', async () => {
    const document = (await (await repo.ask('/openapi.json')).json()) as {
      paths: Record<string, object>
    }
    for (const [path, operations] of Object.entries(document.paths)) {
      const alias = path.replace(/^(\/catalogues\/[^/]+)?\/datasets(?=\/|$)/, '$1/resources')
      expect(Object.keys(document.paths[alias] ?? {})).toEqual(Object.keys(operations))
    }
  })

  it('is no catalogue and no permission of its own', async () => {
    await repo.putCatalogue('resources')
    expect((await repo.ask('/catalogues/resources')).status).toBe(200)
    expect(
      (await send('PUT', '/catalogues/resources/datasets/origin?originalId=r', body('x'))).status,
    ).toBe(201)
    expect((await repo.ask('/resourcesx')).status).toBe(404)
  })
})

describe('what is not built', () => {
  it.each([
    '/organizations',
    '/drafts',
    '/datasets/x/revisions',
    '/identifiers',
    '/translation',
    '/customresources',
    '/action',
  ])('%s is a 404 for every method', async (path) => {
    for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
      const answer = await repo.ask(path, { method })
      expect([answer.status, await slug(answer)]).toEqual([404, 'not-found'])
    }
  })

  it('TriX is neither read nor written', async () => {
    const put = await repo.ask('/catalogues/other/datasets/origin?originalId=trix', {
      method: 'PUT',
      type: 'application/trix',
      body: '<TriX/>',
    })
    expect(put.status).toBe(415)
    expect(
      (await repo.ask('/catalogues/other', { headers: { Accept: 'application/trix' } })).status,
    ).toBe(406)
  })
})
