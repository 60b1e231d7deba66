/**
 * The endpoints that list the findings of a record: values of its RDF that do not fit their fields, so that its document does not show
 * them. Each request projects the stored record once more; findings are stored nowhere.
 */

import { z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import type { AppContext } from '../http/context.ts'
import { anyone } from '../http/endpoint.ts'
import { largeWork } from '../http/long-answers.ts'
import type { ResourceType } from '../profile/profile.ts'
import { recordAnswer, recordId, searchEndpoint, stateAnswers } from './search-answers.ts'
import type { SearchServiceContext } from './search-service-context.ts'

/** Maximum number of findings in one answer; `count` is the number of all. */
const maxFindings = 500

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
    findings: z.array(finding).max(maxFindings),
  }),
})

/** Endpoints of findings, one for each kind of record of the profile. */
export function findingsEndpoints(types: readonly ResourceType[]) {
  const answers = stateAnswers('Values of the record that it does not show, and why', answer)
  const kinds = [
    'dataset',
    'catalogue',
    ...(types.length > 0 ? ['resource' as const] : []),
  ] as const
  return kinds.map((kind) => {
    const isTyped = kind === 'resource'
    const readFindings = async (c: AppContext, { findings }: SearchServiceContext) => {
      const [type, id] = [c.req.param('type') ?? kind, c.req.param('id') ?? '']
      const index = isTyped ? (`resource_${type}` as const) : kind
      const found = await largeWork(c, () => findings(index, id, c.var.signal))
      if (!found) throw new Failure(`unknown-${kind}`, `there is no ${type} ${id}`)
      const listed = found.slice(0, maxFindings).map((finding) => ({
        ...finding,
        detail: `${finding.property ?? finding.field} ${reasons[finding.reason] ?? finding.reason}`,
      }))
      return recordAnswer(c, { text: JSON.stringify({ count: found.length, findings: listed }) })
    }
    return searchEndpoint({
      method: 'get',
      path: `/${kind}s/${isTyped ? '{type}/' : ''}{id}/findings`,
      operation: `get${{ dataset: 'Datasets', catalogue: 'Catalogues', resource: 'ResourcesByType' }[kind]}ByIdFindings`,
      summary: `Values that are left out of the ${kind}`,
      auth: anyone,
      params: z.object({ ...(isTyped && { type: z.string() }), id: recordId }),
      answers,
      // Projecting a record costs more than reading it, so the entity tag is checked first.
      handle: ({ c }, context) => context.withEntityTag(c, () => readFindings(c, context)),
    })
  })
}
