/** Datasets on their way through the quality pipe, and what was measured of them. */

import { measurements } from '../../../src/metrics/measure/measurements.ts'
import { payloadOf } from '../../../src/metrics/pipe/payload.ts'
import type { Message, RecordMessage } from '../../../src/pipe/message.ts'

const site = 'http://data.example/'

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dqv: <http://www.w3.org/ns/dqv#> .
@prefix pv: <https://piveau.eu/ns/voc#> . @base <${site}> .
`

type Urls = { readonly accessURL?: readonly string[]; readonly downloadURL?: readonly string[] }

/** Turtle of a dataset whose distributions `{id}/0`, `{id}/1` … have these objects. */
export function datasetOf(id: string, distributions: readonly Urls[]): string {
  const lines = distributions.flatMap((urls, number) => {
    const name = `<${id}/${number}>`
    const said = Object.entries(urls).flatMap(([property, objects]) =>
      objects.map((object) => `${name} dcat:${property} ${object} .`),
    )
    return [`<${id}> dcat:distribution ${name} . ${name} a dcat:Distribution .`, ...said]
  })
  return `${prefixes}<${id}> a dcat:Dataset .\n${lines.join('\n')}\n`
}

export const recordOf = (counter: number, text: string): RecordMessage => ({
  kind: 'record',
  counter,
  sourceId: String(counter),
  aliases: [],
  mediaType: 'application/trig',
  text,
  findings: [],
  extra: { identifier: `d${counter}`, catalogue: 'c' },
})

export async function* streamOf(messages: Iterable<Message>): AsyncGenerator<Message> {
  yield* messages
}

/** Metric, distribution, value and URL of every measurement, in their order. */
export async function codes(message: Message | undefined) {
  if (message?.kind !== 'record') throw new Error(`not a record: ${JSON.stringify(message)}`)
  const { metrics } = await payloadOf(message, 'metrics')
  return measurements(metrics).map(({ metric, target, value, url }) => [
    metric,
    target.replace(site, ''),
    value,
    url,
  ])
}
