/** Drafts: what is kept beside the store, who may do what with it, and how it is published. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
const [publisher, steward, reader, stranger] = ['pub', 'stew', 'read', 'strange']
beforeAll(async () => {
  repo = await repository({
    keys: {
      pub: ['publisher:water'],
      pub2: ['publisher:water'],
      stew: ['steward:water'],
      read: ['reader:water'],
      strange: ['publisher:parks'],
    },
  })
  await repo.putCatalogue('water')
  await repo.putCatalogue('parks')
})
afterAll(() => repo.close())

type Answer = { status: number; tag: string | null; json: Record<string, unknown>; text: string }
const ask = async (
  key: string | undefined,
  method: string,
  path: string,
  {
    body,
    type = 'text/turtle',
    headers = {},
  }: { body?: string | object; type?: string; headers?: Record<string, string> } = {},
): Promise<Answer> => {
  const isJson = typeof body === 'object'
  const answer = await repo.app.request(path, {
    method,
    headers: {
      ...(key !== undefined && { 'X-API-Key': key }),
      ...(body !== undefined && { 'Content-Type': isJson ? 'application/json' : type }),
      Accept: 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  })
  const text = await answer.text()
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  return { status: answer.status, tag: answer.headers.get('ETag'), json, text }
}
const dataset = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`
const create = async (title: string, key = publisher) => {
  const made = await ask(key, 'POST', '/drafts/datasets?catalogue=water', { body: dataset(title) })
  expect([made.status, made.text]).toEqual([201, made.text])
  return String(made.json['id'])
}
const iri = (id: string) => `${base}set/data/${id}`

describe('a draft', () => {
  it('gets an id of its title, and another one where that is reserved', async () => {
    expect(await create('Bathing water, Aue lakes')).toBe('bathing-water-aue-lakes')
    expect(await create('Bathing water, Aue lakes')).toBe('bathing-water-aue-lakes-2')
  })

  it('is not in the store, and not in the logs', async () => {
    const id = await create('Zyxwvut')
    const found = await repo.store.select(
      'SELECT * WHERE { GRAPH ?g { ?s ?p ?o } FILTER(CONTAINS(LCASE(STR(?o)), "zyxwvut") || CONTAINS(STR(?g), "zyxwvut")) }',
    )
    expect([...found]).toEqual([])
    expect((await ask(undefined, 'GET', `/datasets/${id}`)).status).toBe(404)
    expect(repo.logged.join('')).not.toContain('zyxwvut')
  })

  it.each([
    [undefined, 401],
    [stranger, 404],
    [reader, 200],
    [publisher, 200],
  ])('is seen by those who may (%s: %i)', async (key, status) => {
    const id = await create(`Seen ${status} ${key}`)
    expect((await ask(key, 'GET', `/drafts/datasets/${id}`)).status).toBe(status)
    const listed = await ask(key, 'GET', `/drafts/datasets?q=Seen ${status}`)
    expect(listed.text.includes(id)).toBe(status === 200)
  })

  it('is changed by differences of a revision, and only of the newest', async () => {
    const id = await create('Changed')
    const path = `/drafts/datasets/${id}`
    const title = (text: string) => `<${iri(id)}> <http://purl.org/dc/terms/title> "${text}"@en .`
    const change = (revision: number, from: string, to: string, key = publisher) =>
      ask(key, 'PATCH', path, {
        body: {
          remove: [title(from)],
          add: [title(to)],
          typed: [{ node: iri(id), path: 'p', text: 'soon' }],
        },
        headers: { 'If-Match': `"${revision}"` },
      })
    const first = await change(1, 'Changed', 'Changed twice')
    expect([first.status, first.tag, first.json['title']]).toEqual([
      200,
      '"2"',
      { en: 'Changed twice' },
    ])
    expect((await change(1, 'Changed', 'Lost')).status).toBe(412)
    expect((await change(2, 'Never there', 'Lost')).status).toBe(422)
    expect((await change(2, 'Changed twice', 'x', reader)).status).toBe(403)
    const blocked = await ask(steward, 'PUT', `/drafts/datasets/publish/${id}`)
    expect(blocked.status).toBe(422)
  })

  it('is published by review: submitted, sent back with a note, submitted, published by a steward', async () => {
    const id = await create('Reviewed')
    const path = `/drafts/datasets/${id}`
    expect((await ask(publisher, 'PUT', `/drafts/datasets/publish/${id}`)).status).toBe(403)
    expect(
      (await ask(publisher, 'POST', `${path}/submit`, { body: { note: 'look' } })).json['state'],
    ).toBe('review')
    expect((await ask(publisher, 'PUT', path, { body: dataset('Other') })).status).toBe(409)
    expect((await ask('pub2', 'POST', `${path}/return`, { body: { note: 'x' } })).status).toBe(403)
    expect((await ask(steward, 'POST', `${path}/return`, { body: {} })).status).toBe(400)
    const back = await ask(steward, 'POST', `${path}/return`, { body: { note: 'Which licence?' } })
    expect([back.json['state'], back.json['note']]).toEqual(['returned', 'Which licence?'])
    await ask(publisher, 'POST', `${path}/submit`)
    expect((await ask(steward, 'PUT', `/drafts/datasets/publish/${id}`)).status).toBe(201)
    expect((await ask(undefined, 'GET', `/datasets/${id}`)).status).toBe(200)
    expect((await ask(publisher, 'GET', path)).status).toBe(404)
  })

  it('of a published record is merged with what others published meanwhile', async () => {
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "Both"@en ; dcat:contactPoint [ a vcard:Kind ; vcard:fn "Office" ] .`
    const vcard = `@prefix vcard: <http://www.w3.org/2006/vcard/ns#> .\n`
    await repo.putDataset('water', 'both', vcard + body)
    const opened = await ask(publisher, 'POST', '/drafts/datasets?of=both')
    expect([opened.status, opened.json['revision']]).toEqual([201, 1])
    expect((await ask(publisher, 'POST', '/drafts/datasets?of=both')).status).toBe(200)
    const line = `<${iri('both')}> <http://purl.org/dc/terms/description> "Mine"@en .`
    await ask(publisher, 'PATCH', '/drafts/datasets/both', { body: { add: [line] } })
    await repo.putDataset('water', 'both', vcard + body.replace('Office', 'Bureau'))
    expect((await ask(publisher, 'PUT', '/drafts/datasets/publish/both')).status).toBe(204)
    const now = await (
      await repo.ask('/datasets/both', { headers: { Accept: 'text/turtle' } })
    ).text()
    expect(now).toContain('Mine')
    expect(now).toContain('Bureau')
  })

  it('waits for a decision where both changed the same', async () => {
    await repo.putDataset('water', 'clash', dataset('Clash'))
    await ask(publisher, 'POST', '/drafts/datasets?of=clash')
    const title = (text: string) =>
      `<${iri('clash')}> <http://purl.org/dc/terms/title> "${text}"@en .`
    const patch = { remove: [title('Clash')], add: [title('Mine')] }
    await ask(publisher, 'PATCH', '/drafts/datasets/clash', { body: patch })
    await repo.putDataset('water', 'clash', dataset('Theirs'))
    expect((await ask(publisher, 'PUT', '/drafts/datasets/publish/clash')).status).toBe(412)
    const merge = await ask(publisher, 'GET', '/drafts/datasets/clash/merge')
    expect(merge.json['conflicts']).toMatchObject([
      { current: [title('Theirs')], mine: [title('Mine')] },
    ])
    const accepted = {
      baseTag: merge.json['baseTag'],
      remove: [title('Theirs')],
      add: [title('Mine')],
    }
    expect(
      (await ask(publisher, 'POST', '/drafts/datasets/clash/merge', { body: accepted })).status,
    ).toBe(200)
    expect((await ask(publisher, 'PUT', '/drafts/datasets/publish/clash')).status).toBe(204)
  })

  it('takes a version back, or goes back to one, where its record has no other draft', async () => {
    for (const title of ['One', 'Two', 'Three'])
      await repo.putDataset('water', 'back', dataset(title))
    const of = (step: string, key = publisher) =>
      ask(key, 'POST', `/drafts/datasets?of=back&${step}`)
    expect((await of('undo=3', stranger)).status).toBe(403)
    expect((await of('undo=9')).status).toBe(404)
    const undone = await of('undo=3')
    expect([undone.status, undone.json['title']]).toEqual([201, { en: 'Two' }])
    expect((await of('restore=1')).status).toBe(409)
    await ask(publisher, 'DELETE', '/drafts/datasets/back')
    const restored = await of('restore=1')
    expect([restored.status, restored.json['title']]).toEqual([201, { en: 'One' }])
    expect((await ask(publisher, 'GET', '/drafts/datasets/back/merge')).json).toMatchObject({
      conflicts: [],
      theirs: { removed: [], added: [] },
      mine: {
        removed: [expect.stringContaining('Three')],
        added: [expect.stringContaining('One')],
      },
    })
    await ask(publisher, 'DELETE', '/drafts/datasets/back')
    // A later version changed the same.
    expect((await of('undo=2')).json).toMatchObject({ baseTag: 'version-2', title: { en: 'One' } })
    expect((await ask(publisher, 'PUT', '/drafts/datasets/publish/back')).status).toBe(412)
  })

  it('names what others had changed when it is published, where that is asked for', async () => {
    await repo.putDataset('water', 'named', dataset('Named'))
    await ask(publisher, 'POST', '/drafts/datasets?of=named')
    const line = `<${iri('named')}> <http://purl.org/dc/terms/description> "Mine"@en .`
    await ask(publisher, 'PATCH', '/drafts/datasets/named', { body: { add: [line] } })
    await repo.putDataset('water', 'named', dataset('Renamed'))
    const headers = { Prefer: 'return=representation' }
    const published = await ask(publisher, 'PUT', '/drafts/datasets/publish/named', { headers })
    expect([published.status, published.json]).toEqual([
      200,
      { others: ['http://purl.org/dc/terms/title'] },
    ])
  })

  it('is published at its time, late where nothing ran, and sent back where it is broken', async () => {
    const id = await create('Scheduled')
    const described = `<${iri(id)}> <http://purl.org/dc/terms/description> "Long."@en .`
    await ask(publisher, 'PATCH', `/drafts/datasets/${id}`, { body: { add: [described] } })
    const path = `/drafts/datasets/${id}`
    const publishAt = '2026-11-21T11:00:00Z'
    expect((await ask(publisher, 'POST', `${path}/schedule`, { body: { publishAt } })).status).toBe(
      403,
    )
    expect(
      (
        await ask(steward, 'POST', `${path}/schedule`, {
          body: { publishAt: '2020-01-01T00:00:00Z' },
        })
      ).status,
    ).toBe(400)
    expect(
      (await ask(steward, 'POST', `${path}/schedule`, { body: { publishAt } })).json['state'],
    ).toBe('scheduled')
    const broken = await create('Broken')
    await ask(steward, 'POST', `/drafts/datasets/${broken}/schedule`, { body: { publishAt } })
    await ask('a-key-for-everything', 'PUT', '/catalogues/water/rules', {
      body: { languages: ['en'], review: 'new' },
    })
    repo.clock.now = new Date('2026-11-22T11:00:00Z')
    await expect
      .poll(async () => (await ask(publisher, 'GET', `/drafts/datasets/${broken}`)).json['state'], {
        timeout: 8000,
      })
      .toBe('returned')
    await expect.poll(async () => (await ask(undefined, 'GET', `/datasets/${id}`)).status).toBe(200)
    await ask('a-key-for-everything', 'PUT', '/catalogues/water/rules', { body: {} })
  }, 20_000)
})

describe('rules of a catalogue', () => {
  it("are a steward's, and ask for languages, properties and defaults", async () => {
    const rules = {
      review: 'none',
      languages: ['en', 'de'],
      required: ['http://purl.org/dc/terms/license'],
      defaults: [
        { path: 'http://purl.org/dc/terms/accessRights', value: '<http://example.org/public>' },
      ],
    }
    expect((await ask(publisher, 'PUT', '/catalogues/parks/rules', { body: rules })).status).toBe(
      403,
    )
    expect(
      (await ask('a-key-for-everything', 'PUT', '/catalogues/parks/rules', { body: rules })).status,
    ).toBe(204)
    const made = await ask(stranger, 'POST', '/drafts/datasets?catalogue=parks', {
      body: dataset('Trees'),
    })
    const text = (
      await ask(stranger, 'GET', `/drafts/datasets/${String(made.json['id'])}`, {
        headers: { Accept: 'application/n-triples' },
      })
    ).text
    expect(text).toContain('<http://example.org/public>')
    const findings = await ask(stranger, 'GET', '/drafts/datasets/trees/findings')
    expect(findings.json['findings']).toMatchObject([
      { blocks: true, kind: 'language', language: 'de' },
      { blocks: true, kind: 'language', language: 'en' },
      { blocks: true, kind: 'language', language: 'de' },
      { blocks: true, kind: 'required' },
    ])
  })

  it('let nobody review their own under "every"', async () => {
    await ask(steward, 'PUT', '/catalogues/water/rules', { body: { review: 'every' } })
    const id = await create('Own', steward)
    expect((await ask(steward, 'PUT', `/drafts/datasets/publish/${id}`)).status).toBe(403)
    expect(
      (await ask('a-key-for-everything', 'PUT', `/drafts/datasets/publish/${id}`)).status,
    ).toBe(201)
    expect(
      (
        await ask(publisher, 'POST', `/drafts/datasets/${id}/withdraw`, {
          body: { reason: 'Wrong.' },
        })
      ).status,
    ).toBe(403)
    expect(
      (
        await ask(steward, 'POST', `/drafts/datasets/${id}/withdraw`, {
          body: { reason: 'Wrong.' },
        })
      ).status,
    ).toBe(204)
    const gone = await ask(undefined, 'GET', `/datasets/${id}`)
    expect([gone.status, gone.json['reason']]).toEqual([410, 'Wrong.'])
    await ask(steward, 'PUT', '/catalogues/water/rules', { body: {} })
  })
})

describe("piveau's calls", () => {
  it('write, publish, hide and delete a draft', async () => {
    const at = (path: string) => `${path}?catalogue=water`
    expect(
      (await ask(publisher, 'PUT', at('/drafts/datasets/piv'), { body: dataset('Piv') })).status,
    ).toBe(201)
    expect(
      (await ask(publisher, 'PUT', at('/drafts/datasets/piv'), { body: dataset('Piv 2') })).status,
    ).toBe(204)
    expect((await ask(steward, 'PUT', at('/drafts/datasets/publish/piv'))).status).toBe(201)
    expect((await ask(publisher, 'PUT', at('/drafts/datasets/hide/piv'))).status).toBe(204)
    expect((await ask(undefined, 'GET', '/datasets/piv')).status).toBe(410)
    expect((await ask(steward, 'PUT', at('/drafts/datasets/publish/piv'))).status).toBe(201)
    await ask(publisher, 'PUT', at('/drafts/datasets/hide/piv'))
    expect((await ask(publisher, 'DELETE', at('/drafts/datasets/piv'))).status).toBe(200)
    expect((await ask(publisher, 'POST', '/drafts/datasets/piv/restore')).json['state']).toBe(
      'draft',
    )
  })

  it('write a draft of a dataset with publicationStatus=draft', async () => {
    const path = '/datasets/status?catalogue=water&publicationStatus=draft'
    expect((await ask(steward, 'PUT', path, { body: dataset('Status') })).status).toBe(201)
    expect((await ask(undefined, 'GET', '/datasets/status')).status).toBe(404)
    expect((await ask(reader, 'GET', '/drafts/datasets/status')).json['title']).toEqual({
      en: 'Status',
    })
  })
})

describe('a link to a preview', () => {
  it('works without a key for 14 days, until it is revoked', async () => {
    const id = await create('Linked')
    const path = `/drafts/datasets/${id}`
    const { token } = (await ask(publisher, 'POST', `${path}/links`)).json
    const shared = `${path}/shared/${String(token)}`
    expect(
      (await ask(undefined, 'GET', shared, { headers: { Accept: 'text/turtle' } })).status,
    ).toBe(200)
    expect((await ask(undefined, 'GET', `${shared}x`)).status).toBe(404)
    expect((await ask(undefined, 'DELETE', `${path}/links`)).status).toBe(401)
    expect((await ask(publisher, 'DELETE', `${path}/links`)).status).toBe(204)
    expect((await ask(undefined, 'GET', shared)).status).toBe(404)
  })
})
