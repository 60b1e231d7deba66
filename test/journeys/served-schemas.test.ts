/** What the service answers is what its OpenAPI document says: every answer over samples and generated catalogues. */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importDump } from '../../src/harvest/importing/dump.ts'
import { openDocument } from '../../src/rdf/open-document.ts'
import { platformId } from '../../src/rdf/ids.ts'
import { checkAnswers } from '../support/answers.ts'
import { servedSchemas } from '../support/served-schemas.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'

const data = new URL('../../../shared/data/', import.meta.url).pathname
const samples = [
  'semic/example-ms_catalogue_hvd.ttl',
  'semic/example-ms_dataset_2_distributions.ttl',
  'dcat-ap-de/RefImp_TTL_ADVANCED.ttl',
  'worked/dataset.ttl',
  'broken/byte-order-mark.ttl',
  'broken/relative-iris.ttl',
  'broken/bad-iris.rdf',
  'broken/bad-language-tag.jsonld',
  'broken/untidy.ttl',
]
const vocabularies = ['licence', 'access-right', 'frequency']
/** Whole maps and single texts, into fields that hold maps and fields that hold texts. */
const enrichment = {
  licence: {
    fields: ['license'],
    replacements: ['label:pref_label', 'id:id', 'resource:resource'],
  },
  'access-right': { fields: ['access_right'], replacements: ['label:pref_label'] },
  frequency: { fields: ['accrual_periodicity'], replacements: ['label:pref_label.de'] },
}
const shipped = new URL('../../shapes/vocabularies/', import.meta.url).pathname
const never = new AbortController().signal

describe.skipIf(!existsSync(data))('the served schemas', () => {
  let directory: string
  let platform: Gateway
  let api: ReturnType<typeof client>
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory, {
      PLATFORM_LOG_LEVEL: 'debug',
      PLATFORM_SEARCH_CONFIG: JSON.stringify({ vocabulary: enrichment }),
    })
    api = client(platform)
    for (const place of samples) await bring(join(data, 'samples', place), platformId(place))
    const generated = join(directory, 'generated.ttl')
    const options = ['--datasets', '150', '--seed', '7', '--format', 'ttl', '--out', generated]
    execFileSync(process.execPath, [join(data, 'generate-catalogue.mjs'), ...options])
    await bring(generated, 'generated')
    for (const id of vocabularies) {
      const text = readFileSync(`${shipped}${id}.ttl`, 'utf8')
      if ((await api.put(`/vocabularies/${id}`, text)).status !== 201) throw new Error(id)
    }
    const settled = async () =>
      (await api.json<{ pending: number }>(`${platform.url}/health`)).pending === 0
    if (!(await eventually(settled, 60_000))) throw new Error('the index is not done in time')
  }, 120_000)
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })

  async function bring(place: string, catalogue: string) {
    const source = await openDocument(
      { location: place, baseIri: 'https://portal.example/doc' },
      never,
    )
    const options = { service: api.repo, key: platform.key, catalogue }
    const { failures: losses } = await importDump(source, options, never)
    if (losses.length > 0) throw new Error(`${place}: ${JSON.stringify(losses)}`)
  }

  it('describe every answer', { timeout: 120_000 }, async () => {
    const { answers, findings } = await checkAnswers(api.search)
    expect(answers).toBeGreaterThan(250)
    expect(findings).toEqual([])
  })

  it('leave out what does not fit, which is counted by field and problem', async () => {
    const text = await (await fetch(`${platform.url}/metrics`)).text()
    expect(text).toMatch(
      /cartulary_left_out_total\{field="publisher",problem="missing-mandatory"\} \d+/,
    )
  })

  it('would not hold for other answers', async () => {
    const { result } = await api.json<{ result: { results: object[] } }>(
      `${api.search}/search?filters=dataset&limit=1`,
    )
    const served = servedSchemas(await api.json(`${api.search}/openapi.json`))
    const answer = (extra: object) => ({
      result: { ...result.results[0], index: undefined, ...extra },
    })
    const faults = (extra: object) =>
      served.answer('/datasets/{id}', answer(extra)).map(({ path }) => path)
    expect(faults({ index: 'dataset' })).toContain('result')
    expect(faults({ title: 'text' })).toContain('result.title')
    expect(faults({ id: undefined })).toContain('result.id')
    expect(faults({ distributions: [{ id: 'x', format: 'CSV' }] })).toContain(
      'result.distributions.format',
    )
  })
})
