/** The worked example of the quality metrics: a dataset, what its URLs answer, and what has to come out. */

import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { urlKeyOf, openUrlStatusFile } from '../../../src/metrics/reach/url-status-file.ts'

const folder = new URL('../../../../shared/data/samples/worked', import.meta.url).pathname
export const isThere = existsSync(folder)
const text = (name: string) => readFileSync(join(folder, name), 'utf8')

type Expected = {
  readonly urls: Readonly<Record<string, number>>
  readonly dataset: Readonly<Record<string, boolean>>
  readonly distributions: Readonly<Record<string, Readonly<Record<string, boolean | number[]>>>>
  readonly scores: Readonly<Record<string, number>>
}

export const worked = () => ({
  catalogue: text('catalogue.ttl'),
  dataset: text('dataset.ttl'),
  expected: JSON.parse(text('expected-metrics.json')) as Expected,
})

/** What the URLs would answer, as if they had been asked a moment ago: they are nobody's. */
export async function verdictsIn(
  directory: string,
  urls: Readonly<Record<string, number>>,
): Promise<void> {
  await mkdir(directory, { recursive: true })
  const now = Date.now()
  const file = openUrlStatusFile(join(directory, 'verdicts.sqlite'), now)
  for (const [url, status] of Object.entries(urls))
    file.store(urlKeyOf(new URL(url)), {
      status,
      checked: now,
      tried: now,
      due: now + 86_400_000,
      catalogue: '',
    })
  file.close()
}

/** What was measured, as one line for each measurement: metric, what it is about, value. */
export const measurementsQuery = (dataset: string): string => `
  PREFIX dqv: <http://www.w3.org/ns/dqv#>
  PREFIX dcat: <http://www.w3.org/ns/dcat#>
  SELECT ?metric ?on ?value ?access WHERE {
    GRAPH <http://localhost:8080/id/metrics/${dataset}> {
      ?m dqv:isMeasurementOf ?metric ; dqv:computedOn ?on ; dqv:value ?value .
    }
    OPTIONAL { GRAPH <http://localhost:8080/set/data/${dataset}> { ?on dcat:accessURL ?access } }
  }`

/** Distribution of the example by the end of its access URL. */
const distributions = [
  ['/csv', 'https://example.org/dist/csv'],
  ['/xlsx', 'https://example.org/dist/xlsx'],
  ['GetCapabilities', 'https://example.org/dist/wms'],
] as const

type Row = Readonly<
  Record<'metric' | 'on' | 'value' | 'access', { readonly value: string } | undefined>
>

/** In the shape of the expectation: the dataset's, the distributions', and the scores. */
export function told(rows: readonly Row[]) {
  const dataset: Record<string, boolean> = {}
  const scores: Record<string, number> = {}
  const found: Record<string, Record<string, boolean | number[]>> = {}
  for (const { metric, value, access } of rows) {
    const name = metric?.value.split('#').at(-1) ?? ''
    const said = value?.value ?? ''
    const place = distributions.find(([end]) => access?.value.endsWith(end))?.[1]
    const own = place === undefined ? undefined : (found[place] ??= empty())
    if (name.endsWith('StatusCode') && own)
      own[name] = [...listOf(own[name]), Number(said)].toSorted((a, b) => a - b)
    else if (own) own[name] = said === 'true'
    else if (/scoring$/i.test(name)) scores[name] = Number(said)
    else dataset[name] = said === 'true'
  }
  return { dataset, distributions: found, scores }
}

const empty = (): Record<string, boolean | number[]> => ({
  accessUrlStatusCode: [],
  downloadUrlStatusCode: [],
})
const listOf = (value: boolean | number[] | undefined): number[] =>
  Array.isArray(value) ? value : []
