/** What the exporter writes, and what it says about each record. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { complete, dataset, harvestFixture, pipeOf, record, whole } from './harvest-fixture.ts'

const puts = (requests: readonly { readonly method: string }[]) =>
  requests.filter(({ method }) => method === 'PUT').length

describe('a harvest', () => {
  it('creates what is new, updates what has changed, and leaves alone what has not', async () => {
    const fixture = await harvestFixture()
    fixture.offers(whole('a', 'b', 'c'))
    const first = await fixture.run()
    expect(first).toMatchObject({
      status: 'finished',
      outcome: 'complete',
      problem: null,
      counts: { offered: 3, created: 3, updated: 0, unchanged: 0, failed: 0, removed: 0 },
    })
    expect(await fixture.ids()).toEqual(['a', 'b', 'c'])
    const [item] = fixture.items(first, 'created')
    expect(item).toMatchObject({ sourceId: 'a', originalId: 'a', platformId: 'a', stage: 'export' })

    fixture.offers(() => [record('a'), record('b', 'another'), record('c'), complete()])
    fixture.requests.length = 0
    const second = await fixture.run()
    expect(second.counts).toMatchObject({ offered: 3, created: 0, updated: 1, unchanged: 2 })
    expect(puts(fixture.requests)).toBe(1)
    expect(await fixture.text('b')).toContain('"another"')

    fixture.requests.length = 0
    const third = await fixture.run()
    expect(third.counts).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
    expect(puts(fixture.requests)).toBe(0)
  })

  it('writes hundreds in a few requests, each under its own id', async () => {
    const fixture = await harvestFixture()
    const ids = Array.from({ length: 450 }, (_, n) => `record ${n}`)
    fixture.offers(whole(...ids))
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ created: 450, failed: 0 })
    expect(puts(fixture.requests)).toBe(5)
    expect(await fixture.ids()).toEqual(ids.toSorted())
    expect(await fixture.text('record 7')).toContain('"record 7"')
  })

  it('tells which record the repository refused and why, and writes its neighbours', async () => {
    const fixture = await harvestFixture()
    const broken = { text: '<https://source.example/b> <oops .\n' }
    const none = { text: '<https://source.example/d> <http://purl.org/dc/terms/title> "d" .\n' }
    fixture.offers(() => [
      record('a'),
      record('b', 'b', broken),
      record('c'),
      record('d', 'd', none),
      complete(),
    ])
    const run = await fixture.run()
    expect(run).toMatchObject({ outcome: 'complete', counts: { created: 2, failed: 2 } })
    const failed = fixture.items(run, 'failed')
    expect(failed.map(({ sourceId }) => sourceId)).toEqual(['b', 'd'])
    expect(failed[0]).toMatchObject({
      stage: 'export',
      excerpt: broken.text,
      problem: {
        type: 'urn:cartulary:problem:export-refused',
        detail: expect.stringContaining('malformed-rdf') as string,
        errors: [{ line: 1 }],
      },
    })
    expect(failed[1]?.problem?.detail).toContain('missing-class')
    expect(await fixture.ids()).toEqual(['a', 'c'])
  })

  it('takes records in other formats, with blank nodes, and several of one node', async () => {
    const fixture = await harvestFixture()
    const turtle = {
      mediaType: 'text/turtle',
      text: '@prefix dcat: <http://www.w3.org/ns/dcat#> . <> a dcat:Dataset ; dcat:keyword "t" .',
    }
    const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
    const blank = (word: string) => ({
      text: `_:b0 <http://www.w3.org/ns/dcat#keyword> "${word}" .\n_:b0 ${type} <http://www.w3.org/ns/dcat#Dataset> .\n`,
    })
    fixture.offers(() => [
      record('turtle', 't', turtle),
      record('one', '1', blank('one')),
      record('two', '2', blank('two')),
      record('same', '3', { text: dataset('same', 'third') }),
      record('again', '4', { text: dataset('same', 'fourth') }),
      record('json', '5', { mediaType: 'application/json', text: '{}' }),
      complete(),
    ])
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ created: 5, failed: 1 })
    expect(fixture.items(run, 'failed')[0]?.problem?.detail).toContain('unsupported-media-type')
    expect(await fixture.text('one')).toContain('"one"')
    expect(await fixture.text('two')).toContain('"two"')
    expect(await fixture.text('same')).toContain('"third"')
    expect(await fixture.text('again')).toContain('"fourth"')
  })

  it('reports what importer and transformer refused, skipped and mended', async () => {
    const fixture = await harvestFixture()
    const problem = new Failure('transform-failed', 'line 3: x is not defined')
    const finding = { slug: 'dropped-url', detail: 'no URL: "n/a"' } as const
    fixture.offers(() => [
      record('a', 'a', { findings: [finding] }),
      { kind: 'refused', sourceId: 'b', stage: 'transform', problem, excerpt: 'the text' },
      { kind: 'skipped', sourceId: 'c', reason: 'private' },
      {
        kind: 'refused',
        sourceId: 'a',
        stage: 'import',
        problem: new Failure('item-duplicate', 'a'),
      },
      complete(),
    ])
    const run = await fixture.run()
    expect(run.counts).toMatchObject({
      created: 1,
      failed: 1,
      skipped: 1,
      duplicate: 1,
      findings: 1,
    })
    expect(fixture.items(run, 'failed')[0]).toMatchObject({
      sourceId: 'b',
      stage: 'transform',
      excerpt: 'the text',
      problem: { type: 'urn:cartulary:problem:transform-failed' },
    })
    expect(fixture.items(run, 'skipped')[0]?.note).toBe('private')
    expect(fixture.items(run, 'created')[0]?.findings).toEqual([finding])
  })

  it('asks the source for nothing when the catalogue is not there', async () => {
    const fixture = await harvestFixture({ catalogues: [] })
    let asked = false
    fixture.offers(() => {
      asked = true
      return [complete()]
    })
    expect(await fixture.run()).toMatchObject({
      status: 'failed',
      problem: { type: 'urn:cartulary:problem:unknown-catalogue' },
    })
    expect(asked).toBe(false)
    expect((await fixture.hub.ask('/catalogues/city')).status).toBe(404)
  })

  it('writes nothing in a dry run, and says what it would write', async () => {
    const fixture = await harvestFixture()
    fixture.offers(whole('a'))
    await fixture.run()
    fixture.offers(() => [record('a', 'changed'), record('b'), complete()])
    fixture.requests.length = 0
    const run = await fixture.run('p', { dryRun: true })
    expect(run).toMatchObject({ status: 'finished', outcome: 'dry-run' })
    expect(fixture.requests.filter(({ method }) => /PUT|DELETE/.test(method))).toEqual([])
    const title = (text: string) => `<http://purl.org/dc/terms/title> "${text}"`
    expect(fixture.items(run)).toMatchObject([
      {
        originalId: 'a',
        state: 'updated',
        excerpt: dataset('a', 'changed'),
        difference: { gone: [title('a')], come: [title('changed')] },
      },
      { originalId: 'b', state: 'created', excerpt: dataset('b', 'b') },
    ])
    expect(fixture.items(run)[1]).not.toHaveProperty('difference')
    expect(run.problem).toBeNull()
    expect(await fixture.ids()).toEqual(['a'])
  })

  it.each([true, false])(
    'tells in a dry run what would change and nothing else (asked of the repository: %s)',
    async (previews) => {
      const fixture = await harvestFixture({ previews })
      const [dcat, dct] = ['http://www.w3.org/ns/dcat#', 'http://purl.org/dc/terms/']
      const files = ['<https://source.example/a.csv>', '_:b'].map(
        (file) => `<https://source.example/a> <${dcat}distribution> ${file} .
${file} <${dcat}accessURL> <https://source.example/${file.length}.csv> .
${file} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${dcat}Distribution> .
`,
      )
      const of = (title: string) =>
        record('a', title, { text: dataset('a', title) + files.join('') })
      fixture.offers(() => [of('old'), complete()])
      await fixture.run()
      fixture.offers(() => [of('new'), complete()])
      const [item] = fixture.items(await fixture.run('p', { dryRun: true }))
      expect(item).toMatchObject({ state: 'updated' })
      expect(item?.difference).toEqual({
        gone: [`<${dct}title> "old"`],
        come: [`<${dct}title> "new"`],
      })
      expect(await fixture.text('a')).toContain('"old"')
    },
  )

  it('says in a dry run what the repository would refuse, in its words', async () => {
    const fixture = await harvestFixture()
    fixture.offers(() => [record('a', 'a', { text: '<urn:a> <urn:b> "c" .\n' }), complete()])
    const dry = await fixture.run('p', { dryRun: true })
    const real = await fixture.run()
    expect(dry.counts).toMatchObject({ failed: 1, created: 0 })
    const problem = ({ problem: told }: { problem?: object }) => told
    expect(fixture.items(dry).map(problem)).toMatchObject(fixture.items(real).map(problem))
  })

  it('tells in a dry run what is the same, and what a complete run would miss', async () => {
    const fixture = await harvestFixture()
    fixture.offers(whole('a', 'b', 'c'))
    await fixture.run()
    fixture.place.at += 8 * 86_400_000
    fixture.offers(whole('a'))
    const run = await fixture.run('p', { dryRun: true, limit: 100 })
    expect(run).toMatchObject({ outcome: 'dry-run', counts: { unchanged: 1, removed: 0, held: 0 } })
    expect(run.problem?.detail).toContain('2 of 3 records of this pipe: b, c.')
    expect(await fixture.ids()).toEqual(['a', 'b', 'c'])
  })

  it('writes an unchanged record again after forceDays, and tells when it had been changed by hand', async () => {
    const fixture = await harvestFixture()
    fixture.offers(whole('a', 'b'))
    await fixture.run()
    const path = '/catalogues/city/datasets/origin?originalId=a'
    await fixture.hub.ask(path, {
      method: 'PUT',
      type: 'application/n-triples',
      body: dataset('a', 'by hand'),
    })
    expect((await fixture.run()).counts).toMatchObject({ unchanged: 2 })
    expect(await fixture.text('a')).toContain('by hand')
    fixture.place.at += 8 * 86_400_000
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ updated: 1, unchanged: 1 })
    expect(fixture.items(run, 'updated')[0]?.note).toContain('overwritten')
    expect(await fixture.text('a')).not.toContain('by hand')
  })

  it('writes again what somebody has deleted by hand, under the same platform id', async () => {
    const fixture = await harvestFixture()
    fixture.offers(whole('a', 'b'))
    await fixture.run()
    const path = '/catalogues/city/datasets/origin?originalId=a'
    await fixture.hub.ask(path, { method: 'DELETE' })
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ created: 1, unchanged: 1 })
    expect(fixture.items(run, 'created')[0]).toMatchObject({ platformId: 'a' })
  })

  it('imports only what is asked for when failed items are tried again', async () => {
    const fixture = await harvestFixture()
    const broken = { text: 'not RDF', sourceHash: 'x' }
    fixture.offers(() => [record('a'), record('b', 'b', broken), record('c'), complete()])
    const first = await fixture.run()
    expect(first.counts).toMatchObject({ created: 2, failed: 1 })
    fixture.offers(() => [
      record('a', 'changed'),
      record('b'),
      { kind: 'end', completeness: { kind: 'incomplete' } },
    ])
    fixture.place.at += 1000
    const retry = await fixture.ended(fixture.launcher().retry(first.id).id)
    expect(retry).toMatchObject({ outcome: 'incomplete', counts: { created: 1, updated: 0 } })
    expect(await fixture.ids()).toEqual(['a', 'b', 'c'])
    expect(await fixture.text('a')).toContain('"a"')
  })
})

describe('the pipe of an exporter', () => {
  it.each([
    [{ guardPercent: 120 }, 'guardPercent'],
    [{ hub: { endpoint: { address: 'https://hub.example' } } }, 'hub.endpoint.apiKey'],
    [{ hub: { endpoint: { address: 'ftp://x', apiKey: 'k' } } }, 'hub.endpoint.address'],
    [
      { hub: { endpoint: { address: 'https://x', apiKey: { secret: 'no' } } } },
      'hub.endpoint.apiKey',
    ],
  ])('%j is refused at %s', async (config, pointer) => {
    const fixture = await harvestFixture()
    fixture.pipes.set('p', pipeOf('p', {}, config))
    const run = await fixture.run()
    expect(run.status).toBe('failed')
    expect(JSON.stringify(run.problem)).toContain(pointer.replaceAll('.', '/'))
  })
})
