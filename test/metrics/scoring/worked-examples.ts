/** The files with worked examples, and how a measured dataset is told beside them. */

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  measurementQuads,
  measurements,
  withReport,
} from '../../../src/metrics/measure/measurements.ts'
import { distributionsOf, payloadOf, withPayload } from '../../../src/metrics/pipe/payload.ts'
import type { RecordMessage } from '../../../src/pipe/message.ts'
import { dcat, sh } from '../../../src/rdf/namespaces.ts'
import { at, record } from '../pipe/segment-fixture.ts'

const data = new URL('../../../../shared/data', import.meta.url).pathname
export const isThere = existsSync(data)
export const workedExample = (name: string): string =>
  readFileSync(join(data, 'samples/worked', name), 'utf8')

/** One N-Triples text per dataset, in their order. */
export function generated(directory: string, amount: number, seed = 1): readonly string[] {
  const generator = join(data, 'generate-catalogue.mjs')
  const options = { datasets: amount, seed, format: 'nt', out: directory }
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  execFileSync(process.execPath, [generator, ...words], { stdio: 'ignore' })
  const folder = join(directory, 'datasets/0000')
  const names = readdirSync(folder).toSorted((a, b) => Number.parseInt(a) - Number.parseInt(b))
  return names.map((name) => readFileSync(join(folder, name), 'utf8'))
}

export const generatedRecord = (text: string): RecordMessage =>
  record('', { text, mediaType: 'application/n-triples', extra: { source: 'dcat-ap' } })

const violation = {
  messages: [],
  severity: 'Violation',
  component: sh('ClassConstraintComponent').value,
} as const

/** As if it had been validated. */
export async function validated(
  message: RecordMessage,
  isCompliant: boolean,
): Promise<RecordMessage> {
  const report = {
    conforms: isCompliant,
    results: isCompliant ? [] : [violation],
    truncated: false,
  }
  return withPayload(message, withReport(await payloadOf(message), report, at))
}

/** As if every URL had been asked. */
export async function asked(
  message: RecordMessage,
  statusOf: (url: string) => number,
): Promise<RecordMessage> {
  const payload = await payloadOf(message)
  const measured = distributionsOf(payload).flatMap((target) =>
    (['accessUrl', 'downloadUrl'] as const).flatMap((name) => {
      const property = dcat(name.replace('Url', 'URL'))
      return payload.dataset
        .filter((q) => q.subject.equals(target) && q.predicate.equals(property))
        .flatMap(({ object: { value: url } }) =>
          measurementQuads({
            metric: `${name}StatusCode`,
            target,
            value: statusOf(url),
            time: at,
            url,
          }),
        )
    }),
  )
  return withPayload(message, { ...payload, metrics: [...payload.metrics, ...measured] })
}

type Value = boolean | number | readonly number[]

/** Node → metric → value, all statuses of a metric in one ascending list; of nodes under `iri` only. */
export async function measuredValues(
  message: RecordMessage,
): Promise<Record<string, Record<string, Value>>> {
  const found: Record<string, Record<string, Value>> = {}
  for (const { target, metric, value } of measurements((await payloadOf(message)).metrics)) {
    const own = (found[target] ??= {})
    const before = own[metric]
    own[metric] = metric.endsWith('StatusCode')
      ? [...(Array.isArray(before) ? before : []), Number(value)].toSorted((a, b) => a - b)
      : value
  }
  return found
}
