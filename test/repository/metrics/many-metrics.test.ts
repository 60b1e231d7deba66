/** Metrics of many datasets in one call: a verdict each, one transaction, and no write for what is known. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { datasetsIn } from '../../../src/metrics/pipe/collector.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import type { CommittedMark } from '../../../src/store/marks.ts'
import { base, prefixes, repository } from '../../support/repository.ts'

const iri = (id: string) => `${base}set/data/${id}`
const times = ['2026-11-21T10:00:00Z', '2026-11-27T09:00:00Z', '2026-11-29T10:00:00Z'] as const

type Told = { value?: number | string; truth?: boolean; at?: string; on?: string }
const metricsOf = async (dataset: string, told: Told = {}) => {
  const { value = 300, truth = true, at = times[0], on = iri(dataset) } = told
  const measurement = (metric: string, given: string) =>
    `<${on}> dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:isMeasurementOf pv:${metric} ; dqv:computedOn <${on}> ;
    dqv:value ${given} ; prov:generatedAtTime "${at}"^^xsd:dateTime ] .`
  const text = `@prefix dqv: <http://www.w3.org/ns/dqv#> . @prefix prov: <http://www.w3.org/ns/prov#> .
  @prefix pv: <https://piveau.eu/ns/voc#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  <urn:m> a dqv:QualityMetadata ; prov:generatedAtTime "${at}"^^xsd:dateTime .
  ${measurement('scoring', String(value))} ${measurement('keywordAvailability', String(truth))}`
  return { dataset, quads: await parse(text, 'turtle', { baseIri: 'urn:x:' }) }
}

describe('the metrics of many datasets', () => {
  let repo: Awaited<ReturnType<typeof repository>>
  let ids: readonly string[] = []
  let round = 0
  const signal = AbortSignal.timeout(60_000)
  const put = async (told: Told = {}, some = ids) =>
    repo.manyMetrics(await Promise.all(some.map((id) => metricsOf(id, told))), signal)
  const read = async (id: string) => (await repo.ask(`/datasets/${id}.nt/metrics`)).text()
  const marks = (): readonly CommittedMark[] => repo.changed

  beforeAll(async () => {
    repo = await repository()
    await repo.putCatalogue('alpine-water')
  })
  afterAll(() => repo.close())
  beforeEach(async () => {
    round += 1
    ids = ['a', 'b', 'c'].map((name) => `${name}${round}`)
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "Water" .`
    for (const id of ids) await repo.putDataset('alpine-water', id, body)
    repo.changed.length = 0
  })

  it('are written as a PUT of each would write them', async () => {
    expect(await put()).toEqual(['created', 'created', 'created'])
    const [first = ''] = ids
    const many = await repo.store.read(`${base}id/metrics/${first}`)
    const { quads } = await metricsOf(first)
    await repo.ask(`/datasets/${first}/metrics`, { method: 'DELETE' })
    const answer = await repo.ask(`/datasets/${first}/metrics`, {
      method: 'PUT',
      type: 'application/n-triples',
      body: toLines(quads),
    })
    expect(answer.status).toBe(201)
    expect(await repo.store.read(`${base}id/metrics/${first}`)).toBe(many)
    expect(await read(first)).not.toContain('genid')
  })

  it('mark each dataset, with all that its document is made of', async () => {
    await put()
    expect(marks().map(({ resource }) => resource)).toEqual(ids.map(iri))
    const [first] = marks()
    expect(first?.content).toMatchObject({ catalogue: 'alpine-water', created: false })
    expect(first?.content?.scores?.map(({ object }) => object.value)).toContain('300')
    expect(first?.content?.scores?.map(({ object }) => object.value)).not.toContain('true')
    expect(first?.content?.quads().length).toBeGreaterThan(5)
    const pending = await repo.store.select(
      'SELECT ?v { GRAPH ?g { ?s <urn:cartulary:control#pending> ?v } }',
    )
    expect(new Set(pending.map(({ v }) => v?.value))).toEqual(
      expect.objectContaining(new Set(marks().map(({ version }) => String(version)))),
    )
  })

  it('do not have their datasets measured again', async () => {
    const [first = ''] = ids
    await put()
    expect(marks()).toHaveLength(3)
    expect(datasetsIn(marks(), repo.names)).toEqual([])
    await repo.putDataset('alpine-water', first, `${prefixes}<> a dcat:Dataset ; dct:title "New" .`)
    expect(datasetsIn(marks(), repo.names)).toEqual([{ catalogue: 'alpine-water', dataset: first }])
  })

  it.each(['int', 'double', 'decimal', 'nonNegativeInteger', 'float'])(
    'tell documents of scores that are written as xsd:%s',
    async (type) => {
      const scored = (value: number) => ({ value: `"${value}"^^xsd:${type}` })
      expect(await put(scored(200))).toEqual(['created', 'created', 'created'])
      const told = () =>
        marks()
          .at(-1)
          ?.content?.scores?.map(({ object }) => object.value)
      expect(told()).toContain('200')
      repo.changed.length = 0
      expect(await put(scored(210))).toEqual(['updated', 'updated', 'updated'])
      expect(marks()).toHaveLength(3)
      expect(told()).toContain('210')
    },
  )

  it('are left alone while they say the same, for a week', async () => {
    await put()
    repo.changed.length = 0
    expect(await put({ at: times[1] })).toEqual(['unchanged', 'unchanged', 'unchanged'])
    expect(await read(ids[0] ?? '')).toContain(times[0])
    expect(await put({ at: times[2] })).toEqual(['updated', 'updated', 'updated'])
    expect(await read(ids[0] ?? '')).toContain(times[2])
    // No document says when it was measured.
    expect(marks()).toEqual([])
  })

  it('are written when a value changes, and marked when that is a number', async () => {
    await put()
    repo.changed.length = 0
    expect(await put({ truth: false })).toEqual(['updated', 'updated', 'updated'])
    expect(marks()).toEqual([])
    expect(await put({ truth: false, value: 299 })).toEqual(['updated', 'updated', 'updated'])
    expect(marks()).toHaveLength(3)
    expect(await read(ids[1] ?? '')).toContain('"299"')
  })

  it('fail one by one: a dataset that is gone, metrics of another one, a store that refuses', async () => {
    const [first = '', second = ''] = ids
    const verdicts = await repo.manyMetrics(
      [
        await metricsOf('nowhere'),
        await metricsOf(first, { on: iri('elsewhere') }),
        await metricsOf(second),
      ],
      signal,
    )
    expect(verdicts[0]).toBe('gone')
    expect(verdicts[1]).toMatchObject({ kind: 'invalid-content' })
    expect(verdicts[2]).toBe('created')
    expect(await repo.store.read(`${base}id/metrics/nowhere`)).toBeUndefined()
    expect(await repo.store.read(`${base}id/metrics/${first}`)).toBeUndefined()
  })

  it('do not land in a catalogue that is being deleted', async () => {
    const deleting = repo.deletion.deletions.during('alpine-water', async () => put())
    expect(await deleting).toEqual(['gone', 'gone', 'gone'])
    expect(await repo.store.read(`${base}id/metrics/${ids[0]}`)).toBeUndefined()
  })

  it('and single writes of a dataset wait for each other', async () => {
    const [first = ''] = ids
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "Other water" .`
    const [verdicts, answer] = await Promise.all([
      put(),
      repo.putDataset('alpine-water', first, body),
    ])
    expect(verdicts).toEqual(['created', 'created', 'created'])
    expect(answer.status).toBe(204)
    expect(await repo.store.read(iri(first))).toContain('Other water')
    expect(await read(first)).toContain('"300"')
  })

  it('are refused with what the store says when it takes none', async () => {
    let isFull = false
    const broken = await repository({
      around: (store) => ({
        ...store,
        writeEach: async (groups, aborted) =>
          isFull
            ? groups.map(() => ({ failure: new Failure('store-full', 'no room') }))
            : store.writeEach(groups, aborted),
      }),
    })
    try {
      await broken.putCatalogue('alpine-water')
      await broken.putDataset('alpine-water', 'a', `${prefixes}<> a dcat:Dataset ; dct:title "W" .`)
      isFull = true
      const [verdict] = await broken.manyMetrics([await metricsOf('a')], signal)
      expect(verdict).toMatchObject({ kind: 'store-full' })
      expect(broken.cascaded).toContain('unsure')
    } finally {
      await broken.close()
    }
  })
})
