/**
 * What of a record its document does not show: values that are in the RDF and do not fit the field that they are for. Found out
 * when somebody asks, by projecting the stored record once more, so that nothing has to be kept for it.
 */

import { z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import type { App } from '../http/context.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import { getRoute, recordAnswer, recordId, stateAnswers } from './search-answers.ts'
import type { SearchDeps } from './search-deps.ts'

/** Findings in one answer; `count` tells of all of them. */
const mostFindings = 500

const reasons: Readonly<Record<string, string>> = {
  'not-an-iri': 'must be an IRI',
  'not-a-literal': 'must be a literal',
  'bad-date': 'is not a date or time',
  'bad-range': 'begins after its end',
  'bad-number': 'is not a number',
  'bad-boolean': 'is neither true nor false',
  'bad-geometry': 'is not a geometry in WKT, GeoJSON or GML',
  'bad-media-type': 'is not a media type',
  'unknown-concept': 'is in none of the vocabularies that this platform has',
  'same-language-twice': 'is the second text in its language, and only the first is shown',
  'too-many-values': 'is one value too many: the field has room for one',
  'too-deep': 'is nested deeper than the profile describes',
  'missing-mandatory': 'is mandatory and missing',
}

const answer = z.object({
  result: z.object({
    count: z.int().openapi({ description: 'Of all findings' }),
    findings: z
      .array(
        z.object({
          field: z.string().openapi({ description: 'Dotted path in the record' }),
          property: z.string().optional().openapi({ description: 'IRI of the property' }),
          value: z.string().openapi({ description: 'At most 200 characters' }),
          reason: z.enum(Object.keys(reasons)),
          detail: z.string().openapi({ description: 'What is wrong with the value, in English' }),
        }),
      )
      .max(mostFindings),
  }),
})

/** One route for each kind of record. */
export function bindFindings(app: App, { findings, profile }: SearchDeps): void {
  if (!findings) return
  const responses = stateAnswers('Values of the record that it does not show, and why', answer)
  const found = async (index: IndexName, id: string, signal: AbortSignal) => {
    const all = await findings(index, id, signal)
    if (!all) return undefined
    const listed = all.slice(0, mostFindings).map((one) => ({
      ...one,
      detail: `${one.property ?? one.field} ${reasons[one.reason] ?? one.reason}`,
    }))
    return { text: JSON.stringify({ count: all.length, findings: listed }) }
  }
  const request = { params: z.object({ id: recordId }) }
  for (const kind of ['dataset', 'catalogue'] as const) {
    const summary = `Values that are left out of the ${kind}`
    const route = getRoute(`/${kind}s/{id}/findings`, summary, { request, responses })
    app.openapi(route, async (c) => {
      const { id } = c.req.valid('param')
      const text = await found(kind, id, c.var.signal)
      if (!text) throw new Failure(`unknown-${kind}`, `there is no ${kind} ${id}`)
      return recordAnswer(c, text)
    })
  }
  if (profile.resources.length === 0) return
  const typed = { params: z.object({ type: z.string(), id: recordId }) }
  const ofType = { request: typed, responses }
  const summary = 'Values that are left out of the resource'
  app.openapi(getRoute('/resources/{type}/{id}/findings', summary, ofType), async (c) => {
    const { type, id } = c.req.valid('param')
    const text = await found(`resource_${type}`, id, c.var.signal)
    if (!text) throw new Failure('unknown-resource', `there is no ${type} ${id}`)
    return recordAnswer(c, text)
  })
}
