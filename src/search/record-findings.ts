/**
 * What of a record its document does not show: values that are in the RDF and do not fit the field that they are for. Found out
 * when somebody asks, by projecting the stored record once more, so that nothing has to be kept for it.
 */

import { z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import type { App, AppContext } from '../http/context.ts'
import type { Profile } from '../profile/profile.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { AnswerContext } from './search-answers.ts'
import { Semaphore } from '../workers/semaphore.ts'
import { getRoute, recordAnswer, recordId, stateAnswers } from './search-answers.ts'

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
  'unknown-crs': 'is an unknown coordinate system, so that the geometry is left out',
  'bad-media-type': 'is not a media type',
  'unknown-concept': 'is in none of the vocabularies that this platform has',
  'same-language-twice': 'is the second text in its language, and only the first is shown',
  'too-many-values': 'is one value too many: the field has room for one',
  'too-deep': 'is nested deeper than the profile describes',
  'missing-mandatory': 'is mandatory and missing',
}

const finding = z.object({
  field: z.string().openapi({ description: 'Dotted path in the record' }),
  property: z.string().optional().openapi({ description: 'IRI of the property' }),
  value: z.string().openapi({ description: 'At most 200 characters' }),
  reason: z.enum(Object.keys(reasons)),
  detail: z.string().openapi({ description: 'What is wrong with the value, in English' }),
})

const answer = z.object({
  result: z.object({
    count: z.int().openapi({ description: 'Of all findings' }),
    findings: z.array(finding).max(mostFindings),
  }),
})

export type FindingsDeps = {
  /** What the projector leaves out of a record; `undefined` where searches do not find it. Without this there are no such routes. */
  readonly findings?: (
    index: IndexName,
    id: string,
    signal: AbortSignal,
  ) => Promise<readonly Omit<z.infer<typeof finding>, 'detail'>[] | undefined>
  readonly profile: Pick<Profile, 'resources'>
}

type FindingsContext = FindingsDeps & Pick<AnswerContext, 'tagged'>

/** One route for each kind of record. */
export function bindFindings(app: App, { findings, profile, tagged }: FindingsContext): void {
  if (!findings) return
  // To project a record may need much memory.
  const atOnce = new Semaphore(2)
  const responses = stateAnswers('Values of the record that it does not show, and why', answer)
  for (const kind of ['dataset', 'catalogue', 'resource'] as const) {
    const isTyped = kind === 'resource'
    if (isTyped && profile.resources.length === 0) continue
    const params = z.object({ ...(isTyped && { type: z.string() }), id: recordId })
    const path = `/${kind}s/${isTyped ? '{type}/' : ''}{id}/findings`
    const summary = `Values that are left out of the ${kind}`
    const answered = async (c: AppContext) => {
      const [type, id] = [c.req.param('type') ?? kind, c.req.param('id') ?? '']
      const index = isTyped ? (`resource_${type}` as const) : kind
      const all = await atOnce.run(() => findings(index, id, c.var.signal), c.var.signal)
      if (!all) throw new Failure(`unknown-${kind}`, `there is no ${type} ${id}`)
      const listed = all.slice(0, mostFindings).map((one) => ({
        ...one,
        detail: `${one.property ?? one.field} ${reasons[one.reason] ?? one.reason}`,
      }))
      return recordAnswer(c, { text: JSON.stringify({ count: all.length, findings: listed }) })
    }
    const route = getRoute(path, summary, { request: { params }, responses })
    // To project a record costs more than to read it: not again while nothing at all has changed.
    app.openapi(route, (c) => tagged(c, () => answered(c)))
  }
}
