/** Many datasets in one request, through the repository's own routes, over a real store. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alpineKey, base, prefixes, repository } from '../../support/repository.ts'
import { bulkOf, type Verdict } from './builders.ts'

let repo: Awaited<ReturnType<typeof repository>>
let bulk: ReturnType<typeof bulkOf>
beforeAll(async () => {
  repo = await repository()
  bulk = bulkOf(repo)
  await repo.putCatalogue('alpine-water')
  await repo.putCatalogue('other')
})
afterAll(() => repo.close())

const verdicts = async (answer: Response) => (await answer.json()) as Verdict[]
const statuses = async (answer: Response) => (await verdicts(answer)).map(({ status }) => status)
const lines = async (id: string) => (await repo.ask(`/datasets/${id}.nt`)).text()

const three = `${prefixes}
<https://example.org/b> a dcat:Dataset ; dct:identifier "b" ; dct:title "B" ; dct:publisher <https://example.org/board> .
<https://example.org/a> a dcat:Dataset ; dct:identifier "a" ; dct:title "A" ; dct:publisher <https://example.org/board> ;
  dcat:distribution [ a dcat:Distribution ; dct:title "File" ] .
<https://example.org/c> a dcat:Dataset ; dct:title "C" .
<https://example.org/board> a foaf:Agent ; foaf:name "Board" .`

describe('a bulk write', () => {
  it('answers one object per dataset, in the order of the body', async () => {
    const answer = await bulk.put('other', three)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/)
    expect(await verdicts(answer)).toEqual([
      { originalId: 'b', id: 'b', status: 201 },
      { originalId: 'a', id: 'a', status: 201 },
      { originalId: 'https://example.org/c', id: 'https-example-org-c', status: 201 },
    ])
  })

  it('asks before every hundred datasets whether the index keeps up', async () => {
    const written: number[] = []
    const slow = await repository({
      keptUp: async () => void written.push(slow.changed.length),
    })
    await slow.putCatalogue('slow')
    const before = slow.changed.length
    const many = Array.from({ length: 250 }, (_, n) => `<urn:many:${n}> a dcat:Dataset .`)
    expect((await bulkOf(slow).put('slow', prefixes + many.join('\n'))).status).toBe(200)
    await slow.close()
    expect(written.map((count) => count - before)).toEqual([0, 100, 200])
  })

  it('copies what datasets share into each of them', async () => {
    for (const id of ['a', 'b']) expect(await lines(id)).toContain('"Board"')
    expect(await lines('https-example-org-c')).not.toContain('"Board"')
  })

  it('says 304 for what is unchanged and writes only what is not', async () => {
    const marks = repo.changed.length
    expect(await statuses(await bulk.put('other', three.replace('"A"', '"Better A"')))).toEqual([
      304, 204, 304,
    ])
    expect(repo.changed.slice(marks).map(({ resource }) => resource)).toEqual([`${base}set/data/a`])
  })

  it('writes also what is unchanged when enforceUpdate asks for it', async () => {
    const answer = await bulk.put('other', three, { query: 'enforceUpdate=true' })
    expect(await statuses(answer)).toEqual([204, 204, 204])
  })

  it('keeps the IRIs of distributions and the date of the first write', async () => {
    const file = /set\/distribution\/[0-9a-f-]{36}/
    const before = await lines('a')
    repo.clock.now = new Date('2027-01-01T00:00:00Z')
    await bulk.put('other', three.replace('"A"', '"Again A"'))
    const after = await lines('a')
    expect(file.exec(after)?.[0]).toBe(file.exec(before)?.[0])
    expect(after).toContain('issued> "2026-11-21T10:00:00Z"')
    expect(after).toContain('modified> "2027-01-01T00:00:00Z"')
  })

  it('is refused as a whole without a key, with the wrong key, and for an unknown catalogue', async () => {
    const as = async (key: string | undefined, catalogue = 'other') => {
      const headers = { 'X-API-Key': key ?? '' }
      return (await bulk.put(catalogue, three, { headers })).status
    }
    expect([await as(undefined), await as(alpineKey), await as(alpineKey, 'alpine-water')]).toEqual(
      [401, 403, 200],
    )
    expect((await bulk.put('nowhere', three)).status).toBe(404)
  })

  it('answers an empty array to a body without datasets', async () => {
    const answer = await bulk.put('other', `${prefixes} <a:b> dct:title "No dataset" .`)
    expect([answer.status, await verdicts(answer)]).toEqual([200, []])
  })

  it('answers 406 before anything is written when neither form is acceptable', async () => {
    const answer = await bulk.put('other', three.replace('"b"', '"never"'), {
      headers: { Accept: 'text/html' },
    })
    expect(answer.status).toBe(406)
    expect((await repo.ask('/datasets/never')).status).toBe(404)
  })
})

describe('the original id of a dataset in a bulk write', () => {
  const idOf = async (body: string, query = '') => {
    const [verdict] = await verdicts(await bulk.put('other', prefixes + body, { query }))
    return verdict?.originalId
  }
  const dataset = '<https://example.org/x> a dcat:Dataset ; dct:identifier "z" , "Y" .'

  it('is the smallest dct:identifier, else the IRI', async () => {
    expect(await idOf(dataset)).toBe('Y')
    expect(await idOf('<https://example.org/x> a dcat:Dataset ; dct:title "X" .')).toBe(
      'https://example.org/x',
    )
  })

  it('is the IRI when that takes precedence', async () => {
    expect(await idOf(dataset, 'precedence=uri')).toBe('https://example.org/x')
    expect(await idOf('[] a dcat:Dataset ; dct:identifier "no IRI" .', 'precedence=uri')).toBe(
      'no IRI',
    )
  })

  it('is what our own record says, so that what was read comes back under its id', async () => {
    const record = (iri: string) => `<${iri}> a dcat:CatalogRecord ;
  foaf:primaryTopic <https://example.org/x> ; dct:identifier "The first id" .`
    expect(await idOf(dataset + record(`${base}set/record/x`))).toBe('The first id')
    expect(await idOf(dataset + record('https://elsewhere.example/set/record/x'))).toBe('Y')
  })

  it('that nobody tells costs the one dataset', async () => {
    const answer = await bulk.put('other', `${prefixes}[] a dcat:Dataset . <a:ok> a dcat:Dataset .`)
    const [lost, found] = await verdicts(answer)
    expect(lost).toMatchObject({ status: 422, problem: { status: 422 } })
    expect(lost).not.toHaveProperty('originalId')
    expect(found?.status).toBe(201)
  })

  it('that is none is answered as the single PUT does', async () => {
    const long = 'x'.repeat(2001)
    const body = `${prefixes}<a:1> a dcat:Dataset ; dct:identifier "${long}" . <a:2> a dcat:Dataset ; dct:identifier "%" .
<a:3> a dcat:Dataset ; dct:identifier "a\\u0007b" .`
    const answer = await verdicts(await bulk.put('other', body))
    expect(answer.map(({ status, problem }) => [status, problem?.type])).toEqual(
      Array.from({ length: 3 }, () => [400, 'urn:cartulary:problem:invalid-parameter']),
    )
  })

  it('twice in one body is a conflict for the second', async () => {
    const body = `${prefixes}<a:1> a dcat:Dataset ; dct:identifier "twin" ; dct:title "First" .
<a:2> a dcat:Dataset ; dct:identifier "twin" ; dct:title "Second" .`
    const [first, second] = await verdicts(await bulk.put('other', body))
    expect([first?.status, second?.status]).toEqual([201, 409])
    expect(second?.problem?.type).toBe('urn:cartulary:problem:duplicate-in-request')
    expect(await lines('twin')).toContain('"First"')
  })

  it('that clashes with another once it is an id gets a suffix, as one by one', async () => {
    const body = `${prefixes}<a:1> a dcat:Dataset ; dct:identifier "Clash One" . <a:2> a dcat:Dataset ; dct:identifier "clash one" .
<a:3> a dcat:Dataset ; dct:identifier "clash.one" .`
    const ids = (await verdicts(await bulk.put('other', body))).map(({ id }) => id)
    expect(ids).toEqual(['clash-one', 'clash-one~~1', 'clash-one~~2'])
    expect(await statuses(await bulk.put('other', body))).toEqual([304, 304, 304])
  })
})

describe('the limits of a bulk write', () => {
  it('refuse too many datasets as a whole, and nothing is written', async () => {
    const small = await repository({ limits: { bulkItems: 2 } })
    await small.putCatalogue('other')
    const answer = await bulkOf(small).put('other', three)
    expect(answer.status).toBe(413)
    expect(await answer.text()).toContain('bulkItems')
    expect((await small.ask('/datasets/a')).status).toBe(404)
    await small.close()
  })

  it('refuse one dataset with too many triples, and take the others', async () => {
    const small = await repository({ limits: { triples: 6 } })
    await small.putCatalogue('other')
    const found = await statuses(await bulkOf(small).put('other', three))
    expect(found).toEqual([201, 413, 201])
    await small.close()
  })
})

describe('a bulk write as lines', () => {
  it('has one object per line', async () => {
    const answer = await bulk.put('other', three, { headers: { Accept: 'application/x-ndjson' } })
    expect(answer.headers.get('Content-Type')).toBe('application/x-ndjson')
    const all = (await answer.text()).trimEnd().split('\n')
    expect(all.map((line) => (JSON.parse(line) as Verdict).originalId)).toEqual([
      'b',
      'a',
      'https://example.org/c',
    ])
  })

  it('comes as it is made: nothing is written ahead of a reader who does not read', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => `<a:l${n}> a dcat:Dataset .`).join('\n')
    const answer = await bulk.put('other', prefixes + many, {
      headers: { Accept: 'application/x-ndjson' },
    })
    const reader = answer.body!.getReader()
    await reader.read()
    const written = repo.changed.filter(({ resource }) => /data\/a-l\d+$/.test(resource)).length
    expect(written).toBeLessThanOrEqual(500)
    await reader.cancel()
    const after = repo.changed.filter(({ resource }) => /data\/a-l\d+$/.test(resource))
    expect(after.length).toBeLessThan(1000)
    for (const { resource } of after.slice(-3))
      expect((await repo.ask(`/datasets/${resource.split('/').at(-1)}`)).status).toBe(200)
  })
})

describe('a catalogue that is deleted while datasets come in', () => {
  it('takes none that was not there before', async () => {
    await repo.putCatalogue('going')
    const many = Array.from({ length: 1000 }, (_, n) => `<b:g${n}> a dcat:Dataset .`).join('\n')
    const answer = await bulk.put('going', prefixes + many, {
      headers: { Accept: 'application/x-ndjson' },
    })
    const reader = answer.body!.getReader()
    let text = new TextDecoder().decode((await reader.read()).value)
    const deleted = await repo.ask('/catalogues/going', { method: 'DELETE' })
    expect([202, 204]).toContain(deleted.status)
    for (let next = await reader.read(); !next.done; next = await reader.read())
      text += new TextDecoder().decode(next.value)
    const all = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Verdict)
    expect(all).toHaveLength(1000)
    expect(all[0]!.status).toBe(201)
    expect([404, 410]).toContain(all.at(-1)!.status)
    for (const id of ['b-g0', 'b-g999'])
      expect([404, 410]).toContain((await repo.ask(`/datasets/${id}`)).status)
  })
})

describe('a dataset that was deleted', () => {
  it('comes back under its id and with the IRIs of its distributions', async () => {
    const body = `${prefixes}<b:back> a dcat:Dataset ; dct:identifier "Back ~ again" ;
  dcat:distribution <b:file> . <b:file> a dcat:Distribution .`
    const [made] = await verdicts(await bulk.put('other', body))
    const file = /set\/distribution\/[0-9a-f-]{36}/
    const before = file.exec(await lines(made!.id!))?.[0]
    const path = '/catalogues/other/datasets/origin?originalId=Back%20~%20again'
    expect((await repo.ask(path, { method: 'DELETE' })).status).toBe(204)
    const taken = `${prefixes}<b:thief> a dcat:Dataset ; dct:identifier "back   again" .`
    const [other] = await verdicts(await bulk.put('other', taken))
    expect(other!.id).toBe('back-again~~1')
    expect(await verdicts(await bulk.put('other', body))).toEqual([{ ...made, status: 201 }])
    expect(file.exec(await lines(made!.id!))?.[0]).toBe(before)
  })
})
